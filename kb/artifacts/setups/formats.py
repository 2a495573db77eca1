"""Set-ups in a text: where commands, files of settings and manifests stand, and the facts they state."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from kb.artifacts.artifact import Block, Fact, Format, Read, Spot, Unread
from kb.artifacts.setups.configs import kind_of
from kb.artifacts.setups.read import may_be_tree, read_setup
from kb.artifacts.setups.tree import documents
from kb.artifacts.setups.written import Given, Unit
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.vocabulary import vocabulary
from kb.catalog import load_yaml

FACTS: Mapping[str, str] = {
    "tp": "tensor_parallel", "pp": "pipeline_parallel", "dp": "data_parallel", "ep": "expert_parallel",
    "context": "context_set_tokens", "sequences": "sequences_set", "utilisation": "memory_share", "kv": "cache_format",
    "quantization": "quantisation_set", "layers_on_card": "layers_on_card", "micro": "micro_batch",
    "accumulation": "accumulation_steps", "global_batch": "global_batch", "sequence": "sequence_set_tokens",
    "stage": "zero_stage", "lora_rank": "adapter_rank", "rate": "learning_rate", "port": "port",
    "per_node": "processes", "machines": "machines", "model_name": "model_named",
}  # fmt: skip
"""Common name of a setting → fact."""
BOXED = {"gpus": "cards_given", "nodes": "machines"}
FACTS_MAX = 400
LINES_MAX = 2_000
_STARTS = re.compile(
    r"(?:^|[\s/;&|\"'(])(?:vllm\s+serve|vllm\.entrypoints|sglang[.\s](?:launch_server|serve)|llama-(?:server|cli)|"
    r"text-generation-launcher|trtllm-(?:serve|build)|torchrun|torch\.distributed\.(?:run|launch)|accelerate\s+launch|"
    r"deepspeed\s|llamafactory-cli|swift\s+(?:sft|pt|rlhf|deploy|infer)|megatron\s+(?:sft|pt|rlhf)|axolotl\s|docker\s+run|podman\s+run|"
    r"ollama\s+(?:serve|run|create)|python3?\s+\S+\.py\s+.*--\w+)"
)
_PAIR = re.compile(r"[ \t]*(?:- )?[\"']?[A-Za-z_][\w.\-/]*[\"']?[ \t]*:(?:[ \t]|$)")
_INDENTED = re.compile(r"[ \t]+\S|[ \t]*-[ \t]|[ \t]*#|---[ \t]*$|[ \t]*$")
_ASSIGNS = re.compile(r"[ \t]*(?:export[ \t]+)?[A-Za-z_]\w*=\S*|[ \t]*(?:#!|#SBATCH\b|module\s|cd\s|source\s|set\s)")
COMMAND_MARKS = ("vllm", "sglang", "llama-server", "llama-cli", "text-generation-launcher", "trtllm", "torchrun",
                 "torch.distributed", "accelerate", "deepspeed", "llamafactory", "swift", "megatron", "axolotl",
                 "docker",
                 "podman", "ollama", ".py")  # fmt: skip


@lru_cache(maxsize=1)
def common() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """A common name → program → what it calls it."""
    return dict(load_yaml(Path(__file__).parent / "known" / "names.yaml"))


def trees(sheet: Sheet) -> Iterator[Spot]:
    """YAML and JSON whose keys say that they are a set-up: fenced, or standing free."""
    for first, last in [*_fences(sheet), *_free_json(sheet), *_free_yaml(sheet)]:
        text = "\n".join(line.text for line in sheet.lines[first : last + 1] if not line.edge)
        if not may_be_tree(text):
            continue
        roots, broken = documents(text)
        if any(root.kind == "map" and kind_of(root) for root in roots) or (broken and not roots and _named(text)):
            yield Spot(first, last)


def _named(text: str) -> bool:
    """Whether a broken file names what only a set-up has."""
    return any(word in text for word in ("zero_optimization", "train_micro_batch_size_per_gpu", "apiVersion:"))


def _fences(sheet: Sheet) -> Iterator[tuple[int, int]]:
    """First and last inner line of every fence."""
    start: int | None = None
    for line in sheet.lines:
        if line.edge and start is None:
            start = line.index + 1
        elif line.edge and start is not None:
            if line.index > start:
                yield start, line.index - 1
            start = None
    if start is not None and start < len(sheet.lines):
        yield start, len(sheet.lines) - 1


def _free_json(sheet: Sheet) -> Iterator[tuple[int, int]]:
    """From a line that opens a brace to the one that closes it."""
    until = -1
    for line in sheet.lines:
        if line.index <= until or line.fence is not None or not line.text.lstrip().startswith("{"):
            continue
        depth = 0
        for inner in sheet.lines[line.index : line.index + LINES_MAX]:
            depth += inner.text.count("{") - inner.text.count("}")
            if depth <= 0:
                yield line.index, inner.index
                until = inner.index
                break


def _free_yaml(sheet: Sheet) -> Iterator[tuple[int, int]]:
    """Lines that follow each other as keys, entries, comments and what is indented below them."""
    first: int | None = None
    pairs = 0
    for line in sheet.lines:
        fits = line.fence is None and (
            _PAIR.match(line.text) is not None or (first is not None and _INDENTED.match(line.text) is not None)
        )
        if fits:
            first = line.index if first is None else first
            pairs += _PAIR.match(line.text) is not None
            continue
        if first is not None and pairs > 1:
            yield first, _trimmed(sheet, first, line.index - 1)
        first, pairs = None, 0
    if first is not None and pairs > 1:
        yield first, _trimmed(sheet, first, len(sheet.lines) - 1)


def _trimmed(sheet: Sheet, first: int, last: int) -> int:
    while last > first and not sheet.lines[last].text.strip():
        last -= 1
    return last


def scripts(sheet: Sheet) -> Iterator[Spot]:
    """Commands of programs that are known, with the lines they go on over and the variables set before them."""
    until = -1
    for line in sheet.lines:
        if line.index <= until or _STARTS.search(line.text) is None or line.text.lstrip().startswith(("#", "//")):
            continue
        first = line.index
        while first - 1 > until and _ASSIGNS.match(sheet.lines[first - 1].text):
            first -= 1
        last = line.index
        while last + 1 < len(sheet.lines) and _goes_on(sheet.lines[last], sheet.lines[last + 1]):
            last += 1
        if any(unit.given or unit.words for unit in _units(sheet.lines[first : last + 1])):
            yield Spot(first, last)
            until = last


def _goes_on(line: Line, following: Line) -> bool:
    if following.edge:
        return False
    return line.text.rstrip().endswith("\\") or re.match(r"[ \t]*--?[A-Za-z]", following.text) is not None


def _units(lines: Sequence[Line]) -> tuple[Unit, ...]:
    return read_setup("\n".join(line.text for line in lines)).units


def directives(sheet: Sheet) -> Iterator[Spot]:
    """Job scripts: from the first #SBATCH to the end of its fence, or of the text."""
    at = sheet.at("#sbatch")
    if at:
        first = at[0] - 1 if at[0] and sheet.lines[at[0] - 1].text.startswith("#!") else at[0]
        fence = sheet.lines[at[0]].fence
        last = at[0]
        for line in sheet.lines[at[0] :]:
            if line.fence != fence or line.edge:
                break
            last = line.index
        yield Spot(first, _trimmed(sheet, first, last))


def modelfiles(sheet: Sheet) -> Iterator[Spot]:
    """FROM and PARAMETER lines."""
    at = [index for index in sheet.at("from ") if re.match(r"FROM\s+\S+\s*$", sheet.lines[index].text)]
    for first in at:
        last = first
        for line in sheet.lines[first + 1 : first + LINES_MAX]:
            if line.text.strip() and not re.match(
                r"(?:PARAMETER|TEMPLATE|SYSTEM|ADAPTER|LICENSE|MESSAGE|#)", line.text
            ):
                break
            last = line.index
        if last > first:
            yield Spot(first, _trimmed(sheet, first, last))


def facts(block: Block) -> Read:
    """What a set-up states, each with its line."""
    setup = read_setup(block.text)
    found: list[Fact] = []
    for unit in setup.units:
        found.append(_fact("program", unit.program, unit.line, unit.program, block, None))
        named = {native: name for name, by in common().items() for native in by.get(unit.program, ())}
        for one in (*unit.given.values(), *unit.words):
            found += _of(one, unit, named, block)
        found += [_variable(one, unit, block) for one in unit.env.values() if unit.within is None]
    unread = tuple(Unread(block.lines[min(line, len(block.lines)) - 1].number, why) for line, why in setup.broken)
    return Read(tuple(found[:FACTS_MAX]), unread)


def _of(one: Given, unit: Unit, named: Mapping[str, str], block: Block) -> Iterator[Fact]:
    key = named.get(one.name) if one.name else ("model_name" if "@0" in named and one is unit.words[0] else None)
    name = FACTS.get(key or "") or BOXED.get(one.name)
    value = one.value
    if name is not None and value is not None and _fits(name, value):
        yield _fact(name, value, one.line, one.quote, block, unit.program)
    elif one.name:
        yield _fact("setting", f"{one.name}={value}", one.line, one.quote, block, unit.program)


def _fits(name: str, value: object) -> bool:
    kind = vocabulary()[name].type
    if kind == "str":
        return isinstance(value, str)
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and (kind == "float" or isinstance(value, int))
    )


def _variable(one: Given, unit: Unit, block: Block) -> Fact:
    return _fact("variable", f"{one.name}={one.value}", one.line, one.quote, block, unit.program)


def _fact(name: str, value: object, line: int, quote: str, block: Block, of: str | None) -> Fact:
    number = block.lines[min(max(line, 1), len(block.lines)) - 1].number
    said = value if isinstance(value, str | int | float | bool) else str(value)
    return Fact(name, said, vocabulary()[name].unit, number, quote[:240], of)


FORMATS = (
    Format("configuration", "setup", (), trees, facts, weight=6),
    Format("job", "setup", ("#sbatch",), directives, facts, weight=7),
    Format("modelfile", "setup", ("from ",), modelfiles, facts, weight=6),
    Format("command", "setup", COMMAND_MARKS, scripts, facts, weight=5),
)
"""Formats of set-ups."""
