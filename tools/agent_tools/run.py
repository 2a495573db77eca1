"""`find_ways_to_run`: what a machine in hand does with a model, every way of doing it tried."""

import re
from typing import Any

from pydantic import Field

from kb.catalog import gpus, models
from kb.constants.speed_constants import constants as speed_constants
from kb.programs.engines import program
from tools.agent_tools import known, media, of_family, reading
from tools.agent_tools.arriving import kept_up, rate_said, requests_per_s, served
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.desk import Desk
from tools.agent_tools.media import interval
from tools.agent_tools.paced import paced
from tools.agent_tools.shown import shown, shown_row

WAYS_MAX = 4
ASSUMPTIONS_MAX = 7
WAY_LEFT_OUT = frozenset(
    {
        "cards",
        "bits_per_weight",
        "loss_percent",
        "as_asked",
        "nodes",
        "command",
        "layout",
        "engine",
        "weight_format",
        "kv_format",
    }
)
"""What the title of a way says already."""
ANSWER_LEFT_OUT = frozenset({"way", "said"})
TOLD_BY_WAYS = frozenset({"tokens_per_s_per_user", "max_context_tokens"})
"""What the first way tells, with its range."""
MEMORY_LEFT_OUT = frozenset(
    {
        "low_bytes_per_gpu",
        "rest_bytes_per_gpu",
        "weights_bytes",
        "surety",
        "host_usable_bytes",
    }
)
SPECULATIVE = re.compile(r"specul|draft|\bmtp\b|eagle|medusa|n-?gram|投机|推测", re.I)
RANK = re.compile(r"(?:,|of|with)?\s*(?:rank|r)\s*=?\s*(\d{1,4})", re.I)

COMMON_READ = frozenset({"model", "works", "cards", "host_memory", "memory_taken", "context_tokens", "weight_format"})
LENGTHS_READ = frozenset({"concurrent_sequences", "users", "input_tokens", "output_tokens"})
SEVERAL_READ = COMMON_READ | LENGTHS_READ | {"link", "nodes", "objective", "engine", "kv_format"}
"""What counts where several models are asked of at once."""
ALONE_READ = COMMON_READ | {"concurrent_sequences", "kv_format", "engine", "parallel"}
"""What counts where no machine was named."""
ALL_BUT_SIZE = SEVERAL_READ | {
    "shared_prefix_tokens", "parallel", "adapters", "images_per_request", "target_tokens_per_s", "target_first_token",
    "target_answer",
}  # fmt: skip
"""What counts for one model that writes text."""

TOWER = "tokens of the pictures are in the prompt; the vision tower's own time is not counted, nor loading pages"


class RunRequest(AgentRequest):
    """A model, or several, on cards in hand."""

    model: str | None = Field(default=None, max_length=200)
    """"Qwen3-32B AWQ", "70B"; absent: which models the cards run."""
    works: tuple[str, ...] = Field(default=(), max_length=6)
    """Models side by side."""
    cards: str | None = Field(default=None, max_length=300)
    """"2x 3090", "3090 + 4060 Ti 16GB", "M3 Ultra 512GB"; absent: the memory needed."""
    host_memory: str | None = Field(default=None, max_length=120)
    """RAM: "128GB ddr5-6000 dual channel"."""
    link: str | None = Field(default=None, max_length=60)
    """"nvlink", "PCIe 4.0 x4"."""
    nodes: str | None = Field(default=None, max_length=20)
    """Machines."""
    memory_taken: str | None = Field(default=None, max_length=60)
    """Held on each card."""
    context_tokens: str | None = Field(default=None, max_length=40)
    """Prompt plus answer: "32k"."""
    concurrent_sequences: str | None = Field(default=None, max_length=40)
    """Requests at once, or "5000/day"."""
    users: str | None = Field(default=None, max_length=40)
    """People."""
    input_tokens: str | None = Field(default=None, max_length=40)
    """Prompt."""
    output_tokens: str | None = Field(default=None, max_length=40)
    """Answer."""
    shared_prefix_tokens: str | None = Field(default=None, max_length=40)
    """Same in all."""
    weight_format: str | None = Field(default=None, max_length=40)
    """If insisted on."""
    kv_format: str | None = Field(default=None, max_length=20)
    """If insisted on: fp8, q8_0."""
    engine: str | None = Field(default=None, max_length=40)
    """If said: vllm, sglang, llama.cpp, ollama."""
    parallel: str | None = Field(default=None, max_length=40)
    """If given: "tp 2 pp 2"."""
    adapters: str | None = Field(default=None, max_length=20)
    """LoRA: "60 of rank 32"."""
    images_per_request: str | None = Field(default=None, max_length=20)
    """In a prompt."""
    size: str | None = Field(default=None, max_length=60)
    """"1024x1024 30 steps", "832x480 81 frames"."""
    target_tokens_per_s: str | None = Field(default=None, max_length=40)
    """For each user."""
    target_first_token: str | None = Field(default=None, max_length=40)
    """Longest wait: "2 s"."""
    target_answer: str | None = Field(default=None, max_length=40)
    """Whole answer: "10 s"."""
    objective: str | None = Field(default=None, max_length=40)
    """What counts most: fastest, longest_context, best_quality, most_users, simplest."""


def find_ways_to_run(request: RunRequest, desk: Desk) -> dict[str, Any]:
    """What a model needs and does on given cards, over all formats, engines, layouts, offload to RAM: fit, memory,
    longest context, most requests, speed, flags, what limits it, what would change it. Also picture, video, speech and
    embedding models."""
    held = reading.cards(request.cards)
    if request.works:
        return {**_several(request, desk), **_left(request, SEVERAL_READ)}
    if held and (members := of_family.members_named(request.model)):
        machine = {**_work(request, {}, None), **_machine(request)}
        return of_family.told(request, members, machine, desk, find_ways_to_run)
    named, form = reading.model_and_format(request.model, request.weight_format, published=True)
    if not named:
        return {**_models(request, desk), **_left(request, ALL_BUT_SIZE)}
    if reading.kind_of(named) not in reading.LANGUAGE_KINDS:
        return {**media.run(request, desk, named, form), **_left(request, media.read_of(request))}
    if not held and not request.host_memory:
        return {**_memory_alone(request, desk, named, form), **_left(request, ALONE_READ)}
    asked = {**_work(request, named, form), **_machine(request)}
    coming = rate_said(request.concurrent_sequences, request.users)
    rate = requests_per_s(coming)
    result, count = (desk.call("find_ways_to_run", asked), 0) if rate is None else served(asked, rate, desk)
    waits = rate is not None or any((request.target_first_token, request.target_answer, request.target_tokens_per_s))
    found = known.of_engine(_engine(request.engine), told(result, waits=waits))
    if rate is not None:
        found["requests"] = shown(kept_up(result, rate, count, coming))
    seen = {"images": TOWER} if request.images_per_request else {}
    return {**found, **_speculative(request, result), **seen, **_left(request, ALL_BUT_SIZE)}


def _left(request: RunRequest, read: frozenset[str]) -> dict[str, Any]:
    """Fields that were given and that nothing here counts, by name: nobody is to take them for counted."""
    left = [name for name in request.model_dump(exclude_none=True, exclude_defaults=True) if name not in read]
    return {"not_counted": left} if left else {}


def _speculative(request: RunRequest, result: dict[str, Any]) -> dict[str, Any]:
    """What drafted tokens would make of the best way's speed, where somebody speaks of them."""
    said = " ".join(one for one in (request.engine, request.objective, request.weight_format) if one)
    speed = ((result.get("ways") or [{}])[0].get("speed") or {}).get("tokens_per_s_per_user")
    if not speed or not SPECULATIVE.search(said):
        return {}
    facts = speed_constants().speculative
    stored = models().get(result["answer"].get("model") or "")
    gain = facts.mixture if stored is not None and stored.experts else facts.dense
    ends = {name: speed["value"] * getattr(gain, name) for name in ("value", "low", "high")}
    return {"speculative": shown({
        "tokens_per_s_per_user": ends,
        "note": f"{gain.low:g} to {gain.high:g} times as fast for one user, by how much of the draft is accepted (code "
        f"more, prose less); at {facts.many:g} requests at once and more hardly any gain. Not in the other figures.",
    })}  # fmt: skip


def _work(request: RunRequest, named: dict[str, Any], form: str | None) -> dict[str, Any]:
    count = reading.count
    return {
        **named, "weight_format": form, "kv_format": reading.cache(request.kv_format),
        "engine": _engine(request.engine), "parallel": reading.parallel(request.parallel) or None,
        "context_tokens": count(request.context_tokens, "context_tokens"),
        "concurrent_sequences": _counted(request.concurrent_sequences, "concurrent_sequences"),
        "users": _counted(request.users, "users"), "input_tokens": count(request.input_tokens, "input_tokens"),
        "output_tokens": count(request.output_tokens, "output_tokens"),
        "shared_prefix_tokens": count(request.shared_prefix_tokens, "shared_prefix_tokens"),
        **_adapters(request.adapters),
        "images_per_request": count(request.images_per_request, "images_per_request"),
        "target_tokens_per_s": reading.number(request.target_tokens_per_s, "target_tokens_per_s"),
        "target_first_token_s": reading.seconds(request.target_first_token, "target_first_token"),
        "target_answer_s": reading.seconds(request.target_answer, "target_answer"),
    }  # fmt: skip


def _counted(text: str | None, field: str) -> int | None:
    """How many; null where a rate is said, which is counted by itself."""
    return None if rate_said(text) else reading.count(text, field)


def _adapters(text: str | None) -> dict[str, Any]:
    """How many adapters are served, and their rank where it is said: "60 of rank 32"."""
    if text is None:
        return {}
    rank = RANK.search(text)
    number = reading.count(RANK.sub("", text).strip() or "1", "adapters")
    return {"adapters": number, **({"lora_rank": int(rank[1])} if rank else {})}


def _machine(request: RunRequest) -> dict[str, Any]:
    nodes = reading.count(request.nodes, "nodes")
    return {
        "cards": _per_machine(reading.stated(reading.cards(request.cards)), nodes),
        **reading.host(request.host_memory), "link": request.link, "nodes": nodes,
        "memory_taken_bytes": reading.memory(request.memory_taken, "memory_taken"), "objective": request.objective,
    }  # fmt: skip


def _per_machine(cards: list[dict[str, Any]], nodes: int | None) -> list[dict[str, Any]]:
    """Cards of one machine, where those of all machines together were named."""
    if not nodes or nodes < 2 or any(one["count"] % nodes for one in cards):
        return cards
    return [{**one, "count": one["count"] // nodes} for one in cards]


def _engine(text: str | None) -> str | None:
    """The engine that runs, or the program as it was named where another's figures stand for it: the solver says so.
    What is said of drafted tokens beside it is told by itself."""
    plain = SPECULATIVE.split(text)[0].strip(" +,;(/&") if text else None
    named = re.sub(r"\s+(?:with|and|mit|带)$", "", plain) if plain else None
    return named if named and program(named) is not None else reading.engine(named)


def _several(request: RunRequest, desk: Desk) -> dict[str, Any]:
    """Several models on the same cards: those that write text by the solver, beside what the others hold."""
    works, beside = [], []
    shared = ("context_tokens", "concurrent_sequences", "users", "input_tokens", "output_tokens", "kv_format", "engine")
    load = {name: value for name, value in _work(request, {}, None).items() if name in shared and value is not None}
    card, _ = reading.one_kind(reading.cards(request.cards))
    for text in request.works:
        named, form = reading.model_and_format(text, None, published=True)
        if reading.kind_of(named) in reading.LANGUAGE_KINDS:
            form = form or reading.model_and_format(text, request.weight_format)[1]
            works.append({**load, **named, **({"weight_format": form} if form else {})})
        else:
            asked = {**named, "weight_format": form, "gpu": card, "task": "inference"}
            beside.append(desk.call("estimate_memory", asked))
    held = sum(one["per_gpu"]["total_bytes"] for one in beside)
    machine = _machine(request)
    if held:
        count = sum(one["count"] for one in machine["cards"])
        taken = machine["memory_taken_bytes"] or 0
        machine["memory_taken_bytes"] = [taken + held, *[taken] * (count - 1)]
    others = [shown({"model": one["model"], "needed": interval(one["per_gpu"])}) for one in beside]
    if not works:
        return {"beside": others}
    asked = {"works": works} if len(works) > 1 else works[0]
    result = known.of_engine(load.get("engine"), told(desk.call("find_ways_to_run", {**asked, **machine})))
    return {**result, **({"beside_on_first_card": others} if others else {})}


def _models(request: RunRequest, desk: Desk) -> dict[str, Any]:
    """Which models the machine runs, and what else it holds."""
    work = _work(request, {}, None)
    return known.of_engine(work["engine"], told(desk.call("find_ways_to_run", {**work, **_machine(request)})))


def _memory_alone(request: RunRequest, desk: Desk, named: dict[str, Any], form: str | None) -> dict[str, Any]:
    """What it needs without a machine: in each usual format, and how many of common cards hold that."""
    work = _work(request, named, form)
    fields = ("model", "params", "kv_format", "context_tokens", "concurrent_sequences")
    base = {name: work.get(name) for name in fields}
    rows: list[dict[str, Any]] = []
    for each in [form] if form else [None, "fp8", "awq", "gguf:Q4_K_M"]:
        program = "llama.cpp" if (each or "").startswith("gguf") else work.get("engine")
        asked = {**base, "weight_format": each, "task": "inference", "engine": program}
        found = desk.tried("estimate_memory", asked)
        if found and found["weight_format"] not in [row["weight_format"] for row in rows]:
            rows.append(_memory_row(found))
    if not rows:
        rows.append(_memory_row(desk.call("estimate_memory", {**base, "weight_format": form, "task": "inference"})))
    said: dict[str, Any] = {name: rows[0].pop(name) for name in ("assumptions", "warnings") if name in rows[0]}
    for one in rows:
        one.pop("assumptions", None)
        one.pop("warnings", None)
    return {"needs": rows, "note": "totals over all cards of one copy; give cards for speed, limits and flags", **said}


def _memory_row(found: dict[str, Any]) -> dict[str, Any]:
    per = found["per_gpu"]
    parts = {part["name"]: part["bytes"] for part in per["parts"]}
    return shown_row({
        "model": found["model"], "params": found["params"], "weight_format": found["weight_format"],
        "total_bytes": interval(per),
        "weights_bytes": parts.get("weights"), "cache_bytes": parts.get("kv_cache"),
        "enough": [f"{one['count']} × {gpus()[one['gpu']].name}" for one in found["minimum_gpus"][:8]],
        "assumptions": found["assumptions"][:3], "warnings": found["warnings"][:2],
    })  # fmt: skip


def told(result: dict[str, Any], *, waits: bool = False) -> dict[str, Any]:
    """A solver's result as a model reads it: the best ways, what binds, what would change it.

    What repeats is left out, so that several ways fit into the bound; `waits`: whether a longest wait, or so many
    requests in a time, was asked for.
    """
    named, ways = bool(result.get("models")), result.get("ways", [])
    left = ANSWER_LEFT_OUT | (TOLD_BY_WAYS if ways else frozenset())
    rows = {
        "answer": {name: value for name, value in result["answer"].items() if name not in left},
        "ways": [_way(one, lead=not at, waits=waits) for at, one in enumerate(ways[: 1 if named else WAYS_MAX])],
        "binds": [{"what": one["what"], "said": one["said"]} for one in result.get("binds", [])[:3]],
        "changes": [_only(one, ("change", "effect", "costs")) for one in result.get("changes", [])[:4]],
        "together": _together(result.get("together")),
        "models": [_candidate(one) for one in result.get("models", [])[:8]],
        "rejected": [f"{one['way']}: {one['reason']}" for one in result.get("rejected", [])[:3]],
        "assumptions": result.get("assumptions", [])[:ASSUMPTIONS_MAX], "warnings": result.get("warnings", [])[:2],
    }  # fmt: skip
    plain: dict[str, Any] = shown({name: value for name, value in rows.items() if value})
    return plain


def _way(way: dict[str, Any], *, lead: bool, waits: bool) -> dict[str, Any]:
    memory, speed = dict(way.get("memory") or {}), way.get("speed") or {}
    if memory.get("usable_bytes_per_gpu"):
        memory["spare_bytes_per_gpu"] = memory["usable_bytes_per_gpu"] - memory["needed_bytes_per_gpu"]
    if not memory.get("host_bytes"):
        memory = {name: value for name, value in memory.items() if not name.startswith("host")}
    if not memory.get("usable_bytes_per_gpu"):  # the processor alone
        memory = {name: value for name, value in memory.items() if not name.endswith("_per_gpu")}
    kept = {name: value for name, value in way.items() if name not in WAY_LEFT_OUT}
    if lead and way.get("command"):  # with program and repository, or a model makes them up; others differ in flags
        kept["flags"] = way["command"].partition("  # test:")[0].partition("; test:")[0]
    return {
        **kept,
        "memory": {name: value for name, value in memory.items() if name not in MEMORY_LEFT_OUT},
        "limits": _only(way.get("limits") or {}, ("max_context_tokens", "max_concurrent_sequences")),
        "speed": paced(speed, way.get("concurrent_sequences") or 1, waits=waits),
        "why": (way.get("why") or [])[:1],
    }  # fmt: skip


def _together(held: dict[str, Any] | None) -> dict[str, Any] | None:
    """Several models on one machine, a line each."""
    if not held:
        return None
    rows = [
        {
            **_only(one, ("model", "name", "share_ratio")),
            **{name: value for name, value in _candidate(one).items() if name != "model" and value is not None},
        }
        for one in held.get("shares", [])
    ]
    return {"mode": held["mode"], "said": held["said"], "models": rows}


def _candidate(one: dict[str, Any]) -> dict[str, Any]:
    """A model that a machine runs, in one line."""
    way = one.get("way") or {}
    speed, memory = way.get("speed") or {}, way.get("memory") or {}
    return {
        "model": one.get("name"), "way": way.get("title"), "needed_bytes_per_gpu": memory.get("needed_bytes_per_gpu"),
        "tokens_per_s_per_user": speed.get("tokens_per_s_per_user"),
        "max_context_tokens": (way.get("limits") or {}).get("max_context_tokens"),
    }  # fmt: skip


def _only(row: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in names if row.get(name) is not None}
