"""What an expert expects of an answer, and whether one meets it: expectations are data, arithmetic is the tools'."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parents[1] / "cases"
FILES = (
    "questions.yaml",
    "questions_dialogue.yaml",
    "questions_asked.yaml",
    "questions_last.yaml",
    "questions_fresh.yaml",
    "questions_sizing.yaml",
    "questions_money.yaml",
    "questions_beyond.yaml",
    "questions_scored.yaml",
)
NEAR = 0.08
"""How far a total may be from the one that the expected request gives."""
NEAR_UNPLACED = 0.25
"""The same where the expectation names no card: what is spread over cards holds a workspace on each."""
NEGATIVE = {"does_not_fit", "fits_with_changes"}
TRAINING = {"full_finetune", "pretrain", "lora", "qlora"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """How one answer fares; None = not expected of it."""

    right: int
    wanted: int
    intent: bool | None
    verdict: bool | None
    """Verdict, key figure, and what must be said."""
    tools: bool | None
    clarify: bool | None
    forbidden: bool
    """Whether something is said that is wrong to say."""
    wrong: tuple[str, ...]


def load(files: tuple[str, ...] = FILES) -> list[dict[str, Any]]:
    """Every case of `files` that exist."""
    found = (CASES / name for name in files)
    return [case for path in found if path.exists() for case in yaml.safe_load(path.read_text(encoding="utf-8"))]


def turns(case: dict[str, Any]) -> list[str]:
    """What is asked, turn by turn."""
    return case.get("turns") or [case["q"]]


def language(case: dict[str, Any]) -> str:
    """The language of the case; conversations without one are told by their script."""
    return case.get("lang") or ("zh" if re.search(r"[一-鿿]", turns(case)[0]) else "en")


def judge(case: dict[str, Any], read: Any, answer: Any) -> Judgement:
    """Hold the reading and the answer against the case."""
    wrong = [*_slots(case, read)]
    wanted = len(case.get("need", {})) + len(case.get("cards", {}))
    right = wanted - len(wrong)
    intent = _intent(case, read)
    verdict_problems = [
        *_verdict(case, answer),
        *_memory(case, answer),
        *_within(case, answer),
        *_among(case, answer),
        *_counts(case, answer),
        *_said(case, answer),
    ]
    checked = {"verdict", "memory", "total_gb", "some_gb", "counts", "says", "out_of_scope"} & set(case)
    missing = [name for name in case.get("tools", ()) if name not in {call.tool for call in answer.tool_calls}]
    clarify = None if "clarify" not in case else bool(answer.clarifying_questions) == case["clarify"]
    forbidden = "never" in case and re.search(case["never"], answer.answer) is not None
    return Judgement(
        right=right,
        wanted=wanted,
        intent=intent,
        verdict=not verdict_problems if checked else None,
        tools=not missing if "tools" in case else None,
        clarify=clarify,
        forbidden=forbidden,
        wrong=(
            *wrong,
            *([f"intent: {read.need.intent}, not {case['intent']}"] if intent is False else []),
            *verdict_problems,
            *(f"not called: {name}" for name in missing),
            *(["clarify"] if clarify is False else []),
            *([f"says what it must not: {case['never']}"] if forbidden else []),
        ),
    )


def _intent(case: dict[str, Any], read: Any) -> bool | None:
    if "intent" not in case:
        return None
    return read.need.intent in (case["intent"] if isinstance(case["intent"], list) else [case["intent"]])


def _slots(case: dict[str, Any], read: Any) -> list[str]:
    problems = []
    for slot, wanted in case.get("need", {}).items():
        got = slot_of(read, slot)
        if not same(slot, wanted, got):
            problems.append(f"{slot}: {got}, not {wanted}")
    for name, count in case.get("cards", {}).items():
        if not _has_card(read.need, name, count):
            cards = {card.gpu: card.count for card in (*read.need.gpus_proposed, *read.need.gpus_owned)}
            problems.append(f"cards: {cards} {list(read.need.gpus_asked)}, not {name}: {count}")
    return problems


def slot_of(read: Any, slot: str) -> Any:
    """The slot as cases write it."""
    from kb.units import GIB

    need = read.need
    if slot == "gpus_owned":
        return {card.gpu: card.count for card in need.gpus_owned}
    if slot == "gpus_asked":
        return sorted(need.gpus_asked)
    if slot == "memory_gib":
        return (need.memory_bytes_per_gpu or 0) / GIB
    if slot == "host_memory_gib":
        return (need.host_memory_bytes or 0) / GIB
    if slot == "budget":
        return need.budget and [need.budget.amount, need.budget.currency, need.budget.mode]
    return getattr(need, slot)


def same(slot: str, wanted: Any, got: Any) -> bool:
    """Whether a slot holds what the case says."""
    from kb.catalog import gpu

    if slot == "gpus_owned":
        return bool(got == {gpu(name).id: cards for name, cards in wanted.items()})
    if slot == "gpus_asked":
        return bool(got == sorted(gpu(name).id for name in wanted))
    if slot == "model":
        return wanted is not None and _plain(wanted) in _plain(got)
    if slot == "params" and isinstance(got, int) and wanted:
        return abs(got - wanted) <= 0.06 * wanted
    return bool(got == wanted)


def _plain(value: object) -> str:
    return re.sub(r"[^a-z0-9.]", "", str(value).lower())


def _has_card(need: Any, name: str, count: int | None) -> bool:
    """Owned or asked about, in the number said; one is what is meant where nothing is said."""
    from kb.base import AmbiguousName
    from kb.catalog import gpu

    try:
        keys: tuple[str, ...] = (gpu(name).id,)
    except AmbiguousName as several:
        keys = tuple(several.candidates)
    counts = [card.count or 1 for card in (*need.gpus_owned, *need.gpus_proposed) if card.gpu in keys]
    counts += [1] * any(key in need.gpus_asked for key in keys)
    return bool(counts) and (count is None or count in counts)


def _verdict(case: dict[str, Any], answer: Any) -> list[str]:
    if case.get("out_of_scope") is True and answer.verdict != "out_of_scope":
        return [f"verdict: {answer.verdict}, not out_of_scope"]
    if case.get("out_of_scope") is False and answer.verdict == "out_of_scope":
        return ["verdict: out_of_scope"]
    wanted = case.get("verdict")
    return [f"verdict: {answer.verdict}, not one of {wanted}"] if wanted and answer.verdict not in wanted else []


def _memory(case: dict[str, Any], answer: Any) -> list[str]:
    """The total of the expected request is among the answer's, and its fit is the verdict."""
    if "memory" not in case:
        return []
    expected = _estimated(case["memory"])
    total, near = _total(expected), NEAR if "gpu" in case["memory"] else NEAR_UNPLACED
    found = [_total(call.result) for call in _estimates(answer)]
    problems = []
    if not any(abs(one - total) <= near * total for one in found):
        problems.append(f"memory: {[round(one / 1e9, 1) for one in found]}, not {total / 1e9:.1f} GB")
    if fit := expected.get("fit"):
        negative = answer.verdict in NEGATIVE
        if fit["verdict"] == "no" and answer.verdict == "fits":
            problems.append("verdict: fits, though it does not")
        if fit["verdict"] == "yes" and negative:
            problems.append(f"verdict: {answer.verdict}, though it fits")
    return problems


def _within(case: dict[str, Any], answer: Any) -> list[str]:
    """The first estimate's total over all cards lies in the range that an expert gave, in gigabytes."""
    if "total_gb" not in case:
        return []
    low, high = case["total_gb"]
    found = [_total(call.result) / 1e9 for call in _estimates(answer)]
    return (
        []
        if found and low <= found[0] <= high
        else [f"memory: {[round(one, 1) for one in found]}, not {low}–{high} GB"]
    )


def _among(case: dict[str, Any], answer: Any) -> list[str]:
    """The total over all cards of one of the estimates lies in the range that an expert gave, in gigabytes."""
    if "some_gb" not in case:
        return []
    low, high = case["some_gb"]
    found = [round(_total(call.result) / 1e9, 1) for call in _estimates(answer)]
    return [] if any(low <= one <= high for one in found) else [f"memory: {found}, none of them {low}–{high} GB"]


def _counts(case: dict[str, Any], answer: Any) -> list[str]:
    """For every card named, one of the counts of it that the answer gives lies in the range."""
    from kb.catalog import gpu

    said = [(configuration.gpu, configuration.gpu_count) for configuration in answer.configurations]
    for call in answer.tool_calls:
        said += [(one.get("gpu"), one.get("count")) for one in call.result.get("minimum_gpus") or ()]
    problems = []
    for name, (low, high) in case.get("counts", {}).items():
        counts = sorted(count for key, count in said if key == gpu(name).id and count)
        if not any(low <= count <= high for count in counts):
            problems.append(f"counts: {name} {counts}, not {low}–{high}")
    return problems


def _estimates(answer: Any) -> list[Any]:
    return [call for call in answer.tool_calls if call.tool == "estimate_memory" and "per_gpu" in call.result]


def _estimated(request: dict[str, Any]) -> dict[str, Any]:
    """The result of the expected request, `cards` spread as one would."""
    from assistant.plan.layout import serving_layout, training_layout
    from kb.catalog import gpu
    from tools.registry import tool

    request = {"task": "inference", **request}
    cards = request.pop("cards", 1)
    if "gpu" in request:
        request["gpu"] = gpu(request["gpu"]).id
    if request["task"] in TRAINING:
        request |= training_layout(request["task"], cards, request.get("sharding"))
    else:
        request |= serving_layout(cards)
    return tool("estimate_memory").call(request).model_dump(mode="json")


def _total(result: dict[str, Any]) -> float:
    return float(result["per_gpu"]["total_bytes"] * (result.get("gpus") or 1))


def _said(case: dict[str, Any], answer: Any) -> list[str]:
    wanted = case.get("says")
    return [f"does not say: {wanted}"] if wanted and not re.search(wanted, answer.answer) else []
