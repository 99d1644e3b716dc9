"""All kinds of nodes in one: `type` says which attributes a node has."""

class Node:
    type: str
    value: str
    lower_value: str
    lower_name: str
    name: str
    unit: str
    lower_unit: str
    representation: str
    lower_at_keyword: str
    is_identifier: bool
    important: bool
    prelude: list[Node]
    content: list[Node] | None
    arguments: list[Node]

class Declaration(Node):
    def __init__(
        self, line: int, column: int, name: str, lower_name: str, value: list[Node], important: bool
    ) -> None: ...

class WhitespaceToken(Node):
    def __init__(self, line: int, column: int, value: str) -> None: ...

class IdentToken(Node):
    def __init__(self, line: int, column: int, value: str) -> None: ...

class LiteralToken(Node):
    def __init__(self, line: int, column: int, value: str) -> None: ...

class HashToken(Node):
    def __init__(self, line: int, column: int, value: str, is_identifier: bool) -> None: ...

class NumberToken(Node):
    def __init__(
        self, line: int, column: int, value: float, int_value: int | None, representation: str
    ) -> None: ...

class PercentageToken(NumberToken): ...

class DimensionToken(Node):
    def __init__(
        self,
        line: int,
        column: int,
        value: float,
        int_value: int | None,
        representation: str,
        unit: str,
    ) -> None: ...
