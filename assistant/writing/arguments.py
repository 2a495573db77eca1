"""The facts of a setup as the arguments of the advisor's tools, in the person's words where a tool takes them."""

from collections.abc import Callable, Mapping
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.build import NUMBERED
from assistant.reading.situation import Known, Situation, Thing
from assistant.writing.setups import THOUGHT_OF, Setup, of_a_kind
from kb.base import AdvisorError
from kb.catalog import gpus
from kb.lexicon import read_cards
from kb.models import models

PER_MACHINE_MAX = 8
"""Cards that one machine holds: a larger number beside several machines is that of all."""
OLLAMA = {"ollama": "ollama", "lmstudio": "llama.cpp"}
SERVES = frozenset({"vllm", "sglang", "llama.cpp", "tensorrt-llm", *OLLAMA})
DRAWS = frozenset({"comfyui", "diffusers"})
"""Programs whose memory is known for models of pictures and clips."""
OBJECTIVES = frozenset({"fastest", "longest_context", "best_quality", "most_users", "simplest"})
WEIGHED = frozenset({"cheapest", "fastest", "quietest", "simplest"})
FOUR_BIT = frozenset({"nf4", "nf4_dq", "int4", "awq", "gptq"})
METHODS = {"sft": "full", "ppo": "grpo", "distillation": "full", "dreambooth": "lora"}
Say = Callable[[Known], str]


def _quote(one: Known) -> str:
    return one.quote


PAGE_TOKENS = 700
"""Tokens of a printed page: 500 words of English or as many characters of Chinese; who tells it says so."""


def _tokens(one: Known) -> str:
    """Tokens as a plain number; pages as so many of the usual ones."""
    value = one.value if isinstance(one.value, Mapping) else {}
    return str(value.get("tokens") or round(value["pages"] * PAGE_TOKENS)) if value else one.quote


def _number(one: Known) -> str:
    """A count written out: no exponent, which no tool reads."""
    if not isinstance(one.value, (int, float)):
        return one.quote
    return str(int(one.value)) if one.value == int(one.value) else str(one.value)


def _rate(one: Known) -> str:
    return f"{one.value['per_s']:g}"


def _money(one: Known) -> str:
    """An amount in the person's words; where they name no currency, with the one it was taken in."""
    return money_of(one)


def money_of(one: Known) -> str:
    """An amount as tools take it: the person's words, where they say the currency themselves."""
    value = one.value
    if not isinstance(value, Mapping) or not one.inherited or value.get("amount") is None:
        return one.quote
    each = f"/{value['each']}" if value.get("each") else ""
    per = f"/{value['per']}" if value.get("per") else ""
    return f"{value['amount']:g} {value.get('currency', '')}{each}{per}"


def in_figures(one: Known) -> str:
    """An amount as calculations take it: figures, currency, the time it pays for; in whatever words it was told."""
    value = one.value if isinstance(one.value, Mapping) else {}
    per = f"/{value['per']}" if value.get("per") else ""
    return f"{value['amount']:g} {value.get('currency', 'USD')}{per}" if value.get("amount") is not None else one.quote


def seconds(one: Known) -> str:
    return f"{one.value:.0f} s" if one.value >= 10 else f"{one.value:g} s"


RUNNING: Mapping[str, tuple[str, Say]] = {
    "context": ("context_tokens", _tokens),
    "prompt": ("input_tokens", _tokens),
    "output": ("output_tokens", _tokens),
    "shared_prefix": ("shared_prefix_tokens", _tokens),
    "concurrent": ("concurrent_sequences", _number),
    "users": ("users", _number),
    "cache_format": ("kv_format", lambda one: str(one.value)),
    "adapters": ("adapters", _number),
}
"""Slots of a work that runs → argument and how it is said."""
FLAGS: Mapping[str, str] = {
    "max_model_len": "context_tokens", "context_length": "context_tokens", "ctx_size": "context_tokens",
    "num_ctx": "context_tokens", "max_seq_len": "context_tokens", "max_num_seqs": "concurrent_sequences",
    "max_running_requests": "concurrent_sequences", "max_batch_size": "concurrent_sequences",
    "kv_cache_dtype": "kv_format",
}  # fmt: skip
"""Options of engines, by their names less hyphens → the argument that says the same."""
MACHINE: Mapping[str, tuple[str, Say]] = {
    "host_memory": ("host_memory", _quote),
    "link": ("link", _quote),
    "memory_taken": ("memory_taken", _quote),
    "nodes": ("nodes", _number),
}
TRAINING: Mapping[str, tuple[str, Say]] = {
    "samples": ("samples", _number),
    "sample_length": ("sample_tokens", _tokens),
    "data_tokens": ("dataset_tokens", _number),
    "epochs": ("epochs", _number),
    "sequence": ("sequence_tokens", _tokens),
    "batch": ("micro_batch", _number),
    "global_batch": ("global_batch", _number),
    "optimizer": ("optimizer", lambda one: str(one.value)),
    "checkpointing": ("gradient_checkpointing", lambda one: str(one.value)),
    "sharding": ("sharding", lambda one: str(one.value)),
    "rank": ("lora_rank", _number),
    "engine": ("engine", lambda one: str(one.value)),
    "rent": ("rent", _money),
    "duration": ("deadline", seconds),
}


def running(setup: Setup, situation: Situation) -> dict[str, str]:
    """Arguments of `find_ways_to_run`."""
    said = _flags(setup) | said_of(setup, RUNNING) | machine(setup)
    said |= model_of(setup) | _pictured(setup)
    if "concurrent_sequences" not in said and (batch := setup.one("batch", *THOUGHT_OF)) is not None:
        said["concurrent_sequences"] = _number(batch)
    engine = setup.one("engine", *THOUGHT_OF)
    if engine is not None and str(engine.value) in SERVES:
        said["engine"] = OLLAMA.get(str(engine.value), str(engine.value))
    if engine is not None and str(engine.value) in DRAWS and _draws(said.get("model", "")):
        said["engine"] = str(engine.value)
    if (layout := setup.one("parallel", *THOUGHT_OF)) is not None:
        said["parallel"] = " ".join(f"{kind} {number}" for kind, number in layout.value.items())
    wanted = setup.one("speed", "wanted")
    if wanted is not None and wanted.value.get("of") in (None, "tokens") and not wanted.value.get("together"):
        said["target_tokens_per_s"] = _rate(wanted)
    if (waited := setup.one("first_token", "at_most", "wanted")) is not None:
        said["target_first_token"] = seconds(waited)
    if (whole := setup.one("latency", "at_most", "wanted")) is not None:
        said["target_answer"] = seconds(whole)
    if (aim := _objective(setup, situation)) in OBJECTIVES:
        said["objective"] = str(aim)
    return without_pages(said)


def training(setup: Setup, situation: Situation) -> dict[str, str]:
    """Arguments of `find_ways_to_train`."""
    said = said_of(setup, TRAINING) | machine(setup)
    said.pop("memory_taken", None)
    deadline = setup.one("duration", "at_most", "wanted") or situation.one("duration", "at_most", "wanted")
    said.pop("deadline", None)
    if deadline is not None:
        said["deadline"] = seconds(deadline)
    if (rent := situation.one("rent", "have")) is not None:
        said.setdefault("rent", money_of(rent))
    if "sequence_tokens" not in said and (length := setup.one("context", *THOUGHT_OF)) is not None:
        said["sequence_tokens"] = _tokens(length)
    if setup.one("offload", *THOUGHT_OF) is not None:
        said["sharding"] = f"{said.get('sharding', 'zero3')} offload"
    said["method"] = methods_of(setup)
    return without_pages(said | model_of(setup, form=False) | _pictured(setup))


def _draws(model: str) -> bool:
    return model in models() and models()[model].kind in ("diffusion", "video")


def _flags(setup: Setup) -> dict[str, str]:
    """What options of an engine say that the arguments say too."""
    said = {}
    for one in setup.every("setting", *THOUGHT_OF):
        value = one.value if isinstance(one.value, Mapping) else {}
        name = FLAGS.get(str(value.get("name", "")).replace("-", "_"))
        if name and value.get("value") not in (None, "", "auto"):
            said[name] = str(value["value"])
    return said


def _pictured(setup: Setup) -> dict[str, str]:
    """Size, frames and steps of what is drawn, as one argument."""
    size, frames = setup.one("size", *THOUGHT_OF), setup.one("frames", *THOUGHT_OF)
    seconds, steps = setup.one("seconds", *THOUGHT_OF), setup.one("sampling_steps", *THOUGHT_OF)
    parts = [size.quote if size else "", f"{_number(frames)} frames" if frames else ""]
    if frames is None and seconds is not None and isinstance(seconds.value, (int, float)):
        parts.append(f"{seconds.value:g} s")
    parts.append(f"{_number(steps)} steps" if steps else "")
    said = " ".join(filter(None, parts))
    return {"size": said} if size or frames or seconds else {}


def methods_of(setup: Setup) -> str:
    """How it is trained, as tools take it: `dpo lora`, `full`."""
    methods = [str(one.value) for one in setup.every("method", *THOUGHT_OF)]
    lora = next((one for one in methods if one in ("lora", "qlora")), None)
    if lora == "lora" and any(str(one.value) in FOUR_BIT for one in setup.every("format", *THOUGHT_OF)):
        lora = "qlora"  # adapters on a base of four bits
    aims = [METHODS.get(one, one) for one in methods if one not in ("lora", "qlora", "sft", "full")]
    full = "full" if "full" in methods and not lora else None
    return " ".join(filter(None, (aims[0] if aims else None, lora, full))) or "full"


def machine(setup: Setup) -> dict[str, str]:
    """Cards, memory and links of the machine."""
    said = said_of(setup, MACHINE)
    if cards := cards_of(setup):
        said["cards"] = cards
    return said


def cards_of(setup: Setup) -> str | None:
    """The cards of a setup in words, all of them together; a memory without a name is so many cards of it.

    Machines of which there are several are counted each; an option without a number has as many as what it replaces.
    """
    parts = [one for thing in setup.machines for one in _named_cards(thing)]
    count, memory = setup.one("card_count", *THOUGHT_OF), setup.one("card_memory", *THOUGHT_OF)
    number = int(count.value) if count is not None and isinstance(count.value, (int, float)) else None
    nodes = _nodes(setup)
    if parts:
        if len(parts) == 1 and (number or nodes > 1) and (alone := _single(parts[0])):
            each = number or alone
            return f"{each * nodes if each <= PER_MACHINE_MAX else each}x {_bare(parts[0])}"
        return " + ".join(parts)
    if memory is None:
        return None
    each = number or setup.usual_count
    return f"{each * nodes}x {memory.quote} card"


def card_names(ask: Ask, situation: Situation) -> list[str]:
    """The cards an ask is about, as they were called, each once."""
    things = [one for one in situation.about(ask) if one.what == "hardware"]
    said = [said_card(one) for thing in things for one in thing.all("cards") if one.stance in THOUGHT_OF]
    return list(dict.fromkeys(said))


def _named_cards(thing: Thing) -> list[str]:
    """The cards of one machine: what is named again counts once, with the number that was said."""
    kept: dict[str, Known] = {}
    for one in thing.all("cards"):
        if one.stance not in THOUGHT_OF:
            continue
        name = str([row.get("gpu") for row in one.value or ()])
        if name in kept and _unnumbered(one):
            continue
        kept[name] = one
    return [said_card(one) for one in kept.values()]


def said_card(one: Known) -> str:
    """A card in the person's words; by its full name, where these leave out what was said before."""
    rows = one.value if isinstance(one.value, list | tuple) else ()
    if "name" not in one.inherited or len(rows) != 1 or rows[0].get("gpu") not in gpus():
        return one.quote
    return f"{rows[0].get('count') or 1}x {gpus()[rows[0]['gpu']].name}"


def _unnumbered(one: Known) -> bool:
    """Whether the words name one card and say no number of them."""
    rows = list(one.value or ())
    return len(rows) == 1 and rows[0].get("count") == 1 and not NUMBERED.match(one.quote)


def _nodes(setup: Setup) -> int:
    found = setup.one("nodes", *THOUGHT_OF)
    return int(found.value) if found is not None and isinstance(found.value, (int, float)) else 1


def _bare(quote: str) -> str:
    """The name of the card, as the catalog has it, where the words say a number of them too."""
    found = read_cards(quote)[0]
    return quote if found.count == 1 or found.gpu is None else gpus()[found.gpu].name


def _single(quote: str) -> int | None:
    """How many of one card the words name; None where they name several kinds."""
    try:
        found = read_cards(quote)
    except AdvisorError:
        return None
    return found[0].count if len(found) == 1 and found[0].gpu in gpus() else None


def model_of(setup: Setup, *, form: bool = True) -> dict[str, str]:
    said: dict[str, str] = {}
    names = [one for one in setup.every("model", *THOUGHT_OF) if not of_a_kind(one)]
    if names:
        whole = [one for one in names if isinstance(one.value, Mapping) and one.value.get("model")]
        said["model"] = (whole or names)[-1].quote
        named = (whole or names)[-1].value
        if isinstance(named, Mapping) and named.get("unlisted"):
            said["model"] = _size(named)
        if isinstance(named, Mapping) and named.get("model"):
            said["model"] = str(named["model"])
            if form and named.get("weight_format"):
                said["weight_format"] = str(named["weight_format"])
    formats = {str(one.value) for one in setup.every("format", *THOUGHT_OF)}
    if form and len(formats) == 1:
        said["weight_format"] = formats.pop()
    return said


def _size(named: Mapping[str, Any]) -> str:
    """The size of a model that is not listed, as tools read it: 35B-A3B."""
    active = f"-A{named['active_params'] / 1e9:g}B" if named.get("active_params") else ""
    return f"{named['params'] / 1e9:g}B{active}"


def _objective(setup: Setup, situation: Situation) -> str | None:
    found = setup.one("objective") or situation.one("objective")
    return str(found.value) if found is not None else None


def said_of(setup: Setup, table: Mapping[str, tuple[str, Say]]) -> dict[str, str]:
    said = {}
    for slot, (name, say) in table.items():
        found = setup.one(slot, "have", "plan", "wanted", "proposed")
        if found is not None:
            said[name] = say(found)
    return said


def without_pages(said: dict[str, Any]) -> dict[str, Any]:
    """Lengths that are no tokens are left out: nothing here knows what a page holds."""
    lengths = ("input_tokens", "output_tokens", "context_tokens", "sequence_tokens", "sample_tokens")
    return {name: value for name, value in said.items() if name not in lengths or str(value).isdigit()}
