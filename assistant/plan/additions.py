"""Which card to put beside the one in hand: "I have a 3090, should I add a 4090 or a second 3090?"."""

import re
from dataclasses import dataclass

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.in_numbers import USUAL
from assistant.plan.provisional import provisional
from assistant.plan.ways import rents
from assistant.understand.text import Text
from assistant.understanding import Understanding
from kb.catalog import conventional, gpu, gpus
from kb.naming.names import gpu_names
from tools.need import GpuCount, Need

FOUR_BIT_BYTES = 0.62
"""Bytes a parameter takes in a file of four bits: by it the model is chosen where none was named."""
FILE, SERVED = "gguf:Q4_K_M", "awq"
"""Four bits as unlike cards read them, layer after layer, and as equal cards do that share each layer."""
_HELD = re.compile(
    r"(?:\b(?:have|own|got|has|my|existing|running)\b|已?有|手上|手里|现有|家里|目前是?)"
    r"(?:\s?(?:是|有|an?|one|a single|already|一|1)){0,2}"
    r"\s?[张块]?\s?(?:used |old |single )?(?:rtx |nvidia |geforce )?$"
)
_ADDS = re.compile(
    r"\b(?:add(?:ing)?|buy(?:ing)?|get(?:ting)?|second|another|put(?:ting)? in)\b"
    r"|[再又]?[加添买入配补](?:上|一|张|个)?|第二张"
)
_OR = re.compile(r"\b(?:or|vs\.?|versus)\b|还是|或者?|哪[张个种]")


@dataclass(frozen=True, slots=True)
class Choice:
    """A card to add, and all the cards there are then."""

    added: str
    cards: tuple[GpuCount, ...]


def asked(understanding: Understanding) -> bool:
    """Whether one of several cards is to be put beside one in hand, for language models."""
    need = provisional(understanding)
    if understanding.error_text or understanding.command or rents(understanding.text) or need.budget is not None:
        return False
    if requests.is_training(need) or model_kind(need) not in ("llm", "vlm", None):
        return False
    return len(choices(understanding.text)) > 1


def choices(text: str) -> list[Choice]:
    """What each card to choose from makes of the one in hand; empty where no such choice is put."""
    plain = Text.of(text).plain
    if not _OR.search(plain):
        return []
    own: str | None = None
    found: list[str] = []
    end = 0
    for mention in gpu_names().scan(plain):
        card = mention.ids[0] if len(mention.ids) == 1 else conventional(mention.ids)
        if own is None:
            if not _HELD.search(plain[: mention.start]):
                return []
            own = card
        elif found or _ADDS.search(plain[end : mention.start]):
            found.append(card)
        end = mention.end
    kinds = dict.fromkeys(found)
    if own is None or len(kinds) < 2 or any(gpus()[key].market in ("laptop", "apu") for key in (own, *kinds)):
        return []
    return [Choice(key, _together(own, key)) for key in kinds]


def _together(own: str, added: str) -> tuple[GpuCount, ...]:
    if own == added:
        return (GpuCount(gpu=own, count=2),)
    return GpuCount(gpu=own, count=1), GpuCount(gpu=added, count=1)


def sized(need: Need, found: list[Choice]) -> Need:
    """The need with the largest usual model that one of the choices holds in four bits, where none was named."""
    if requests.sized(need):
        return need
    room = max(sum((card.count or 1) * gpu(card.gpu).usable_bytes for card in one.cards) for one in found)
    size = next((one for one in USUAL if one * FOUR_BIT_BYTES <= room), USUAL[-1])
    return need.model_copy(update={"task": "inference", "params": size})


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """What the cards do together with each choice, and what each card is and costs."""
    found = choices(understanding.text)
    wanted = sized(need, found)
    bare = {"gpus_asked": (), "gpus_proposed": (), "acquisition": None, "intent": "can_it_run"}
    wanted = wanted.model_copy(update=bare)
    held = [
        requests.configure(
            wanted, gpus_owned=one.cards, with_frontier=False,
            weight_format=need.weight_format or (FILE if len(one.cards) > 1 else SERVED),
        )
        for one in found
    ]  # fmt: skip
    names = tuple(dict.fromkeys((*(card.gpu for one in found for card in one.cards),)))
    return [*held, requests.gpu_facts(need, names=names)]
