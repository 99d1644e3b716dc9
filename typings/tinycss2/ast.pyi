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
