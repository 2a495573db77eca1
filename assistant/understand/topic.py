"""Whether a turn begins another topic, or goes on with what was spoken of."""

from assistant.understand.parts import RETRIEVAL
from assistant.understand.text import grammar
from assistant.understand.turn import Reading
from assistant.understanding import Asked
from kb.catalog import models

_CUE = grammar(
    r"^\s*(?:and|but|so|ok(?:ay)?|then|also|plus|what about|how about|what if|if|actually|no|not"
    r"|instead|with|without|same|again|now|back|return|would|or|sorry|i mean\w{0,2}|make (?:it|that)|in that case"
    r"|(?:mostly|mainly|under|default|case is|it's|that's|the same)|让|那|如果|要是|换|改|加|再|还|其实"
    r"|不(?:要|是|用|对|行)|只(?:用|要|能)|呢|另外|假如|而且|但|可|主要|我(?:是|打算|有|用|说的是|的)"
    r"|显存是|预算|没装|二手|用)"
    r"|呢\s*[?。]*\s*$|instead\s*[?.]*\s*$|换成|改成|如果(?:是|用|换|加|改)|what if|how about"
    r"|what about|那(?:么)?(?:我|换|用|如果|和|要|就|这)|(?<![a-z])too\s*\?|(?:这|那)(?:个|张|种|样|台"
    r"|套)|(?<![a-z])(?:it|that|those|them|this)(?![a-z])|它|上面|刚才|前面|above|previous|earlier"
)
_ANEW = grammar(
    r"(?:顺便|另外|再|还想?)(?:再)?(?:问|请教|咨询|打听)(?:一?下|个|你|问|一个)?|换个(?:问题|话题)|(?:还有|另)一?个(?:问题|事)"
    r"|(?<![a-z])(?:by the way|btw|unrelated|(?:a |one )?(?:different|another|other|separate) question)(?![a-z])"
)
"""Words that begin another question, whatever was spoken of."""
_BUDGET_FIRST = grammar(r"^\s*预算")
"""How a question may begin that goes on to state the work, too; alone it adds to what was said."""
_LARGER = 12
"""Words from which a turn without any cue reads as a question of its own."""
CHOOSES_ANEW = ("which_to_buy", "budget", "cloud_or_buy", "min_vram", "how_many_gpus")
"""What is asked of all cards there are."""


def new_topic(reading: Reading, previous: Asked) -> bool:
    """A complete question about another model or another kind of work, without a word that refers back."""
    slots, plain = reading.slots, reading.text.plain
    if reading.out_of_scope and not slots:
        return False
    if _ANEW.search(plain) and (slots.get("model") or slots.get("params") or reading.entities.gpus):
        return True
    if (
        previous.task == "rag"
        and _kind(slots.get("model")) in RETRIEVAL
        and not (reading.entities.gpus or "budget" in slots)
    ):
        return False  # what finds the documents that are answered from
    whole = bool(slots.get("model") or slots.get("params")) and len(plain) >= 2 * _LARGER
    if _CUE.search(_BUDGET_FIRST.sub("", plain) if whole else plain):
        return False
    other_model = bool(slots.get("model") and previous.model and slots["model"] != previous.model)
    unnamed = not (slots.get("model") and previous.model)
    other_size = bool(slots.get("params") and previous.params and unnamed and slots["params"] != previous.params)
    other_task = bool(slots.get("task") and previous.task and slots["task"] != previous.task and reading.task_said)
    cards = bool(reading.cards.owned or reading.cards.asked or reading.cards.memory_bytes)
    complete = len(plain.split()) >= _LARGER or len(plain) >= 2 * _LARGER or cards
    if not (slots.get("model") or slots.get("model_text") or slots.get("params") or cards or slots.get("task")):
        return False
    if (other_model or other_size) and complete:
        return True
    if cards and (slots.get("model") or slots.get("params")) and (previous.model or previous.params):
        return True
    if complete and _opens(reading, previous):
        return True
    return (
        other_task
        and complete
        and not slots.get("model")
        and bool(slots.get("task") in {"diffusion", "speech", "vision", "rendering", "embedding"})
    )


def _kind(model: str | None) -> str | None:
    record = models().get(model or "")
    return record.kind if record else None


def _opens(reading: Reading, previous: Asked) -> bool:
    """Whether a complete question leaves nothing to the conversation: it states the work, which was not spoken of, with
    other cards or with what to spend on them; or the cards, and asks how large a model they hold."""
    slots, cards = reading.slots, reading.cards
    named = {card.gpu for card in (*cards.owned, *cards.proposed)} | set(cards.asked)
    before = {card.gpu for card in (*previous.gpus_owned, *previous.gpus_proposed)} | set(previous.gpus_asked)
    if slots.get("model") or slots.get("params"):
        if previous.model or previous.params:
            return False  # whether it is another one has been seen
        if named:
            return not named & before
        return reading.intent in CHOOSES_ANEW and ("budget" in slots or not previous.gpus_owned)
    return reading.intent == "what_fits" and bool(cards.owned or cards.memory_bytes)
