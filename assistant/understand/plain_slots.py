"""Slots that words state outright, whatever else the turn is about."""

from assistant.understand.asking import find_matter
from assistant.understand.budget import find_budget, find_money, paid_until
from assistant.understand.conditions import find_card_memory, find_conditions, find_most_cards
from assistant.understand.copies import find_copies
from assistant.understand.currency import find_currency
from assistant.understand.engines import find_engine
from assistant.understand.formats import choose_format, find_formats, find_kv_format
from assistant.understand.growth import compounded
from assistant.understand.lengths import find_exchange
from assistant.understand.load import find_load
from assistant.understand.look import find_look, find_per_gpu
from assistant.understand.per_day import find_per_day
from assistant.understand.place import find_country, find_provider
from assistant.understand.posttrain import find_generations, find_method
from assistant.understand.served_adapters import find_served_adapters
from assistant.understand.span import find_span, hires
from assistant.understand.text import Found, masked
from assistant.understand.training import (
    find_batch,
    find_checkpointing,
    find_epochs,
    find_lora_rank,
    find_optimizer,
    find_sharding,
)
from assistant.understand.turn import Reading
from assistant.understand.until import find_until
from assistant.understand.usage import find_usage
from assistant.understand.volume import find_traffic
from kb.lexicon.cards.unified import is_unified


def without_money(reading: Reading) -> str:
    """The masked text less every amount of money."""
    hidden = reading.entities.masked
    money = find_money(hidden, chinese=reading.language == "zh")
    return masked(hidden, [(found.start, paid_until(hidden, found.end), " ") for found in money])


def _hired_for(reading: Reading, text: str) -> Found[float] | None:
    """The time that a bill is asked for; the weekend that work is to be done in is none unless something is rented."""
    span, due = find_span(text), find_until(text)
    if span is None or due is None or hires(text) or find_matter(text) == "price":
        return span
    return None if span.start < due.end and due.start < span.end else span


_PACKED = ("awq", "gptq", "nf4")
"""Ways of packing four bits that have a name."""


def read_plain_slots(reading: Reading) -> None:
    """Slots that words state outright."""
    hidden = reading.entities.masked
    optimizer = find_optimizer(hidden)
    if optimizer:
        hidden = masked(hidden, [(optimizer.start, optimizer.end, " ")])
    formats = find_formats(hidden)
    chosen = _format_of_model(reading, formats) or choose_format(hidden, formats) or _format_in_model(reading)
    reading.put("weight_format", chosen)
    reading.put("kv_format", find_kv_format(hidden))
    reading.put("copies", find_copies(reading.text.plain))
    reading.put("engine", find_engine(reading.text.plain))
    reading.put("optimizer", optimizer)
    reading.put("sharding", find_sharding(hidden))
    reading.put("gradient_checkpointing", find_checkpointing(hidden))
    reading.put("lora_rank", find_lora_rank(hidden))
    reading.put("adapters", find_served_adapters(reading.entities.masked))
    reading.put("epochs", find_epochs(hidden))
    reading.put("batch_size", find_batch(hidden) or find_per_gpu(hidden))
    reading.put("method", find_method(reading.text.plain))
    reading.put("generations", find_generations(hidden))
    exchange = find_exchange(hidden)
    seen = masked(hidden, [(exchange.start, exchange.end, " ")]) if exchange else hidden  # tokens are no pixels
    for slot, found in find_look(seen).items():
        reading.put(slot, found)
    reading.put("tensor_parallel", reading.pasted.tensor_parallel)
    traffic = find_traffic(hidden, chinese=reading.language == "zh")
    reading.put("tokens_per_month", traffic.tokens)
    reading.put("api_million_price", traffic.million_price)
    reading.put("currency", Found(traffic.currency, 0, 0))
    hidden = masked(hidden, traffic.taken)
    unpriced = masked(without_money(reading), traffic.taken)
    load = find_load(unpriced)
    reading.put("users", load.users)
    reading.put("concurrent_sequences", load.concurrent)
    reading.put("load_today", load.today)
    daily = None if load.concurrent or traffic.tokens else find_per_day(unpriced)
    reading.put("conversations_per_day", compounded(daily, unpriced))
    reading.put("dataset_tokens", load.dataset)
    reading.put("deadline_s", load.deadline_s)
    reading.put("hours_per_month", find_usage(hidden))
    reading.put("term_s", _hired_for(reading, unpriced))
    if "currency" not in reading.slots:
        reading.put("currency", Found(find_currency(hidden), 0, 0))
    reading.put("matter", Found(find_matter(hidden), 0, 0))
    reading.put("target_tokens_per_s", load.tokens_per_s)
    reading.put("target_latency_s", load.latency_s)
    reading.put("context_tokens", load.context)
    reading.put("budget", find_budget(hidden, chinese=reading.language == "zh"))
    reading.put("provider", find_provider(hidden))
    reading.put("country", find_country(hidden))
    reading.put("max_gpus", find_most_cards(hidden))
    reading.put("conditions", find_conditions(reading.text.plain))
    if (memory := find_card_memory(reading.text.plain)) is not None:
        reading.put("card_memory_least_bytes", Found(memory.value.least_bytes, memory.start, memory.end))
        reading.put("card_memory_most_bytes", Found(memory.value.most_bytes, memory.start, memory.end))
    host = next((size for size in reading.entities.sizes if size.role == "host"), None)
    machines = [card.gpu for card in reading.entities.gpus]
    if host and not (machines and all(map(is_unified, machines))):  # a Mac's RAM is what its GPU has
        reading.put("host_memory_bytes", Found(host.value_bytes, host.start, host.end))


def _format_of_model(reading: Reading, formats: list[Found[str]]) -> Found[str] | None:
    """A format joined to a model's name: "Qwen2-72B-Instruct-AWQ"; a comparison of formats chooses none."""
    ends = {model.end for model in reading.entities.models}
    joined = [found for found in formats if found.start - 1 in ends and reading.text.plain[found.start - 1] in "-_:"]
    if joined and joined[0].value == "int4":  # "-4bits" says how wide, a packing named beside it how
        return next((found for found in formats if found.value in _PACKED), joined[0])
    return joined[0] if joined else None


def _format_in_model(reading: Reading) -> Found[str] | None:
    """A format that is part of a model's written name: "Qwen1.5-32B-Chat-GPTQ-Int4"."""
    for model in reading.entities.models:
        words = reading.text.plain[model.start : model.end]
        if found := choose_format(words, find_formats(words)):
            return Found(found.value, model.start + found.start, model.start + found.end)
    return None
