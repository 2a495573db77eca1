"""Whether several copies fit the cards in hand, and what keeps a service up when one machine fails."""

from assistant.answer import AnswerVerdict
from assistant.compose import names, numbers
from assistant.compose.arithmetic import cite, workload
from assistant.compose.material import Material
from assistant.compose.orders import cards_of, in_hand
from assistant.compose.section import Section
from assistant.plan import copied, requests
from assistant.plan import replicas as planned
from kb.units import GIB

SERVED = {"recommendation", "fits", "fits_with_changes", "estimate"}
"""Verdicts beside which a machine more is of use."""


def lead(material: Material, main: Section) -> None:
    """Say whether each copy fits its share; beside hardware for a service that it takes one machine more."""
    if copied.asked(material.understanding):
        return
    if shared := _on_one_card(material):
        main.headline, main.verdict = shared
    elif told := _copies(material):
        main.body.insert(0, told)
    best = next((one for one in material.configurations if not in_hand(one)), None)
    if best is None or main.verdict not in SERVED or not planned.one_more(material.text):
        return
    if requests.is_training(material.need):
        return
    key = "replicas.spare" if best.data_parallel > 1 and best.nodes > 1 else "replicas.twice"
    main.body.insert(0, material.say(key, cards=cards_of(best)))


def _on_one_card(material: Material) -> tuple[str, AnswerVerdict] | None:
    """Whether several copies fit the same card: their sum against what is usable; None where each has cards alone."""
    count = planned.on_one_card(material.need, material.understanding)
    call = next(iter(planned.calls(material.need, material.understanding)), None)
    if count < 2 or call is None:
        return None
    one = next((each for each in material.estimates if each.request == call.request), None)
    if one is None or one.fit is None:
        return None
    size = round(one.result.per_gpu.total_bytes / GIB, 1)
    fits = count * one.result.per_gpu.total_bytes <= one.fit.usable_bytes
    text = material.say(
        "replicas.share" if fits else "replicas.no_share",
        count=count,
        what=workload(material, one).strip(),
        cards=names.cards(one.fit.gpu, 1),
        sum=" + ".join(f"{size:,.1f} GiB" for _ in range(count)) + f" = {count * size:,.1f} GiB",
        usable=numbers.gib(one.fit.usable_bytes, digits=1),
    )
    return text + cite(material, one), "fits" if fits else "does_not_fit"


def _copies(material: Material) -> str:
    count = material.need.copies
    call = next(iter(planned.calls(material.need, material.understanding)), None)
    if count is None or call is None:
        return ""
    one = next((each for each in material.estimates if each.request == call.request), None)
    if one is None or one.fit is None:
        return ""
    key = "replicas.fit" if one.fits else "replicas.no"
    return material.say(
        key,
        count=count,
        cards=names.cards(one.fit.gpu, one.gpus),
        total=numbers.gib(one.result.per_gpu.total_bytes, digits=1),
        usable=numbers.gib(one.fit.usable_bytes, digits=1),
    ) + cite(material, one)
