"""Names that nothing or several things bear, and the questions that an answer turns on."""

from assistant.compose import names
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.understanding import Ambiguity
from kb.catalog import gpus

DECISIVE_RATIO = 1.25
"""Variants of a card whose memory differs less than this are one card to most questions."""
QUESTIONS_MAX = 2
"""More questions than this is an interrogation."""


def unknown_names(material: Material) -> list[str]:
    """One sentence for each name the catalog does not know, with the closest real ones."""
    say, found = material.say, []
    for doubt in material.understanding.ambiguities:
        if not doubt.unknown:
            continue
        shown = {"gpu": names.gpu_name, "model": names.model_name}.get(doubt.kind, str)
        close = [shown(candidate) for candidate in doubt.candidates]
        key = "clarify.unknown_close" if close else "clarify.unknown"
        found.append(
            say(key, kind=say(f"kind.{doubt.kind}"), text=doubt.text, close=say.listed(close, conjunction="or"))
        )
    return found


def turns_on_unknown(material: Material) -> bool:
    """Whether a name that nothing bears leaves the question without its model or without its card."""
    unknown = {doubt.kind for doubt in material.understanding.ambiguities if doubt.unknown}
    without_model = "model" in unknown and not requests.sized(material.need)
    return without_model or ("gpu" in unknown and not requests.cards(material.need))


def ambiguous_names(material: Material) -> list[str]:
    """One sentence for each name several things bear, with all of them and the one assumed."""
    say, found = material.say, []
    for doubt in material.understanding.ambiguities:
        if doubt.unknown or len(doubt.candidates) < 2:
            continue
        shown = {"gpu": names.gpu_name, "model": names.model_name}.get(doubt.kind, str)
        candidates = [shown(candidate) for candidate in doubt.candidates]
        found.append(
            say(
                "clarify.ambiguous",
                text=doubt.text,
                chosen=candidates[0],
                candidates=say.listed(candidates, conjunction="or"),
            )
        )
    return found


def only_clarify(material: Material) -> Section:
    """Nothing can be computed: say what is missing, and ask."""
    unknown = unknown_names(material)
    headline = unknown[0] if unknown else material.say("clarify.need_more")
    return Section("clarification", headline, unknown[1:])


def _decisive(doubt: Ambiguity) -> bool:
    """Whether the candidates differ enough for the answer to turn on which is meant."""
    if doubt.unknown or doubt.kind != "gpu":
        return True
    sizes = [gpus()[candidate].memory_bytes for candidate in doubt.candidates if candidate in gpus()]
    return bool(sizes) and max(sizes) >= DECISIVE_RATIO * min(sizes)


def questions(material: Material) -> list[str]:
    """What the answer turns on and the asker did not say; at most two, most decisive first."""
    need, say, found = material.need, material.say, []
    intent = material.intents[0]
    found += [say("ask.which", text=doubt.text) for doubt in material.understanding.ambiguities if _decisive(doubt)]
    if intent == "what_fits":
        return found[:QUESTIONS_MAX]
    wants_workload = intent in _TURN_ON_WORKLOAD
    if wants_workload and not requests.sized(need):
        found.append(say("ask.model" if need.task or need.engine else "ask.workload"))
    shopping = intent in {"which_to_buy", "budget", "cloud_or_buy"}
    if shopping and need.budget is None and not requests.cards(need):
        found.append(say("ask.budget"))
    if intent in {"cloud_or_buy"} and need.deadline_s is None:
        found.append(say("ask.hours"))
    if need.users and need.concurrent_sequences is None:
        found.append(say("ask.concurrent"))
    if intent in {"min_vram", "how_many_gpus"} and need.task is None and requests.sized(need):
        found.append(say("ask.task"))
    if intent == "min_vram" and requests.sized(need) and need.weight_format is None and not requests.is_training(need):
        found.append(say("ask.format"))
    if intent == "concurrency" and need.context_tokens is None:
        found.append(say("ask.context"))
    if intent == "training_time" and need.dataset_tokens is None:
        found.append(say("ask.dataset"))
    return list(dict.fromkeys(found))[:QUESTIONS_MAX]


_TURN_ON_WORKLOAD = (
    "can_it_run",
    "how_many_gpus",
    "min_vram",
    "which_to_buy",
    "concurrency",
    "context_length",
    "budget",
    "cloud_or_buy",
    "speed",
    "training_time",
    "launch_files",
    "other",
    "guidance",
)
