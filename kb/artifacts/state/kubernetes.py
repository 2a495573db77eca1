"""Nodes of a cluster: `kubectl get nodes -o json`, `kubectl describe node`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kb.artifacts.amounts import EXACT, count, size_bytes
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot
from kb.artifacts.json_text import documents, loads
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, Leaf, grown, stated, tree

CARDS = re.compile(r"(?:nvidia\.com/(?:gpu|mig-[\w.]+)|amd\.com/gpu|gpu\.intel\.com/\w+|huawei\.com/\w+)(?:\.shared)?$")
PRODUCT = ("nvidia.com/gpu.product", "amd.com/gpu.product-name")
_K8S = EXACT | {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40, "k": 10**3, "m": 10**6, "g": 10**9}


def _memory(words: str) -> int | None:
    return size_bytes(words, units=_K8S)


def _detects_json(sheet: Sheet) -> Iterable[Spot]:
    return [one.spot for one in documents(sheet) if any(_is_node(node) for node in _nodes(one.value))]


def _nodes(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        items = value.get("items")
        return items if isinstance(items, list) else [value]
    return value if isinstance(value, list) else []


def _is_node(node: Any) -> bool:
    status = node.get("status") if isinstance(node, Mapping) else None
    return isinstance(status, Mapping) and ("allocatable" in status or "capacity" in status)


def _read_json(block: Block) -> Read:
    read = loads(block.text)
    facts: list[Fact] = []
    for node in _nodes(read[0]) if read else []:
        if _is_node(node):
            facts += _node(node, block)
    return Read(tuple(facts[:ROWS_MAX]))


def _node(node: Mapping[str, Any], block: Block) -> Iterator[Fact]:
    meta = node.get("metadata") if isinstance(node.get("metadata"), Mapping) else {}
    assert isinstance(meta, Mapping)
    name = str(meta.get("name") or "0")
    of, line = f"node {name}", _line_of(block, f'"{name}"')
    labels = meta.get("labels") if isinstance(meta.get("labels"), Mapping) else {}
    product = (
        next((str(labels[key]) for key in PRODUCT if key in labels), None) if isinstance(labels, Mapping) else None
    )
    yield from stated({"gpu_name": product}, line, of)
    for part, end in (("capacity", ""), ("allocatable", "_allocatable")):
        said = node["status"].get(part)
        if isinstance(said, Mapping):
            for key, value in said.items():
                yield from stated(_resource(str(key), str(value), end), line, of)
    conditions = node["status"].get("conditions")
    for one in conditions if isinstance(conditions, list) else []:
        if isinstance(one, Mapping) and one.get("type") == "Ready":
            yield from stated({"node_ready": one.get("status") == "True"}, line, of)


def _resource(key: str, value: str, end: str) -> dict[str, Any]:
    if CARDS.match(key):
        return {f"gpu_count{end}": count(value)}
    if key == "memory":
        return {f"host_memory{end}_bytes": _memory(value)}
    return {f"cpu_threads{end}": count(value)} if key == "cpu" else {}


def _line_of(block: Block, words: str) -> Line:
    return next((line for line in block.lines if words in line.text), block.lines[0])


_BRANCHES = (
    "capacity",
    "allocatable",
    "allocated resources",
    "conditions",
    "labels",
    "taints",
    "addresses",
    "system info",
)
_RESOURCE = re.compile(r"\s{2,4}(\S+)\s+(\d{1,6}m?|[\d.]+[KMG]i)(?:\s+\(\d+%\))?\s+(\d{1,6}m?|[\d.]+[KMG]i)")


def _detects_describe(sheet: Sheet) -> Iterable[Spot]:
    heads = [one for word in ("capacity:", "allocatable:") for one in sheet.at(word)]
    heads = [one for one in heads if re.match(r"\s*(?:Capacity|Allocatable):\s*$", sheet.lines[one].text)]
    belongs = lambda line: bool(re.match(r"[A-Z][\w /()-]{1,40}:(?:\s|$)|\s{1,}\S", line.text))  # noqa: E731
    return grown(sheet, sorted(heads), belongs, gap=0)


def _read_describe(block: Block) -> Read:
    facts: list[Fact] = []
    of: str | None = None
    for leaf in tree(block.lines[:ROWS_MAX]):
        if leaf.path[-1] == "name" and len(leaf.path) == 1:
            of = f"node {leaf.value}"
        facts += _leaf(leaf, of)
    return Read(tuple(facts))


def _leaf(leaf: Leaf, of: str | None) -> Iterator[Fact]:
    branch = next((part for part in leaf.path if part in _BRANCHES), "")
    if branch in ("capacity", "allocatable") and leaf.value:
        end = "" if branch == "capacity" else "_allocatable"
        yield from stated(_resource(leaf.path[-1], leaf.value, end), leaf.line, of)
    product = re.search(r"(?:nvidia\.com/gpu\.product|amd\.com/gpu\.product-name)=(\S{2,60})", leaf.line.text)
    if product is not None:
        yield from stated({"gpu_name": product[1]}, leaf.line, of)
    taint = re.search(r"(\S{1,80}:(?:NoSchedule|NoExecute|PreferNoSchedule))", leaf.line.text)
    if taint is not None:
        yield from stated({"taint": taint[1].removeprefix("Taints:").strip()}, leaf.line, of)
    if branch == "allocated resources" and (row := _RESOURCE.match(leaf.line.text)) and CARDS.match(row[1]):
        yield from stated({"gpu_count_requested": count(row[2])}, leaf.line, of)
    if branch == "conditions" and (ready := re.match(r"\s*Ready\s+(True|False|Unknown)\b", leaf.line.text)):
        yield from stated({"node_ready": ready[1] == "True"}, leaf.line, of)


JSON = Format("kubernetes_nodes", "state", ("allocatable",), _detects_json, _read_json, weight=3)
DESCRIBE = Format(
    "kubernetes_node", "state", ("capacity:", "allocatable:"), _detects_describe, _read_describe, weight=1
)
