"""What a language model may do: drive, which is to call tools and write, or only read."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kb.model_choice import ModelTrial, read_models
from kb.settings import Settings, are_set

if TYPE_CHECKING:
    from assistant.llm.choosing.finding import Found

Role = Literal["drive", "read"]
SMALL_PARAMS = 8e9
"""Models up to this size are not trusted to drive untried."""
SIZE = re.compile(r"(?<![a-z0-9.])(?:e|(?P<experts>\d{1,3})x)?(?P<count>\d{1,4}(?:\.\d+)?)(?P<unit>[bmt])(?![a-z0-9])")
"""A size in a model's name: `8b`, `0.6B`, `8x7b`, `270m`, `E4B`; the active size of `30b-a3b` is none."""
UNITS = {"m": 1e6, "b": 1e9, "t": 1e12}


def role(options: Settings, home: Path) -> Role:
    """What the model of the settings may do.

    `auto`: one that passed the ten questions drives, one that failed them reads. One that was never tried drives,
    since the person named it, unless its name says that it is small.
    """
    if options.llm_role != "auto":
        return options.llm_role
    if options.llm is None:
        return "read"
    trial = read_models(home).trial(options.llm, options.llm_base_url)
    if trial is not None:
        return "drive" if trial.passed else "read"
    return "read" if is_small(options.llm) else "drive"


def is_small(name: str) -> bool:
    """Whether a model's name says that it has 8 billion parameters or fewer; the `local` default has."""
    size = params_of(name)
    return name == "local" or (size is not None and size <= SMALL_PARAMS)


def params_of(name: str) -> float | None:
    """Parameters by a model's name, the largest where it names several; None where it names none."""
    model = name.partition(":")[2] if name.startswith("local:") else name
    last = re.split(r"[\\/]", model)[-1].lower()
    sizes = [float(found["count"]) * UNITS[found["unit"]] * int(found["experts"] or 1) for found in SIZE.finditer(last)]
    return max(sizes, default=None)


def standing(options: Settings, home: Path, found: "Sequence[Found]") -> str:
    """What the start of a server says of language models, in one line.

    Args:
        options: the settings.
        home: where choices and trials are kept.
        found: what there is, asked for only where none is chosen.
    """
    if options.llm is None:
        if not found:
            return "No language model was found; the planner answers. `gpu-advisor model` says how to add one."
        names = ", ".join(_shown(one) for one in found[:4]) + (", …" if len(found) > 4 else "")
        return f"No language model is chosen; the planner answers. Found: {names} (gpu-advisor model choose NAME)"
    models = read_models(home)
    chosen = models.chosen
    name = chosen.name if chosen and (chosen.llm, chosen.base_url) == (options.llm, options.llm_base_url) else None
    where = f" at {options.llm_base_url}" if options.llm_base_url else ""
    does = "drives" if role(options, home) == "drive" else "only reads; the planner answers"
    missing = (
        f" {chosen.key_variable} is not set: it cannot be asked."
        if name and chosen and chosen.key_variable and not are_set([chosen.key_variable])
        else ""
    )
    said = _tried(models.trial(options.llm, options.llm_base_url))
    return f"Language model: {name or options.llm}{where}, {said}: it {does}.{missing}"


def _tried(trial: ModelTrial | None) -> str:
    if trial is None:
        return "not tried yet (gpu-advisor model try)"
    return f"{'passed' if trial.passed else 'failed'} with {trial.right} of {trial.of} questions on {trial.day}"


def _shown(found: "Found") -> str:
    return f"a key in {found.key_variable}" if found.kind == "key" else found.name
