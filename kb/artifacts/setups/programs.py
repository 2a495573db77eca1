"""Which program a command starts, and where its own words begin."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from kb.artifacts.setups.shell import Word
from kb.catalog import load_yaml

_BEFORE = {"sudo", "nohup", "time", "exec", "env", "stdbuf", "unbuffer", "nice", "ionice", "setsid", "-u", "-E", "uv",
           "run", "uvx", "poetry", "conda", "--no-capture-output", "command"}  # fmt: skip
"""Words that may stand before a program and do not change what it is."""
_PYTHON = re.compile(r"(?:.*/)?(?:pypy|python)(?:3(?:\.\d+)?)?(?:\.exe)?")
_MEGATRON = ("--tensor-model-parallel-size", "--micro-batch-size", "--num-layers", "--pipeline-model-parallel-size")
_TRAINS = ("--per_device_train_batch_size", "--output_dir", "--gradient_accumulation_steps", "--model_name_or_path",
           "--num_train_epochs", "--deepspeed", "--lora_r", "--learning_rate")  # fmt: skip


class Started(NamedTuple):
    """A program and the index of the first word that is its own."""

    program: str
    at: int
    launches: bool = False


@lru_cache(maxsize=1)
def _known() -> dict[str, Any]:
    return dict(load_yaml(Path(__file__).parent / "known" / "programs.yaml"))


@lru_cache(maxsize=1)
def _starts() -> list[tuple[tuple[str, ...], str]]:
    found = [(tuple(words), name) for name, row in _known().items() for words in row.get("starts", ())]
    return sorted(found, key=lambda one: -len(one[0]))


def started(words: Sequence[Word]) -> Started | None:
    """The program of a command; None where it is none that is known."""
    at = 0
    while at < len(words) and (words[at].text in _BEFORE or _is_numactl(words, at)):
        at += 1
    if at >= len(words):
        return None
    texts = [one.text for one in words[at : at + 4]]
    head = texts[0].replace("\\", "/").rsplit("/", 1)[-1]
    for start, name in _starts():
        if head == start[0] and tuple(texts[1 : len(start)]) == start[1:]:
            if start == ("server",) and not any(one.text in {"-m", "-hf", "--model"} for one in words):
                continue
            return Started(name, at + len(start), bool(_known()[name].get("launches")))
    if _PYTHON.fullmatch(texts[0]):
        return _python(words, at + 1)
    if texts[0].endswith(".py"):
        return Started(_script(words[at:]), at + 1)
    return None


def of_image(image: str) -> str | None:
    """The program whose entry point an image has."""
    for name, row in _known().items():
        if any(part in image for part in row.get("image", ())):
            return name
    return None


def _is_numactl(words: Sequence[Word], at: int) -> bool:
    """numactl and its options."""
    texts = [one.text for one in words[: at + 1]]
    return texts[0] == "numactl" and (at == 0 or texts[at].startswith("-"))


def _python(words: Sequence[Word], at: int) -> Started | None:
    while at < len(words) and words[at].text in {"-u", "-O", "-X", "-W"}:
        at += 1
    if at >= len(words):
        return None
    if words[at].text == "-m" and at + 1 < len(words):
        module = words[at + 1].text
        for name, row in _known().items():
            if module in row.get("module", ()):
                return Started(name, at + 2, bool(row.get("launches")))
        return Started(_script(words[at:]), at + 2) if _script(words[at:]) != "script" else None
    return Started(_script(words[at:]), at + 1) if words[at].text.endswith(".py") else None


def _script(words: Sequence[Word]) -> str:
    """What a Python script's options say it is: a Megatron training, a Trainer's, or any."""
    heads = {one.text.partition("=")[0] for one in words if not one.quoted}
    if len(heads & set(_MEGATRON)) >= 2:
        return "megatron"
    if "--stage" in heads and heads & {"--finetuning_type", "--template", "--lora_target"}:
        return "llamafactory"
    return "trainer" if len(heads & set(_TRAINS)) >= 2 else "script"
