"""Which of two ways to shard a training: "ZeRO-2 or ZeRO-3 for a full fine-tune of a 13B on four A100s?"."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import Need

_STAGES = re.compile(
    r"(?:zero|stage)[-_ ]?(?:stage[-_ ]?)?(?P<a>[123])"
    r"(?:\s?(?:/|、|or|vs\.?|versus|还是|和|与|,)\s?(?P<b>[123])(?![\d.bB]))?"
    r"|(?P<fsdp>fsdp2?)(?![a-z])|(?P<ddp>(?<![a-z])ddp(?![a-z]))",
    re.I,
)
_CHOICE = re.compile(
    r"\bor\b|\bvs\.?\b|versus|which|better|/|还是|哪个|哪种|选|区别|差别|比|换|改|switch|instead", re.I
)
ORDER = ("ddp", "zero1", "zero2", "zero3", "fsdp")
"""From the least sharded, which exchanges least, to the most."""


def stages(text: str) -> tuple[str, ...]:
    """The ways to shard that are named, the least sharded first."""
    found = set()
    for match in _STAGES.finditer(text):
        found |= {f"zero{match[name]}" for name in ("a", "b") if match[name]}
        found |= {name for name in ("fsdp", "ddp") if match[name]}
    return tuple(name for name in ORDER if name in found)


def asked(understanding: Understanding) -> bool:
    """Whether one of two ways to shard is to be chosen, for a language model on several known cards."""
    need, text = understanding.need, understanding.text
    card = next(iter(requests.cards(need)), None)
    known = requests.sized(need) and model_kind(need) in ("llm", "vlm", None) and card is not None
    several = ((card.count if card else None) or 1) > 1
    chosen = len(stages(text)) == 2 and _CHOICE.search(text) is not None
    return known and several and chosen and requests.is_training(need) and not understanding.error_text


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory and the rate of each."""
    card = next(iter(requests.cards(need)), None)
    each = [need.model_copy(update={"sharding": name}) for name in stages(understanding.text)]
    return [*(requests.memory(one, card) for one in each), *(requests.training_time(one, card) for one in each)]
