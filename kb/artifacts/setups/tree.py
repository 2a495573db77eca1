"""YAML and JSON as settings with their places: every leaf by its path."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from kb.artifacts.setups.written import Given, Hand, Value, typed

NODES_MAX = 20_000
LONGEST = 400_000
_QUOTE_MAX = 160
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SIGNS = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|,(?=\s*[}\]])')


@dataclass(frozen=True, slots=True)
class Branch:
    """A mapping, a list or a value of a document."""

    node: Any
    text: str
    json: bool

    @property
    def kind(self) -> str:
        """map, list or value."""
        return {"mapping": "map", "sequence": "list"}.get(self.node.id, "value")

    @property
    def value(self) -> Value:
        """Of a leaf; text in quotes stays text."""
        if self.node.id != "scalar":
            return None
        if self.node.style in ("'", '"'):
            return str(self.node.value)
        if self.node.tag == "tag:yaml.org,2002:null":
            return None
        if self.node.tag == "tag:yaml.org,2002:bool":
            return str(self.node.value).lower() in {"true", "yes", "on"}
        return typed(str(self.node.value))

    @property
    def start(self) -> int:
        """In the text."""
        return int(self.node.start_mark.index)

    @property
    def end(self) -> int:
        """After its last character; blanks that follow a block are not its own."""
        return (
            len(self.text[: int(self.node.end_mark.index)].rstrip())
            if self.kind != "value"
            else int(self.node.end_mark.index)
        )

    @property
    def line(self) -> int:
        """From 1."""
        return int(self.node.start_mark.line) + 1

    def items(self) -> Iterator[tuple[str, "Branch", "Branch"]]:
        """(key, key's branch, value's branch) of a mapping."""
        if self.kind == "map":
            for key, value in self.node.value:
                if key.id == "scalar":
                    yield str(key.value), Branch(key, self.text, self.json), Branch(value, self.text, self.json)

    def entries(self) -> Iterator["Branch"]:
        """Of a list."""
        if self.kind == "list":
            for one in self.node.value:
                yield Branch(one, self.text, self.json)

    def at(self, *path: str) -> "Branch | None":
        """What lies there; None where nothing does."""
        here: Branch | None = self
        for name in path:
            if here is None:
                return None
            here = next((value for key, _, value in here.items() if key == name), None)
        return here

    def given(self, name: str, key: "Branch | None" = None) -> Given:
        """The leaf as a setting; what it lies in is kept as its length."""
        hand: Hand = "json" if self.json else "yaml"
        first = key.start if key else self.start
        value: Value = self.value if self.kind == "value" else len(self.node.value)
        quote = " ".join(self.text[first : self.end].split())[:_QUOTE_MAX]
        return Given(name, value, self.start, self.end, first, self.end, key.line if key else self.line, quote, hand)

    def leaves(self, prefix: str = "") -> Iterator[Given]:
        """Every leaf below, named by its path with dots; lists of plain values are joined."""
        count = 0
        stack: list[tuple[str, Branch, Branch | None]] = [(prefix, self, None)]
        while stack and count < NODES_MAX:
            name, branch, key = stack.pop(0)
            count += 1
            if branch.kind == "map":
                stack += [(f"{name}.{one}" if name else one, value, key) for one, key, value in branch.items()]
                if name:
                    yield branch.given(name, key)
            elif branch.kind == "list":
                entries = list(branch.entries())
                if all(one.kind == "value" for one in entries):
                    joined = ",".join(str(one.value) for one in entries)
                    whole = branch.given(name, key)
                    yield Given(name, joined, whole.start, whole.end, whole.first, whole.last, whole.line, whole.quote,
                                whole.hand)  # fmt: skip
                else:
                    stack += [(f"{name}.{number}", one, None) for number, one in enumerate(entries)]
            else:
                yield branch.given(name, key)


def documents(text: str) -> tuple[list[Branch], tuple[tuple[int, str], ...]]:
    """The documents of a YAML or JSON text, and what its format does not allow.

    Comments and trailing commas, which JSON does not have, are told and read over. Anchors may repeat a node; nothing
    is copied, so that a text cannot grow.
    """
    json = text.lstrip()[:1] in "{["
    broken: list[tuple[int, str]] = []
    source = text[:LONGEST]
    if json:
        source = _plain_json(source, broken)
    try:
        nodes = [node for node in yaml.compose_all(source, Loader=_Loader) if node is not None]
    except (yaml.YAMLError, RecursionError, ValueError) as problem:
        mark = getattr(problem, "problem_mark", None)
        said = getattr(problem, "problem", None) or type(problem).__name__
        return [], (*broken, (int(mark.line) + 1 if mark else 1, str(said)))
    return [Branch(node, text, json) for node in nodes], tuple(broken)


def _plain_json(text: str, broken: list[tuple[int, str]]) -> str:
    """The same length of text without what JSON does not have: comments, and commas before a closing bracket."""
    parts: list[str] = []
    place = 0
    for found in _SIGNS.finditer(text):
        parts.append(text[place : found.start()])
        token = found[0]
        if token[0] == '"':
            parts.append(token)
        else:
            broken.append((text.count("\n", 0, found.start()) + 1, "comment" if token[0] == "/" else "trailing comma"))
            parts.append(" " * len(token))
        place = found.end()
    return ("".join(parts) + text[place:]).replace("\t", " ")
