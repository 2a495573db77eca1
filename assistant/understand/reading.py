"""One turn read by itself, before the conversation is considered: slots with their spans, intents, doubts."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from assistant.understand import like_prices
from assistant.understand.asking import asks_price, asks_sale
from assistant.understand.entities import RENTED, Entities, find_entities, without_limit
from assistant.understand.errors import FEARED, Pasted, find_pasted, is_oom
from assistant.understand.formats import compares_formats, find_formats
from assistant.understand.further import further
from assistant.understand.intents import STRONG, Facts, choose, weigh
from assistant.understand.language import language_of
from assistant.understand.look import find_turns, pictures_spoken_of
from assistant.understand.methods import find_methods
from assistant.understand.mig import INSTANCE
from assistant.understand.model_slots import read_model
from assistant.understand.ownership import Cards, added, find_cards
from assistant.understand.place import NO_CLOUD
from assistant.understand.plain_slots import read_plain_slots, without_money
from assistant.understand.posttrain import find_teacher
from assistant.understand.progress import find_progress
from assistant.understand.purpose import find_purpose
from assistant.understand.rented_size import rented_of
from assistant.understand.retraction import without_retracted
from assistant.understand.said_prices import find_said_prices
from assistant.understand.scope import out_of_scope, without_instructions
from assistant.understand.spelling import spelled
from assistant.understand.spoken_sums import in_figures
from assistant.understand.tasks import REINFORCED, Setting, Work, decide_task, find_work
from assistant.understand.text import Found, Text, grammar, masked
from assistant.understand.traditional import mainland
from assistant.understand.training import (
    find_batch,
    find_offload,
    is_global,
)
from assistant.understand.turn import Reading
from assistant.understand.which_member import asks_member
from assistant.understanding import Ambiguity, Span
from kb.catalog import gpus, models
from kb.projects import project_in
from kb.units import GIB
from tools.need import SERVED, GpuCount, Intent, Need

_BRAND = grammar(r"(?<![a-z])geforce[ -]?(?=[rg]tx|\d)")
"""Says nothing that the number behind it does not say, and would keep "GeForce RTX 4070s" from its short name."""
_TABLE_ROW = re.compile(r"^[|+][^\n]*", re.MULTILINE)
"""A row of a pasted table: its watts and degrees are no question."""
_HAN = grammar(r"[一-鿿]")
TRAINING = {"full_finetune", "lora", "qlora", "pretrain"}
LONG_CONTEXT = 64_000
PRICED_AS_OWN = ("compare", "oom", "power", "what_fits", "how_many_gpus", "cloud_or_buy")
"""Intents under which words about a price change nothing of whose the cards are."""
ASKED_OF_A_MEMBER = (
    "speed", "can_it_run", "context_length", "concurrency", "guidance", "other", "spec", "min_vram", "which_to_buy",
    "training_time", "compare",
)  # fmt: skip
"""Intents beside which the question may be which member of a family the cards run."""
SAID_WITH_IT = ("what_fits", "can_it_run", "spec", "min_vram", "guidance", "other")
"""Of these the answer which one fits leaves nothing open."""
WEIGHED_AT_ONE_PRICE = ("can_it_run", "which_to_buy", "spec", "budget", "other", "guidance", "min_vram")
"""Intents under which cards that are said to cost the same are held against each other."""
FITS = "能放下吗"
"""What is asked with words that fear running out of memory."""
READ_ALONE = 256
"""Texts whose words are known; a reading takes some ten kilobytes."""
FOUR_BIT = ("int4", "nf4", "nf4_dq", "awq", "gptq")


@dataclass(frozen=True, slots=True)
class Earlier:
    """What of the turn before helps to tell what is asked; it states no slot. Turns before which it is the same are
    read alike."""

    model: str | None = None
    params: int | None = None
    task: str | None = None
    intent: Intent | None = None
    gpus_owned: tuple[GpuCount, ...] = ()
    gpus_asked: tuple[str, ...] = ()
    memory_bytes_per_gpu: int | None = None
    gpu_count: int | None = None

    @classmethod
    def of(cls, need: Need | None) -> "Earlier":
        """That of a conversation's Need; nothing before its first turn."""
        return NOTHING if need is None else cls(*(getattr(need, name) for name in cls.__slots__))


NOTHING = Earlier()


@lru_cache(maxsize=READ_ALONE)
def _alone(original: str) -> tuple[Reading, str, Work]:
    """What the words say whatever was said before: the reading so far, the text that intents are told by, the work.

    It is asked for again by whoever finds that a turn begins a topic, and in every conversation with these words.
    """
    text = without_retracted(in_figures(spelled(mainland(Text.of(original)))).without(_BRAND))
    entities = without_limit(find_entities(text), text.plain)
    pasted = find_pasted(text)
    hidden = _TABLE_ROW.sub(" ", without_instructions(entities.masked) or entities.masked)
    hidden = INSTANCE.sub(lambda part: " " * len(part[0]), hidden)
    hidden = like_prices.without(NO_CLOUD.sub(lambda ruled_out: " " * len(ruled_out[0]), hidden))
    language = language_of(_prose(text, entities, pasted))
    reading = Reading(text, entities, pasted, Cards((), (), (), (), (), None, None), language)
    read_plain_slots(reading)
    if prices := find_said_prices(text.plain, entities.gpus, chinese=language == "zh"):
        reading.slots["said_prices"] = prices
        reading.slots.pop("budget", None)  # what the cards cost is nothing to spend
    read_model(reading)
    work = find_work(text.plain)
    reading.task_said = bool(work.named or work.finetune or work.train or work.only_serve)
    return reading, hidden, work


def read(original: str, previous: Earlier = NOTHING) -> Reading:
    """Read one turn, in the light of the one before."""
    alone, hidden, work = _alone(original)
    reading, entities, pasted, text = alone.copy(), alone.entities, alone.pasted, alone.text
    facts = _facts(reading, work, previous)
    reading.weights = weigh(FEARED.sub(lambda feared: FITS.ljust(len(feared[0])), hidden), facts)
    reading.intent, reading.asks = choose(reading.weights, facts)
    if _which_member(reading, facts, hidden):
        parts = (reading.intent, *reading.asks)
        reading.intent, reading.asks = (
            "what_fits",
            tuple(one for one in parts if one not in SAID_WITH_IT),
        )
    wanted = "which_to_buy" in reading.asks and not facts.card_known and "provider" not in reading.slots
    if reading.intent == "speed" and wanted and facts.sized and not facts.training:  # a pace that it has to reach
        reading.intent, reading.asks = "which_to_buy", tuple(one for one in reading.asks if one != "which_to_buy")
    if reading.intent == "context_length" and "what_fits" in reading.asks and not facts.sized:
        reading.intent, reading.asks = "what_fits", ("context_length",)  # that of the model it turns out to be
    if reading.intent in WEIGHED_AT_ONE_PRICE and facts.owned_or_named > 1 and like_prices.said(text.plain):
        reading.intent = "compare"
    if reading.intent in WEIGHED_AT_ONE_PRICE and any(gpu.maker for gpu in entities.gpus):
        reading.intent = "compare"
    uncounted = masked(without_money(reading), [(*span, " ") for span in pictures_spoken_of(entities.masked)])
    reading.cards = find_cards(entities, uncounted, _intent_of_cards(reading, previous, hidden), pasted)
    _put_cards(reading)
    if reading.intent in ("which_to_buy", "compare") and added(reading.cards, uncounted) and _sizes_work(reading):
        reading.intent = "can_it_run"  # what all of them do together
    _rent_of_size(reading)
    if reading.intent == "compare" and _one_left(reading):
        reading.intent = "can_it_run" if reading.cards.owned else "how_many_gpus"
    if reading.intent == "spec" and "spec" not in reading.weights and reading.cards.owned and not reading.cards.asked:
        reading.intent = "what_fits"  # who only says what stands at home asks what it is good for
    if reading.intent == "can_it_run" and "budget" in reading.slots and _without_card(reading, previous):
        reading.intent = "budget"  # what the money runs it on
    if reading.intent == "what_fits" and _without_card(reading, previous):
        if "budget" in reading.slots:
            reading.intent = "budget"  # what the largest is that the money runs
        elif "which_to_buy" in reading.asks:
            reading.intent = "which_to_buy"  # a machine that runs large models, of which there is none yet
    _share_batch(reading)
    _read_task(reading, work, previous)
    reading.out_of_scope = out_of_scope(
        entities.masked,
        names=bool(entities.gpus or entities.models or entities.ambiguities),
        sized=_sized(reading)
        or find_progress(text.plain).step_s is not None
        or bool(work.named)
        or bool(find_methods(entities.masked)),
        work=bool(work.named or entities.models or "params" in reading.slots),
        priced="budget" in reading.slots,
    )
    return reading


def _sizes_work(reading: Reading) -> bool:
    return bool({"model", "params"} & set(reading.slots))


def _which_member(reading: Reading, facts: Facts, hidden: str) -> bool:
    """Whether it is asked which of a family the cards run: then the model comes before how fast it is."""
    family = any(one.kind == "model" and len(one.candidates) > 1 and not one.unknown for one in reading.ambiguities)
    settled = "model" in reading.slots or "params" in reading.slots or facts.owned_or_named > 1
    open_to_it = reading.intent in ASKED_OF_A_MEMBER and facts.card_known and not facts.has_budget
    return family and not settled and open_to_it and asks_member(hidden)


def _one_left(reading: Reading) -> bool:
    """Whether one card is left of several that were weighed, the others dismissed, and there is work for it."""
    cards = reading.cards
    left = {card.gpu for card in cards.owned} | set(cards.asked)
    weighed = {gpu.gpu for gpu in reading.entities.gpus}
    return len(left) == 1 and len(weighed) > 1 and bool({"model", "params"} & set(reading.slots))


def _without_card(reading: Reading, before: Earlier) -> bool:
    """Whether neither a card nor its memory was said, now or before."""
    cards = reading.cards
    said = cards.owned or cards.asked or cards.memory_bytes or cards.gpu_count
    return not (said or before.gpus_owned or before.gpus_asked or before.memory_bytes_per_gpu or before.gpu_count)


def _intent_of_cards(reading: Reading, previous: Earlier, hidden: str) -> Intent:
    """What the turn asks about its cards: a silent one what the turn before asked; a card priced is not owned."""
    if reading.intent not in PRICED_AS_OWN and (asks_price(hidden) or asks_sale(hidden)):
        return "budget"
    if "compare" in reading.asks and len({gpu.gpu for gpu in reading.entities.gpus}) > 1:
        return "compare"  # one set of cards or another: neither is there
    silent = not any(weight >= STRONG for weight, _ in reading.weights.values())
    return previous.intent if silent and previous.intent else reading.intent


def _sized(reading: Reading) -> bool:
    """Whether anything is stated that only a question about hardware states."""
    telling = {"params", "provider", "engine", "weight_format", "sharding", "context_tokens", "tensor_parallel"}
    telling |= {"card_memory_least_bytes"}
    return bool(telling & set(reading.slots)) or bool(reading.entities.sizes) or reading.pasted.error_text is not None


def _prose(text: Text, entities: Entities, pasted: Pasted) -> str:
    """What the asker wrote: without names, and beside a pasted log only the sentences with Han characters, if any."""
    named = [(gpu.start, gpu.end, " ") for gpu in entities.gpus] + [(m.start, m.end, " ") for m in entities.models]
    prose = masked(text.plain, named)
    if pasted.error_text is None:
        return prose
    bounds = (0, *text.sentence_ends, len(prose))
    sentences = [prose[start:end] for start, end in pairwise(bounds)]
    return " ".join(sentence for sentence in sentences if _HAN.search(sentence)) or prose


def _facts(reading: Reading, work: Work, previous: Earlier) -> Facts:
    slots = reading.slots
    sizes = any(size.role == "card" for size in reading.entities.sizes)
    return Facts(
        owned_or_named=len({gpu.gpu for gpu in reading.entities.gpus}),
        sized=bool(slots.get("model") or slots.get("params") or previous.model or previous.params),
        workload=bool(slots.get("params") or reading.entities.models or work.named or work.finetune or work.train),
        training=bool(
            work.finetune or work.train or previous.task in TRAINING or TRAINING & {f.value for f in work.named}
        ),
        has_budget="budget" in slots,
        has_context="context_tokens" in slots,
        long_context=slots.get("context_tokens", 0) >= LONG_CONTEXT,
        has_concurrency="concurrent_sequences" in slots or (slots.get("users") or 1) > 1,
        provider="provider" in slots,
        error=reading.pasted.error_text is not None,
        oom=is_oom(reading.text.plain),
        formats=len({f.value for f in find_formats(reading.entities.masked)}),
        methods=len(find_methods(reading.entities.masked)),
        sized_before=not (slots.get("model") or slots.get("params") or slots.get("model_text")),
        card_known=bool(
            reading.entities.gpus
            or sizes
            or previous.gpus_owned
            or previous.gpus_asked
            or previous.memory_bytes_per_gpu
        ),
    )


def _put_cards(reading: Reading) -> None:
    cards = reading.cards
    if cards.owned:
        reading.slots["gpus_owned"] = cards.owned
    if cards.asked:
        reading.slots["gpus_asked"] = cards.asked
        reading.slots["gpus_proposed"] = cards.proposed
    if grown := _grown(reading):
        reading.slots["gpus_proposed"] = (grown, *cards.proposed)
    for slot, names in (("gpus_owned", cards.owned_names), ("gpus_asked", cards.asked_names)):
        reading.spans += [reading.text.span(slot, gpu.counted_from, gpu.counted_to) for gpu in names]
    if cards.memory_bytes:
        reading.put("memory_bytes_per_gpu", Found(cards.memory_bytes, cards.memory_start, cards.memory_end))
    if cards.gpu_count and cards.gpu_count != reading.slots.get("max_gpus"):
        reading.slots["gpu_count"] = cards.gpu_count


def _rent_of_size(reading: Reading) -> None:
    """The cheapest card of a memory that is to be rented for no work that was told."""
    size, slots = reading.slots.get("card_memory_most_bytes"), reading.slots
    told = {"model", "params", "model_text", "gpus_asked", "purpose"} & set(slots)
    if size is None or told or not RENTED.search(reading.text.plain) or not (found := rented_of(size)):
        return
    slots["gpus_asked"] = found[:1]
    slots["gpus_proposed"] = (GpuCount(gpu=found[0], count=slots.pop("gpu_count", 1)),)
    slots.pop("gpus_owned", None)
    if len(found) > 1:
        doubt = Ambiguity(kind="gpu", text=f"{size // GIB} GB", candidates=found)
        reading.entities = replace(reading.entities, ambiguities=(*reading.entities.ambiguities, doubt))


def _grown(reading: Reading) -> GpuCount | None:
    """The one kind of card in hand in the number there would be with those that may be added."""
    owned, more = reading.cards.owned, further(reading.entities.masked)
    if len(owned) != 1 or more is None or reading.intent in ("oom", "compatibility"):
        return None
    extra, (start, end) = more
    others = [gpu for gpu in reading.entities.gpus if start <= gpu.start < end]
    if any(gpu.gpu != owned[0].gpu for gpu in others):
        return None
    said = [gpu.count for gpu in reading.cards.owned_names if not start <= gpu.start < end and gpu.count]
    return GpuCount(gpu=owned[0].gpu, count=max([1, *said]) + extra)


def _share_batch(reading: Reading) -> None:
    """A batch of all cards together is each card's share of it."""
    said, cards = find_batch(reading.entities.masked), sum(card.count or 1 for card in reading.cards.owned)
    if said is not None and cards > 1 and is_global(reading.entities.masked, said) and said.value >= cards:
        reading.slots["batch_size"] = said.value // cards


def _read_task(reading: Reading, work: Work, previous: Earlier) -> None:
    slots, cards = reading.slots, reading.cards
    owned = cards.owned or (() if cards.memory_bytes else previous.gpus_owned)
    model = models().get(slots.get("model", ""))
    total = sum(gpus()[card.gpu].memory_bytes * (card.count or 1) for card in owned)
    total = total or (cards.memory_bytes or 0) * (cards.gpu_count or 1)
    markets = {gpus()[gpu.gpu].market for gpu in reading.entities.gpus} or {gpus()[card.gpu].market for card in owned}
    formats = find_formats(reading.entities.masked)
    task = decide_task(
        work,
        Setting(
            model_kind=model.kind if model else None,
            sized=bool(slots.get("model") or slots.get("params") or slots.get("model_text")),
            params=slots.get("params") or previous.params,
            total_bytes=total or None,
            cards=sum(card.count or 1 for card in owned) or cards.gpu_count or 0,
            dataset_tokens=slots.get("dataset_tokens"),
            modest=markets <= {"consumer", "laptop"} if markets else "budget" in slots,
            reinforced=REINFORCED.search(reading.text.plain) is not None,
            running=bool(formats) or reading.intent == "what_fits",
            four_bit=any(f.value in FOUR_BIT for f in formats) and not compares_formats(formats),
            sharded="sharding" in slots,
        ),
    )
    if task is None and reading.intent in {"compatibility", "compare", "spec"} and not reading.entities.models:
        task = Found("inference" if "kv_format" in slots else "general", 0, 0)
    if task and task.value == "inference" and find_teacher(reading.text.plain)[0] is not None:
        task = Found("full_finetune", task.start, task.end)
    if task and task.value in {"lora", "qlora"} and project_in(reading.text.plain) and "lora" not in reading.text.plain:
        task = Found("full_finetune", task.start, task.end)  # what the project's own recipe does
    reading.put("task", task)
    if slots.get("task") in TRAINING:
        reading.put("offload", find_offload(reading.entities.masked))
    if slots.get("task") == "diffusion":
        reading.put("offload", find_turns(reading.text.plain))
    if slots.get("task") in TRAINING and "context_tokens" in slots:
        slots["sequence_tokens"] = slots["context_tokens"]
    if slots.get("task") == "inference" and "context_tokens" not in slots:
        _read_prompt(reading, (model.max_context_tokens if model else None) or 0)
    if slots.get("task") in SERVED and not {"model", "model_text", "params"} & set(slots):
        reading.put("purpose", find_purpose(reading.text.plain, chinese=reading.language == "zh"))


def _read_prompt(reading: Reading, longest: int) -> None:
    """Tokens to be fed to a model that only runs are its context, when it can take so many at once."""
    if 0 < reading.slots.get("dataset_tokens", 0) <= longest:
        reading.slots["context_tokens"] = reading.slots.pop("dataset_tokens")
        moved = [span.model_copy(update={"slot": "context_tokens"}) for span in reading.spans if _of_data(span)]
        reading.spans[:] = [*(span for span in reading.spans if not _of_data(span)), *moved]


def _of_data(span: Span) -> bool:
    return span.slot == "dataset_tokens"
