"""Whether settings are such as a program's release has: names, choices, numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from kb.artifacts.setups.options import Option, options

INNER: Mapping[str, Mapping[str, str | None]] = {
    "accelerate-config": {"fsdp_config": "accelerate-launch", "deepspeed_config": "accelerate-launch"},
    "axolotl": {"fsdp_config": "axolotl-fsdp"},
    "transformers": {"fsdp_config": "transformers-fsdp"},
    "trl": {"peft": "peft-lora", "bitsandbytes": "bitsandbytes", "model_init_kwargs": None,
            "fsdp_config": "transformers-fsdp"},
    "unsloth": {"from_pretrained": "unsloth-load", "get_peft_model": "unsloth-adapt"},
}  # fmt: skip
"""Settings that hold those of another program, by the program; null = anybody's."""
AUTO = "auto"
"""What stands where a number is filled in by the program that reads the file."""


class Refusal(NamedTuple):
    """A setting that the release does not take."""

    program: str
    name: str
    value: Any
    why: Literal["unknown", "choice", "number"]


def refused(program: str, settings: Mapping[str, Any], before: str = "") -> Iterator[Refusal]:
    """Every setting that the program's release refuses; a nested one is named by its path with underscores.

    Says nothing of values that depend on each other, nor of a program whose options were not read.
    """
    table, inner = options(program), INNER.get(program, {})
    for written, value in settings.items():
        name = before + written.lstrip("-").replace("-", "_")
        if not before and written in inner:
            other = inner[written]
            if other is not None and isinstance(value, Mapping):
                yield from refused(other, value)
            continue
        if isinstance(value, Mapping) and any(one.startswith(name + "_") for one in table):
            yield from refused(program, value, name + "_")
            continue
        option = table.get(name)
        if option is None:
            yield Refusal(program, name, value, "unknown")
        elif (why := _wrong(option, value)) is not None:
            yield Refusal(program, name, value, why)


def _wrong(option: Option, value: Any) -> Literal["choice", "number"] | None:
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
        return None
    if option.choices and str(value) not in option.choices:
        return "choice"
    if not option.number or value == AUTO or value is None:
        return None
    try:
        whole = float(value) == int(float(value))
    except (TypeError, ValueError):
        return "number"
    return None if whole or option.number == "number" else "number"
