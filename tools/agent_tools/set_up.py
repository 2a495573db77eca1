"""A set-up that was pasted, checked, as a model reads it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from kb.artifacts.setups.read import read_setup
from kb.base import AdvisorError
from kb.lexicon.models.rules import read_model
from tools.agent_tools import reading
from tools.agent_tools.desk import Desk
from tools.check_setup.rulebook import rules
from tools.observation.said.loaded import was_loaded

FINDINGS_MAX = 8
CORRECTED_MAX = 4_000
SAID = {"stops": "stops", "wrong": "runs_wrong", "waste": "wasteful"}
"""Severity of a finding → the verdict of a set-up whose worst it is."""


def findings(
    desk: Desk, text: str | None, cards: str | None, model: str | None, log: str | None = None
) -> dict[str, Any] | None:
    """What check_setup finds wrong with it; None where the text sets nothing up, or nothing is wrong.

    Where a `log` shows weights that were loaded, no estimate says that they cannot be.
    """
    if not text or not read_setup(text).units:
        return None
    asked = {"text": text, "cards": reading.stated(reading.cards(cards)) or None, "model": _named(model)}
    result = desk.tried("check_setup", {name: value for name, value in asked.items() if value})
    if not result or not result.get("programs"):
        return None
    kept = result["findings"]
    if was_loaded(log):
        kept = [one for one in kept if not (one["severity"] == "stops" and one["rule"] in _by_room())]
    rows = [
        {
            "line": one["line"], "severity": one["severity"], "quote": one["quote"], "why": one["why"]["en"],
            "fix": one["fix"]["en"], "corrected": one["corrected"],
        }
        for one in kept[:FINDINGS_MAX]
    ]  # fmt: skip
    corrected = result.get("corrected_text") if len(kept) == len(result["findings"]) else None
    verdict = result["verdict"] if corrected or kept == result["findings"] else _verdict(kept)
    told = {"verdict": verdict, "findings": rows, "rules_checked": result["rules_checked"]}
    return told | ({"corrected": corrected} if corrected and len(corrected) <= CORRECTED_MAX else {})


@lru_cache(maxsize=1)
def _by_room() -> frozenset[str]:
    """Rules that rest on an estimate of the weights alone."""
    return frozenset(rule.id for rule in rules() if "room.weights > room.usable" in str(rule.when))


def _verdict(kept: Sequence[Mapping[str, Any]]) -> str:
    """The worst of the findings that are left."""
    worst = {one["severity"] for one in kept}
    return next((said for name, said in SAID.items() if name in worst), "clean")


def _named(model: str | None) -> str | None:
    try:
        return read_model(model).model if model else None
    except AdvisorError:
        return None
