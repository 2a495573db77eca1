"""How a thing is run, as words say it: the format, engine, layout, sharding and method that figures are of."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from assistant.grounding.wording.mentions import Product

CACHE = r"(?:kv[ -]?)?(?:cache|缓存|快取|緩存)"
FORMAT = re.compile(
    r"(?<![A-Za-z0-9_])(?P<name>I?Q\d(?:_[A-Z0-9]{1,3}){0,3}|AWQ|GPTQ|(?:MX|NV)?FP(?:4|8|16|32)|BF16|INT[48]|NF4|EXL[23]"
    r"|W\dA\d{1,2})(?![A-Za-z0-9])"
    rf"(?P<cache>[ -]?{CACHE})?",
    re.I,
)
ARITHMETIC = re.compile(r"\s?(?:runs? at|rate|throughput|compute\b|arithmetic|[TP]?FLOPS|算力|性能|吞吐)", re.I)
"""Behind the format of arithmetic, which is not that of the weights: "FP16 runs at 1/64 of FP32"."""
SHARE_OF = re.compile(r"\d\s?%?\s(?:of|the rate of)\s\Z")
OF_CACHE = re.compile(rf"{CACHE}\s?(?:in|of|at|用|为|為|:|=)?\s?\Z", re.I)
"""Before a format that the cache is in."""
NAMED: Mapping[str, re.Pattern[str]] = {
    "engine": re.compile(
        r"(?<![A-Za-z])(?P<vllm>vLLM)|(?P<sglang>SGLang)"
        r"|(?P<llama>(?<![A-Za-z])(?:o?llama[. -]?cpp|ollama|llama-server))"
        r"|(?P<tensorrt>TensorRT(?:-LLM)?)|(?P<exllama>exllama\w*)|(?P<mlx>(?<![A-Za-z])MLX)|(?P<unsloth>Unsloth)",
        re.I,
    ),
    "layout": re.compile(
        r"(?<![A-Za-z])(?P<tp>TP|tensor[ -]parallel(?:ism)?)[ =]?(?P<tpn>\d{1,2})"
        r"|(?<![A-Za-z])(?P<pp>PP|pipeline[ -]parallel(?:ism)?)[ =]?(?P<ppn>\d{1,2})",
        re.I,
    ),
    "sharding": re.compile(
        r"(?P<zero1>ZeRO[ -]?1)|(?P<zero2>ZeRO[ -]?2)|(?P<zero3>ZeRO[ -]?3)|(?P<fsdp>(?<![A-Z])FSDP)"
        r"|(?P<ddp>(?<![A-Z])DDP)",
        re.I,
    ),
    "method": re.compile(
        r"(?P<qlora>QLoRA)|(?P<lora>(?<![A-Za-z])LoRA)"
        r"|(?P<full>全参|全參|\bfull(?:[ -](?:parameter|fine[- ]?tun\w+)|(?= on \d)"
        r"|(?= [\w.-]+ (?:run|training|tune)\b)))",
        re.I,
    ),
}
"""Dimensions beside formats, one group a name."""
FULLY = frozenset({"zero3", "fsdp"})
"""Names of one sharding, which people say for each other."""
SAME = {"fp16": "16 bit", "bf16": "16 bit"}
"""Formats of one size, which people say for each other."""
OF_WIDTH = (("int4", frozenset({"gptq", "awq", "w4a16"})), ("int8", frozenset({"w8a8", "w8a16", "gptq"})))
"""Widths by which people call the formats that have it."""
IN_FOUR_BITS = re.compile(r"(?<![\d.])4[ -]?(?:bits?\b|位|比特)|(?<![A-Za-z])NF4|QLoRA", re.I)
"""What makes LoRA one over a base in four bits."""
REMEMBERED, REMEMBERED_LENGTH = 2048, 2000


def ways(text: str) -> tuple[Product, ...]:
    """Formats (also of the cache), engines, layouts, shardings and methods that a text names, in its order."""
    return _remembered(text) if len(text) <= REMEMBERED_LENGTH else _ways(text)


def _ways(text: str) -> tuple[Product, ...]:
    return tuple(sorted((*_formats(text), *_named(text)), key=lambda one: one.start))


_remembered = lru_cache(maxsize=REMEMBERED)(_ways)


def _formats(text: str) -> Iterator[Product]:
    for match in FORMAT.finditer(text):
        if ARITHMETIC.match(text, match.end()) or SHARE_OF.search(text, 0, match.start()):
            continue
        name = match["name"].lower()
        of_cache = match["cache"] is not None or OF_CACHE.search(text, 0, match.start()) is not None
        ids = frozenset({SAME.get(name, name)})
        yield Product("cache" if of_cache else "format", ids, match.start(), match.end("name"), match["name"])


def _named(text: str) -> Iterator[Product]:
    for dimension, pattern in NAMED.items():
        for match in pattern.finditer(text):
            name = next(group for group, said in match.groupdict().items() if said and not group.endswith("n"))
            number = match.groupdict().get(f"{name}n") or ""
            ids = {f"{name}{number}"} | ({"qlora"} if name == "lora" and IN_FOUR_BITS.search(text) else set())
            yield Product(dimension, frozenset(ids), match.start(), match.end(), match[0])


def by_dimension(found: Iterable[Product]) -> dict[str, frozenset[str]]:
    """Every way that is named, by its dimension."""
    told: dict[str, frozenset[str]] = {}
    for one in found:
        told[one.dimension] = told.get(one.dimension, frozenset()) | one.ids
    return told


def apart(mine: Mapping[str, frozenset[str]], theirs: Mapping[str, frozenset[str]]) -> str:
    """The way of theirs that mine excludes; empty where none is."""
    for dimension, said in mine.items():
        told = theirs.get(dimension)
        if dimension == "format" and told and "cache" in theirs:
            told |= theirs["cache"]  # where both are told, a bare name may be that of the cache's
        if told and said and not any(_alike(one, other) for one in said for other in told):
            return ", ".join(sorted(told))
    return ""


def _alike(one: str, other: str) -> bool:
    """Whether two names may mean one thing: "Q4" is any Q4_K_M."""
    if one.startswith(other) or other.startswith(one):
        return True
    if {one, other} <= FULLY:
        return True
    return any(
        (one == width and other in methods) or (other == width and one in methods) for width, methods in OF_WIDTH
    )
