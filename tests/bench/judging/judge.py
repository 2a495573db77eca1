"""Which rule speaks to a claim, and which rulings say the same as an expert's verdict."""

from judging.cards import (
    by_architecture,
    by_field,
    by_generation,
    by_line_up,
    by_nvlink,
    by_precisions,
)
from judging.groups import GROUPS
from judging.machines import by_machine
from judging.offers import by_existence, by_instance
from judging.ruling import Ruling
from judging.software import by_model, by_software

from kb.base import AdvisorError, UnknownName

RIGHT: dict[str, set[str]] = {
    "true": {"holds"},
    "false": {"contradicted", "unsupported"},
    "misleading": {"partly", "contradicted", "outdated"},
    "outdated": {"outdated", "contradicted"},
    "unsupported": {"unsupported", "contradicted"},
    "opinion": {"holds", "partly", "outdated", "unknown"},
}
"""Verdict of a claim → rulings that say the same of it."""


def by_group(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Claims about kinds of things."""
    for rule in GROUPS:
        ruling = rule(subject, attribute, value)
        if ruling is not None:
            return ruling
    return None


RULES = (
    by_group, by_generation, by_existence, by_machine, by_nvlink, by_precisions, by_line_up, by_software, by_instance,
    by_model, by_field, by_architecture,
)  # fmt: skip


def judge(subject: str, attribute: str, value: str, claim: str = "") -> Ruling:
    """Rule on one claim; `claim` is the sentence, for claims about a whole line-up."""
    attribute = attribute.strip().lower()
    try:
        for rule in RULES:
            ruling = rule(subject.strip(), attribute, value.strip(), claim)
            if ruling is not None:
                return ruling
    except UnknownName as unknown:
        return Ruling("unsupported", str(unknown))
    except AdvisorError as error:
        return Ruling("unknown", str(error))
    return Ruling("unknown", "no tool asks this")
