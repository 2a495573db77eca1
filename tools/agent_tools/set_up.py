"""A set-up that was pasted, checked, as a model reads it."""

from typing import Any

from kb.artifacts.setups.read import read_setup
from kb.base import AdvisorError
from kb.lexicon.models.rules import read_model
from tools.agent_tools import reading
from tools.agent_tools.desk import Desk

FINDINGS_MAX = 8
CORRECTED_MAX = 4_000


def findings(desk: Desk, text: str | None, cards: str | None, model: str | None) -> dict[str, Any] | None:
    """What check_setup finds wrong with it; None where the text sets nothing up, or nothing is wrong."""
    if not text or not read_setup(text).units:
        return None
    asked = {"text": text, "cards": reading.stated(reading.cards(cards)) or None, "model": _named(model)}
    result = desk.tried("check_setup", {name: value for name, value in asked.items() if value})
    if not result or not result.get("programs"):
        return None
    rows = [
        {
            "line": one["line"], "severity": one["severity"], "quote": one["quote"], "why": one["why"]["en"],
            "fix": one["fix"]["en"], "corrected": one["corrected"],
        }
        for one in result["findings"][:FINDINGS_MAX]
    ]  # fmt: skip
    corrected = result.get("corrected_text")
    told = {"verdict": result["verdict"], "findings": rows, "rules_checked": result["rules_checked"]}
    return told | ({"corrected": corrected} if corrected and len(corrected) <= CORRECTED_MAX else {})


def _named(model: str | None) -> str | None:
    try:
        return read_model(model).model if model else None
    except AdvisorError:
        return None
