"""`explain`: whether something observed is normal, and what causes it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from kb.artifacts import Fact, find_artifacts
from kb.base import BadInput, UnknownName
from kb.catalog import gpus
from kb.programs.engines import program
from kb.units import KIB, format_bytes
from tools.agent_tools import reading, set_up
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.desk import Desk
from tools.agent_tools.shown import shown
from tools.agent_tools.train import METHODS
from tools.observation.request import NAMED
from tools.speed.host_only import CPU

TRAINED = {"full": "full_finetune", "sft": "full_finetune", "lora": "lora", "qlora": "qlora", "pretrain": "pretrain"}
PREFERENCES = frozenset({"dpo", "ppo", "grpo"})
CAUSES_MAX = 5
PASTED = ("pasted", "as pasted")
"""Words for all that the person pasted, so that a model need not copy it out."""
PASTED_MAX = 15_000
"""Characters of it that are passed on, half of them from either end."""
STATED_MAX, STATED_ARTIFACTS_MAX = 24, 4
"""Facts of an artifact, and artifacts, that are told."""
MEASURED = ("stated", "seen", "reckoned")
"""Bases of causes that something of this set-up speaks for."""
RESTS_ON = {
    "stated": "the text says so", "seen": "another figure shows it", "reckoned": "reckoned anew with this changed",
    "known": "usual with such a symptom, not measured",
}  # fmt: skip
"""What a cause rests on, in words."""
SHARDINGS = {
    "zero1": r"z(?:ero)?1", "zero2": r"z(?:ero)?2", "zero3": r"z(?:ero)?3", "fsdp": "fsdp", "ddp": "ddp|dataparallel",
    "none": "none",
}  # fmt: skip
"""Ways in which ranks share a training, by how they are written without spaces and hyphens."""
WORDED, SYMPTOM_MAX = "utilisation", 400
"""The figure that people tell in words, and the characters of a symptom."""
PASSAGES, PASSAGE_MAX, QUERY_MAX = 2, 500, 300
"""Passages of guidance, their characters, and those of the error that are looked for."""


SEEN: Mapping[str, tuple[str, Callable[[str | None, str], Any]]] = {
    "tokens_per_s": ("tokens_per_s", reading.number), "tokens_per_s_total": ("tokens_per_s_total", reading.number),
    "prefill_tokens_per_s": ("prefill_tokens_per_s", reading.number), "first_token": ("first_token_s", reading.seconds),
    "step": ("step_s", reading.seconds), "it_per_s": ("it_per_s", reading.number),
    "memory": ("memory_bytes", reading.memory), "cache_tokens": ("kv_pool_tokens", reading.count),
    "utilisation": ("utilisation_ratio", reading.ratio), "cpu_share": ("cpu_share_ratio", reading.ratio),
    "power": ("power_w", reading.number), "temperature": ("temperature_c", reading.number),
    "wall": ("wall_s", reading.seconds), "item": ("item_s", reading.seconds),
    "rtf": ("realtime_factor", reading.number),
}  # fmt: skip
"""Name of a figure that is seen → the solver's field, and how its words are read."""
UNIT_ENDINGS = ("_s", "_bytes", "_ratio", "_w", "_c")


class ExplainRequest(AgentRequest):
    """A set-up, and what was seen of it."""

    model: str | None = Field(default=None, max_length=200)
    """With its format."""
    cards: str | None = Field(default=None, max_length=300)
    """"2x 3090"."""
    task: str | None = Field(default=None, max_length=40)
    """inference (default), lora, qlora, full; before it dpo, ppo or grpo: "dpo lora"."""
    engine: str | None = Field(default=None, max_length=40)
    """vllm, ollama, llama.cpp, comfyui, deepspeed, unsloth …"""
    kv_format: str | None = Field(default=None, max_length=20)
    """Of the cache."""
    context_tokens: str | None = Field(default=None, max_length=40)
    """As set."""
    concurrent_sequences: str | None = Field(default=None, max_length=40)
    """Requests at once."""
    input_tokens: str | None = Field(default=None, max_length=40)
    """Prompt."""
    host_memory: str | None = Field(default=None, max_length=120)
    """RAM and channels."""
    link: str | None = Field(default=None, max_length=60)
    """"PCIe 3.0 x4", "nvlink", "10GbE"."""
    sequence_tokens: str | None = Field(default=None, max_length=40)
    """Training."""
    micro_batch: str | None = Field(default=None, max_length=20)
    """Training."""
    optimizer: str | None = Field(default=None, max_length=40)
    """Training."""
    gradient_checkpointing: str | None = Field(default=None, max_length=20)
    """none or full."""
    sharding: str | None = Field(default=None, max_length=60)
    """ddp, zero2, zero3, fsdp."""
    size: str | None = Field(default=None, max_length=60)
    """"832x480 81 frames"."""
    seen: dict[str, Any] = Field(default_factory=dict, max_length=len(SEEN))
    """As measured, any of tokens_per_s, prefill_tokens_per_s, first_token, step, memory, cache_tokens, utilisation,
    cpu_share (ollama ps), power, temperature, wall, item (picture, clip), rtf (speech): {"tokens_per_s": "5"}."""
    expected: dict[str, Any] = Field(default_factory=dict, max_length=len(SEEN))
    """The same, as the person thought it would be."""
    error_text: str | None = Field(default=None, max_length=16_000)
    """Telling lines; "pasted" = all that was pasted."""
    flags: str | None = Field(default=None, max_length=16_000)
    """Command, config or manifest."""
    symptom: str | None = Field(default=None, max_length=400)
    """hangs, spills, one_card_idle, killed, xid …, or in words."""


def explain(request: ExplainRequest, desk: Desk) -> dict[str, Any]:
    """Judges what was observed: expected against seen (normal, low, high, impossible), causes by what they explain,
    with check, fix and the figure after it. Reads errors, logs, nvidia-smi, set-ups. For: why so slow, is this normal,
    why OOM."""
    request = _with_pasted(request, desk.words)
    request, unread = _figures_alone(request)
    named, form = _or_none(
        lambda: reading.model_and_format(request.model, None), ({}, None), request.model, request, unread
    )
    cards = _or_none(lambda: reading.stated(reading.cards(request.cards)), [], request.cards, request, unread)
    topology = desk.tried("read_topology", {"text": request.error_text}) if _is_table(request.error_text) else None
    task, method = _task(request.task)
    count = reading.count
    if request.host_memory and not request.cards and named and task == "inference":
        cards = [{"gpu": CPU, "count": 1}]  # a machine told by its memory alone computes on its processor
    asked = {
        **named, "weight_format": form, "cards": cards, "task": task, "method": method,
        "engine": _engine(request.engine),
        "kv_format": reading.cache(request.kv_format),
        "context_tokens": count(request.context_tokens, "context_tokens"),
        "concurrent_sequences": count(request.concurrent_sequences, "concurrent_sequences"),
        "input_tokens": count(request.input_tokens, "input_tokens"), **reading.host(request.host_memory),
        "link": request.link, "sequence_tokens": count(request.sequence_tokens, "sequence_tokens"),
        "micro_batch_size": count(request.micro_batch, "micro_batch"), "optimizer": request.optimizer,
        "gradient_checkpointing": request.gradient_checkpointing, **sharding(request.sharding),
        **reading.size(request.size), "error_text": request.error_text, "flags": request.flags,
        "symptom": request.symptom,
        "seen": _readable(request, "seen", unread), "expected_by_person": _readable(request, "expected", unread),
    }  # fmt: skip
    wrong = set_up.findings(desk, request.flags or request.error_text, request.cards, request.model, request.error_text)
    stated = {**({"setup": wrong} if wrong else {}), **_stated(request.error_text)}
    if wrong and not (request.seen or request.error_text or request.symptom):
        return stated
    if topology and not named and not request.seen:
        return {"topology": shown(topology), **stated}
    found = _observed(desk, asked, unread)
    told = _explained(found)
    if unread:
        told["warnings"] = [*unread, *told["warnings"]]
    if not any(one["basis"] in MEASURED for one in found["causes"]):
        told |= _guidance(request, desk)
    return {**told, **({"topology": shown(topology)} if topology else {}), **stated}


def _task(text: str | None) -> tuple[str, str | None]:
    """What is done, and the method of preference that it is part of: "dpo lora"; full where no adapters are named."""
    words = [METHODS.get(one, "") for one in re.split(r"[\s,+/_-]+", (text or "").strip().lower())]
    words.append(METHODS.get((text or "").strip().lower(), ""))
    method = next((one for one in words if one in PREFERENCES), None)
    found = next((TRAINED[one] for one in words if one in TRAINED), None)
    return found or ("full_finetune" if method else "inference"), method


def _figures_alone(request: ExplainRequest) -> tuple[ExplainRequest, list[str]]:
    """The request with what was told of utilisation in words as a symptom, and what cannot be read of it left out."""
    words = str(request.seen.get(WORDED) or "")
    if not words or re.fullmatch(r"\s*[~约]?\s*\d+(?:\.\d+)?\s*[%％]?\s*", words):
        return request, []
    seen = {name: value for name, value in request.seen.items() if name != WORDED}
    expected = {name: value for name, value in request.expected.items() if name != WORDED}
    symptom = "; ".join(one for one in (request.symptom, f"utilisation {words}") if one)[:SYMPTOM_MAX]
    note = f"seen.{WORDED} “{words}” is no share of the time: read as words. nvidia-smi's figure is a percentage."
    return request.model_copy(update={"seen": seen, "expected": expected, "symptom": symptom}), [note]


def _or_none(read: Callable[[], Any], none: Any, text: str | None, request: ExplainRequest, unread: list[str]) -> Any:
    """What is read; a name that no catalog holds is left out and said where a text or a symptom tells enough.

    Raises:
        AdvisorError: there is neither, or several bear the name.
    """
    try:
        return read()
    except (UnknownName, BadInput):
        if not (request.error_text or request.symptom):
            raise
        unread.append(f"“{text}” is in no catalog: explained without it, from the text and the symptom.")
        return none


def _guidance(request: ExplainRequest, desk: Desk) -> dict[str, Any]:
    """The nearest passages of the documents, where nothing that was stated, seen or reckoned explains it."""
    words = " ".join(one for one in (request.symptom, (request.error_text or "")[-QUERY_MAX:], request.engine) if one)
    result = desk.tried("search_guidance", {"query": words, "top": PASSAGES}) if words else None
    passages = [
        {"title": one["title"], "heading": one["heading"], "text": one["text"][:PASSAGE_MAX]}
        for one in (result or {"passages": []})["passages"][:PASSAGES]
    ]
    told = {"quotations": "nearest passages of documents, nothing measured", "passages": passages}
    return {"guidance": told} if passages else {}


def _with_pasted(request: ExplainRequest, words: tuple[str, ...]) -> ExplainRequest:
    """The request with what the person pasted, where it asks for that rather than copying it out; their last message,
    where no form of it is known.

    Raises:
        BadInput: nothing was pasted.
    """
    if (request.error_text or "").strip().lower() not in PASTED:
        return request
    texts = [one.text for said in words for one in find_artifacts(said).artifacts] or list(words[-1:])
    if not texts:
        raise BadInput("error_text", "nothing was pasted in this conversation.", "Give the text itself.")
    whole = "\n".join(texts)
    ends = whole if len(whole) <= PASTED_MAX else f"{whole[: PASTED_MAX // 2]}\n{whole[-PASTED_MAX // 2 :]}"
    return request.model_copy(update={"error_text": ends})


def _stated(text: str | None) -> dict[str, Any]:
    """What the parsers read of a pasted text, by artifact: "line of name = value unit"."""
    if not text:
        return {}
    told = [
        {"kind": one.kind, "facts": [_told(fact) for fact in one.facts[:STATED_MAX]]}
        for one in find_artifacts(text).artifacts[:STATED_ARTIFACTS_MAX]
        if one.facts
    ]
    return {"stated": told} if told else {}


def _told(fact: Fact) -> str:
    of = f" {fact.of}" if fact.of else ""
    size = f" ({format_bytes(float(fact.value))})" if fact.unit == "bytes" and isinstance(fact.value, int) else ""
    return f"line {fact.line}{of}: {fact.name} = {fact.value}{f' {fact.unit}' if fact.unit else ''}{size}"


def _observed(desk: Desk, asked: dict[str, Any], unread: list[str]) -> dict[str, Any]:
    """The solver's result; a symptom in words of its own is read with the error text, flags that cannot be read are
    left out and said.
    """
    try:
        return desk.call("explain_observation", asked)
    except BadInput as problem:
        if problem.field != "flags" or not any(asked[name] for name in ("seen", "error_text", "symptom")):
            raise
        unread.append(f"flags were left out: {problem}")
        return _observed(desk, {**asked, "flags": None}, unread)
    except UnknownName as problem:
        if problem.kind != "symptom":
            raise
    words = "\n".join(one for one in (asked["symptom"], asked["error_text"]) if one)
    return desk.call("explain_observation", {**asked, "symptom": None, "error_text": words})


def _seen(given: Mapping[str, Any], field: str) -> dict[str, Any] | None:
    """Figures that were seen, typed.

    Raises:
        BadInput: one has a name that none bears, or cannot be read.
    """
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = (
            key
            if key in SEEN
            else next((key.removesuffix(end) for end in UNIT_ENDINGS if key.removesuffix(end) in SEEN), key)
        )
        if name not in SEEN:
            raise BadInput(field, f"holds “{key}”, which is no figure here.", f"Use {', '.join(SEEN)}.")
        if value is not None:
            into, read = SEEN[name]
            said = (
                re.sub(r"\s*(?:W|°?C|it/s)\s*$", "", str(value))
                if name in {"power", "temperature", "it_per_s"}
                else str(value)
            )
            found[into] = read(said, field)
    return found or None


SHARES = {"half": 0.5, "a half": 0.5, "一半": 0.5, "a quarter": 0.25, "quarter": 0.25, "twice": 2.0, "double": 2.0,
          "两倍": 2.0, "翻倍": 2.0, "the same": 1.0, "一样": 1.0}  # fmt: skip
"""Words for a figure by the one that was seen."""


def _readable(request: ExplainRequest, field: str, unread: list[str]) -> dict[str, Any] | None:
    """Figures of a field, typed; one that is told by the figure that was seen ("half") is reckoned from it, one that
    cannot be read is left out and said where there is something else to explain.

    Raises:
        BadInput: nothing else was given, or a name that none bears.
    """
    given: Mapping[str, Any] = getattr(request, field)
    found: dict[str, Any] = {}
    for name, value in given.items():
        share = SHARES.get(str(value).strip().lower()) if field == "expected" else None
        if share is not None:
            base = _seen({key: one for key, one in request.seen.items() if key == name}, "seen") or {}
            found |= {into: one * share for into, one in base.items() if isinstance(one, int | float)}
            continue
        try:
            found |= _seen({name: value}, field) or {}
        except BadInput as problem:
            if not (request.error_text or request.symptom or found or len(given) > 1 or field == "expected"):
                raise
            unread.append(f"{field}.{name} was left out: {problem}")
    return found or None


def _engine(text: str | None) -> str | None:
    """The engine; programs that have causes of their own stay what they are."""
    plain = (text or "").strip().lower()
    named = next((name for name in NAMED if name in plain), None)
    return named or (plain if program(plain) is not None else reading.engine(text))


def sharding(text: str | None) -> dict[str, str | None]:
    """How ranks share the work, and what of it lies in host memory: "zero3 offload", "z3 optimizer offload"."""
    if not text:
        return {"sharding": None}
    plain = re.sub(r"[\s_-]+", "", text.lower())
    way = next((name for name, words in SHARDINGS.items() if re.search(words, plain)), None)
    if way is None and "offload" not in plain:
        return {"sharding": text}
    states_alone = "optim" in plain and "param" not in plain
    held = {"offload": "optimizer" if states_alone else "all"} if re.search("offload|卸载", plain) else {}
    return {"sharding": way, **held}


def _is_table(text: str | None) -> bool:
    return bool(text) and (
        "NVIDIA-SMI" in str(text) or "NIC0" in str(text) or "CPU Affinity" in str(text) or "SYS" in str(text).split()
    )


def _explained(result: dict[str, Any]) -> dict[str, Any]:
    """An explanation as a model reads it: in English, which it puts into the person's language."""
    causes = [
        {**shown(_english(one)), "rests_on": RESTS_ON[one["basis"]]} for one in result.get("causes", [])[:CAUSES_MAX]
    ]
    order = ("answer", "figures", "takes", "error_read", "binds", "changes", "set_by_flags")
    plain = shown(_english({name: result[name] for name in order if result.get(name)}))
    if row := result.get("takes"):
        plain["takes"] = {**plain["takes"], **_taken(row, result.get("gpu"))}
        plain["takes"].pop("cache_bytes_per_token", None)
    return {
        **plain, "causes": causes, "assumptions": result.get("assumptions", [])[:4],
        "warnings": result.get("warnings", [])[:3],
    }  # fmt: skip


def _taken(row: Mapping[str, Any], card: str | None) -> dict[str, Any]:
    """Parts of the memory, the largest first, the cards they are of, and what a token takes."""
    largest = sorted(row["parts"].items(), key=lambda part: -part[1])
    told: dict[str, Any] = {"parts": {name: format_bytes(float(size), 1) for name, size in largest}}
    if card is not None:
        told |= {"cards": f"{row['cards']} × {gpus()[card].name}", "gpu_count": row["cards"]}
    if each := row.get("cache_bytes_per_token"):
        told["cache_per_token"] = f"{each / KIB:,.0f} KiB"
    return told


def _english(value: Any) -> Any:
    """Words that stand in both languages, in one."""
    if isinstance(value, dict):
        if set(value) == {"en", "zh"}:
            return value["en"]
        return {name: _english(inner) for name, inner in value.items() if not name.endswith("_zh")}
    return [_english(one) for one in value] if isinstance(value, list) else value
