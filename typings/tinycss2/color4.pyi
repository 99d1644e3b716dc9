class Color:
    space: str
    coordinates: tuple[float | None, ...]
    alpha: float
    def to(self, space: str) -> Color: ...
