"""A cause in the words of its fact, with checks and settings written for the program and the card at hand."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kb.observation import CauseFact, observation_facts
from kb.programs.engines import of_huggingface
from kb.programs.software import features
from kb.programs.vendor_tools import in_tools_of
from tools.observation.result import CauseBasis, Check, ObservedCause, Range, Words
from tools.observation.setup import Setup

PLAIN_FP8 = re.compile(r"--kv-cache-dtype fp8(?!_)")
FP8 = ("fp8", "mxfp8")
"""Formats of weights beside which vLLM refuses E5M2."""


def told(
    fact: CauseFact, setup: Setup, basis: CauseBasis, *, share: float | None = None, under: Range | None = None,
    change: Mapping[str, Any] | None = None, after: Range | None = None,
) -> ObservedCause:  # fmt: skip
    """A cause in the words of its fact, its fix written for the program at hand."""
    setting, check = _of_program(fact.settings, setup), _of_program(fact.checks, setup) or fact.check
    if setting:
        setting = in_cache_of(setup, setting.format_map(_filled(setup, change or {})))
    maker = setup.card.vendor if setup.card else None

    def words(en: str, zh: str) -> Words:
        return Words(en=in_tools_of(maker, en), zh=in_tools_of(maker, zh))

    seen = words(fact.look_for, fact.look_for_zh)
    return ObservedCause(
        id=fact.id, name=Words(en=fact.name, zh=fact.name_zh), what=words(fact.what, fact.what_zh), basis=basis,
        share_ratio=None if share is None else round(share, 3), expected=under, change=_told_fields(change or {}),
        check=Check(command=in_tools_of(maker, check), look_for=seen.en, look_for_zh=seen.zh),
        fix=words(fact.fix, fact.fix_zh), setting=in_tools_of(maker, setting) if setting else setting,
        figure_after=after,
    )  # fmt: skip


def in_cache_of(setup: Setup, setting: str) -> str:
    """A setting with vLLM's FP8 cache as the card stores it: E5M2 where it has no units for FP8, which vLLM refuses
    beside FP8 weights."""
    card = setup.card
    if card is None or setup.engine != "vllm" or card.vendor != "NVIDIA" or (setup.weight_format or "") in FP8:
        return setting
    rule = features()["fp8_kv_cache"].rule(card)
    stored = rule is not None and rule.verdict == "works_with"
    return PLAIN_FP8.sub("--kv-cache-dtype fp8_e5m2", setting) if stored else setting


def _of_program(written: Mapping[str, str], setup: Setup) -> str | None:
    """What stands for the program as it was said, for the one it is reckoned as, or for any.

    A program whose settings are named otherwise is never given those of the engine that stands for it.
    """
    said = setup.said_program
    own = setup.stood_in is not None and setup.stood_in.own_settings
    engines = () if own else (setup.program, setup.engine)
    family = "huggingface" if not said or said in of_huggingface() else ""
    names = (said, said.replace(" ", "-"), *engines, family, setup.kind, "any")
    return next((written[name] for name in names if name and name in written), None)


class _Filled(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "…"


def _filled(setup: Setup, change: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: value for name, value in setup.request.model_dump().items() if value is not None}
    return _Filled(
        known | {name: value for name, value in change.items() if value is not None} | {"cards": setup.cards}
    )


def _told_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as plain values: cards as they are counted."""
    counted = {
        name: " + ".join(f"{one.count} x {one.gpu}" for one in value) if name == "cards" else value
        for name, value in fields.items()
    }
    return {name: value for name, value in counted.items() if value is None or isinstance(value, str | int | float)}


def known(ids: Iterable[str], setup: Setup, basis: CauseBasis) -> list[ObservedCause]:
    """Causes by id, told without an estimate."""
    every = observation_facts().causes
    return [told(every[key], setup, basis) for key in ids if key in every]
