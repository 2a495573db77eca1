"""What a command line sets, by the table of flags."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from kb.base import AdvisorError, BadInput
from kb.lexicon import read_model
from kb.observation import Flag, Program, Scalar, observation_facts, wording
from tools.observation.request import ObservationRequest

_ASSIGNED = re.compile(r"^(?P<name>[A-Z][A-Z0-9_]{2,60})=(?P<value>\S*)$")
_MULTIPLES = {"k": 1024, "K": 1024, "m": 1024**2, "M": 1024**2}
_COUNT = re.compile(r"^(\d+(?:\.\d+)?)([kKmM])$")
ALL_LAYERS = "9999"
SUMMED = ("slots",)
"""Fields of the table that are no fields of the request."""


def read_flags(line: str) -> dict[str, Any]:
    """Fields of the request that the command line sets; what no program of the table takes is passed over.

    Raises:
        BadInput: a value is not what its option takes.
    """
    words = _words(line)
    program = next((one for one in observation_facts().programs if wording(one.pattern).search(line)), None)
    found: dict[str, Any] = dict(program.fields) if program else {}
    tables = [program] if program else []
    found |= dict(_options(words, tables))
    if program is not None and program.positional:
        found |= _positional(words, program)
    slots = found.pop("slots", None)
    if slots and found.get("context_tokens"):  # llama-server divides its context over the slots
        found["context_tokens"] = max(int(found["context_tokens"]) // int(slots), 1)
    if slots:
        found["max_num_sequences"] = slots
    if "model" in found:
        found |= _named(str(found.pop("model")))
    return found


def _words(line: str) -> list[str]:
    joined = re.sub(r"\\\s*\n", " ", line)
    try:
        return shlex.split(joined, comments=False, posix=True)
    except ValueError:  # an open quote: pasted in part
        return joined.split()


def _options(words: list[str], programs: list[Program]) -> Iterator[tuple[str, Any]]:
    table = {name: flag for program in programs for flag in program.flags for name in flag.names}
    for place, word in enumerate(words):
        name, _, inline = word.partition("=")
        flag = table.get(name) or table.get(name.replace("_", "-"))
        if flag is None:
            continue
        if flag.constant is not None and not inline:
            yield flag.field, flag.constant
            continue
        following = words[place + 1] if place + 1 < len(words) else ""
        value = inline or following
        if value and not (value.startswith("-") and not _numeric(value)):
            yield from _value(flag, name, value)


def _numeric(value: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", value) is not None


def _value(flag: Flag, name: str, value: str) -> Iterator[tuple[str, Any]]:
    if flag.values:
        known = {key.lower(): meaning for key, meaning in flag.values.items()}
        if value.lower() in known:
            yield flag.field, known[value.lower()]
        return
    if match := _COUNT.match(value):
        value = str(int(float(match[1]) * _MULTIPLES[match[2]]))
    if flag.field in SUMMED:
        yield flag.field, max(int(value), 1) if value.lstrip("-").isdigit() else 1
        return
    if flag.field == "model":
        yield flag.field, value
        return
    if _numeric(value) and float(value) <= 0 and flag.field != "gpu_layers":  # 0 and -1 mean: as the model says
        return
    if flag.field == "gpu_layers" and _numeric(value) and float(value) < 0:
        value = ALL_LAYERS
    try:
        checked = ObservationRequest.model_validate({flag.field: _typed(value)})
    except ValidationError:
        raise BadInput("flags", f"{name} {value[:60]} cannot be read.", "Paste the command as it was run.") from None
    yield flag.field, getattr(checked, flag.field)


def _typed(value: str) -> Scalar:
    if re.fullmatch(r"-?\d{1,18}", value):
        return int(value)
    if re.fullmatch(r"-?\d{1,18}\.\d{1,12}", value):
        return float(value)
    return value


def _positional(words: list[str], program: Program) -> dict[str, Any]:
    """The model after `vllm serve` or `ollama run`."""
    for place, word in enumerate(words[:-1]):
        if word in ("serve", "run") and not words[place + 1].startswith("-"):
            return {str(program.positional): words[place + 1]}
    return {}


def _named(model: str) -> dict[str, Any]:
    """The model and format that a path, a repository or an Ollama tag names; nothing where none is known."""
    tail = re.sub(r"\.(?:gguf|bin|safetensors)$", "", model.rstrip("/").split("/")[-1])
    for name in dict.fromkeys((model, tail, tail.replace(":", " "))):
        try:
            read = read_model(name)
        except AdvisorError:
            continue
        return {"model": read.model} | ({"weight_format": read.weight_format} if read.weight_format else {})
    return {}
