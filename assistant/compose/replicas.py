"""Whether several copies fit the cards in hand, and what keeps a service up when one machine fails."""

from assistant.compose import names, numbers
from assistant.compose.arithmetic import cite
from assistant.compose.material import Material
from assistant.compose.orders import cards_of, in_hand
from assistant.compose.section import Section
from assistant.plan import replicas as planned
from assistant.plan import requests

SERVED = {"recommendation", "fits", "fits_with_changes", "estimate"}
"""Verdicts beside which a machine more is of use."""


def lead(material: Material, main: Section) -> None:
    """Say whether each copy fits its share; beside hardware for a service that it takes one machine more."""
    if told := _copies(material):
        main.body.insert(0, told)
    best = next((one for one in material.configurations if not in_hand(one)), None)
    if best is None or main.verdict not in SERVED or not planned.one_more(material.text):
        return
    if requests.is_training(material.need):
        return
    key = "replicas.spare" if best.data_parallel > 1 and best.nodes > 1 else "replicas.twice"
    main.body.insert(0, material.say(key, cards=cards_of(best)))


def _copies(material: Material) -> str:
    count = planned.wanted(material.text)
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
