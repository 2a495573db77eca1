"""The way a request to serve is written for: the one that the search for ways finds, so that both say the same."""

from collections.abc import Iterator
from typing import NamedTuple

from kb.base import AdvisorError, BadInput, NothingFits, UnknownName
from kb.catalog import gpus
from kb.lexicon.cards.rules import CardCount, read_cards
from kb.models import model as catalog_model
from kb.records.gpu import Gpu
from kb.units import format_bytes
from tools.launch.request import SERVERS, LaunchRequest
from tools.memory.estimate import estimate_memory
from tools.memory.formats import canonical
from tools.memory.request import MemoryRequest
from tools.memory.result import Fit, HostShare, MemoryEstimate, Part, PartName, PerGpu
from tools.named import read_card
from tools.ways_to_run.find import find_ways_to_run
from tools.ways_to_run.request import Parallel, WaysToRunRequest
from tools.ways_to_run.search import search
from tools.ways_to_run.space.formats import FILES, NATIVE_FILES, engine_rule, runs
from tools.ways_to_run.space.layouts import Spread, indivisible
from tools.ways_to_run.space.load import Load, load_of
from tools.ways_to_run.space.machine import Machine, machine_of
from tools.ways_to_run.tell.binds import nearest
from tools.ways_to_run.tell.flags import placed
from tools.ways_to_run.tell.rejected import rejected_of
from tools.ways_to_run.tell.words import cards_name, format_name
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.worth import Weighed

USUAL_FILE = "gguf:Q4_K_M"
"""GGUF type that people take where they name none."""
LAYOUT = ("tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel")
AS_FILES = {"int4": USUAL_FILE, "bf16": "gguf:BF16", "fp16": "gguf:F16"}


class Served(NamedTuple):
    """The request with every open choice made, and the way it stands for."""

    request: LaunchRequest
    program: str
    machine: Machine
    load: Load
    candidate: Candidate
    said: tuple[str, ...]
    """What had to be chosen otherwise than usual, for the person to know before starting."""

    @property
    def card(self) -> Gpu:
        """The card, with its memory as it is here: less what others hold."""
        card = self.machine.cards[0]
        return card.gpu.model_copy(update={"usable_bytes": min(card.gpu.usable_bytes, card.usable)})

    @property
    def spread(self) -> Spread:
        """How the cards share the model."""
        return self.candidate.spread


def engine_of(program: str) -> str:
    """The engine that does the work under a program."""
    return FILES if program == "ollama" else program


def card_of(request: LaunchRequest) -> tuple[CardCount, tuple[str, ...]]:
    """The card that is named, as `read_card` reads it, or with memory of its own: `2080 Ti 44GB`.

    Raises:
        UnknownName: no such card.
        BadInput: cards of several kinds, or another count than `gpu_count`.
    """
    try:
        card, said = read_card(request.gpu)
    except UnknownName:
        kinds = read_cards(request.gpu, "gpu")
    else:
        return CardCount(gpu=card.id, count=request.gpu_count, name=card.name), said
    if len(kinds) > 1:
        raise BadInput(
            "gpu", "launch files are written for cards of one kind.",
            "Start unlike cards by the command that find_ways_to_run gives with its way: it deals the layers out.",
        )  # fmt: skip
    count = kinds[0].count if request.gpu_count == 1 else request.gpu_count
    if kinds[0].count not in (1, count):
        raise BadInput("gpu_count", f"{count} cards, and {kinds[0].count} in “{request.gpu}”.", "Give one count.")
    return kinds[0].model_copy(update={"count": count}), kinds[0].assumptions


def served(request: LaunchRequest, card: CardCount) -> Served:
    """The way: as asked; else with a narrower cache, then in another format, where those were left open.

    Raises:
        BadInput: an engine, a format or a layout that does not go with the model and the cards.
        NothingFits: the cards do not hold it; carries what would.
    """
    programs = _programs(request, card)
    machine = machine_of(_asked(request, card, programs[0], None, None))
    for program in programs:
        for form, kv, said in _choices(request, program):
            load = load_of(_asked(request, card, program, form, kv))
            ways = _over_all(machine, load) or search(machine, load).ways
            if program != programs[0]:  # a stand-in: heads are cut unevenly only where llama.cpp was asked for
                ways = [one for one in ways if indivisible(load.shape, one.candidate.spread.tp) is None]
            if ways and ways[0].candidate.cards:
                return _served(request, program, machine, load, _leading(ways, machine), said)
    form, kv, _ = next(_choices(request, programs[0]))
    raise _refused(request, machine, _asked(request, card, programs[0], form, kv))


def _leading(ways: list[Weighed], machine: Machine) -> Weighed:
    """The way that leads, or one copy over all the cards where that is as fast: it holds more requests."""
    first, cards = ways[0], len(machine.cards) * machine.nodes
    whole = (one for one in ways if one.candidate.spread.cards == cards and one.candidate.spread.dp == 1)
    return next((one for one in whole if one.rate >= first.rate), first)


def _over_all(machine: Machine, load: Load) -> list[Weighed]:
    """Ways of one copy on all of several machines, each a stage: for that several are named.

    Copies on machines of their own are servers of their own behind a balancer, each with files for one machine.
    """
    if machine.nodes == 1 or load.parallel != Parallel():
        return []
    staged = load._replace(parallel=Parallel(pp=machine.nodes))
    cards = len(machine.cards) * machine.nodes
    return [one for one in search(machine, staged).ways if one.candidate.spread.cards == cards]


def _refused(request: LaunchRequest, machine: Machine, asked: WaysToRunRequest) -> AdvisorError:
    """Why nothing is written: the layout, the format, the model's kernels; else memory, with what would fit."""
    load = load_of(asked)
    found = search(machine, load)
    for row in rejected_of(load, machine, found):
        field = {"divisibility": "tensor_parallel", "engine": "engine", "format": "weight_format"}.get(row.kind)
        stated = field is not None and (field == "engine" or getattr(request, field) is not None)
        if field is not None and stated and not found.missed:
            return BadInput(field, f"{row.way}: {row.reason}.", "find_ways_to_run lists what goes on these cards.")
    if not found.missed:
        layout = next((name for name in LAYOUT if getattr(request, name) is not None), "weight_format")
        return BadInput(layout, f"goes not on {machine.name}.", "Leave it open, or give tp × pp × copies of the cards.")
    held = nearest(found.missed)[0].held
    closest = [f"{one.change}: {one.effect}" for one in find_ways_to_run(asked).changes]
    if not closest:
        sized = MemoryRequest(model=asked.model, weight_format=asked.weight_format, engine=asked.engine)
        closest = [f"{one.count} × {gpus()[one.gpu].name}" for one in estimate_memory(sized).minimum_gpus[-3:]]
    return NothingFits(
        f"It does not fit: {format_bytes(held.needed)} on each card, {format_bytes(held.usable)} usable.", closest
    )


def _programs(request: LaunchRequest, card: CardCount) -> tuple[str, ...]:
    """The program asked for, else those that run on the card, the usual one first."""
    gpu, gguf = read_card(card.gpu or "")[0], (request.weight_format or "").startswith("gguf")
    if request.engine is not None:
        engine = engine_of(request.engine)
        rule = engine_rule(engine, gpu)
        if not runs(engine, gpu, engine):
            reason = rule.reason if rule else f"nobody vouches for {request.engine} on {gpu.name}"
            others = [one for one in SERVERS if runs(engine_of(one), gpu, engine_of(one))]
            hint = f"{rule.instead}. " if rule and rule.instead else ""
            raise BadInput("engine", f"{reason}.", f"{hint}Choose {' or '.join(others) or 'another card'}.")
        return (request.engine,)
    usual = (FILES,) if gguf else ("vllm", FILES) if request.nodes == 1 else ("vllm",)
    return tuple(one for one in usual if runs(one, gpu, one)) or usual[:1]


def _choices(request: LaunchRequest, program: str) -> Iterator[tuple[str | None, str | None, str | None]]:
    """Weight and cache formats to try in order, with what to say of them."""
    asked, usual = request.weight_format, _usual(request, program)
    given = None if request.kv_format == "auto" else request.kv_format
    form = AS_FILES.get(asked, asked) if asked and engine_of(program) == FILES else asked
    yield form or usual, given or "bf16", None
    if given is None:
        yield form or usual, None, "the cache in 16 bits does not fit"
    if form is None:
        yield None, given, f"{format_name(usual)} does not fit"


def _usual(request: LaunchRequest, program: str) -> str:
    """The format taken where none is asked for: as published; of files the usual one, or as published in four bits."""
    native = canonical(catalog_model(request.model).native_format)
    if engine_of(program) != FILES:
        return native
    return f"gguf:{NATIVE_FILES[native][0]}" if native in NATIVE_FILES else USUAL_FILE


def _asked(request: LaunchRequest, card: CardCount, program: str, form: str | None, kv: str | None) -> WaysToRunRequest:
    per_node = max(card.count // request.nodes, 1)
    copies = request.data_parallel
    return WaysToRunRequest.model_validate(
        {
            "model": request.model, "cards": (card.model_copy(update={"count": per_node}),), "nodes": request.nodes,
            "host_memory_bytes": request.host_memory_bytes, "engine": engine_of(program), "weight_format": form,
            **({"memory_taken_bytes": request.memory_taken_bytes} if request.memory_taken_bytes else {}),
            "kv_format": kv, "context_tokens": request.context_tokens,
            "concurrent_sequences": request.concurrent_sequences or copies,
            "parallel": Parallel(
                tp=request.tensor_parallel, pp=request.pipeline_parallel, dp=copies, ep=request.expert_parallel
            ),
        }
    )  # fmt: skip


def _served(
    request: LaunchRequest, program: str, machine: Machine, load: Load, one: Weighed, why: str | None
) -> Served:
    candidate, said = one.candidate, []
    spread, cards = candidate.spread, len(machine.cards) * machine.nodes
    if candidate.group is not None and not request.data_parallel:
        spread = spread._replace(dp=spread.dp * _copies(candidate, machine))
        candidate = candidate._replace(spread=spread)
    used = spread.cards if candidate.group is not None else len(candidate.cards)
    if why is not None:
        said.append(
            f"{why[0].upper()}{why[1:]}: written for {format_name(candidate.form)} with the cache in {candidate.kv}."
        )
    if used < cards and candidate.cards:
        said.append(f"Takes {used} of {cards} cards ({cards_name(candidate)}): the others would gain it nothing.")
    filled = {
        "engine": program, "gpu_count": max(used, 1), "nodes": -(-used // len(machine.cards)) or 1,
        "weight_format": candidate.form, "kv_format": _kv(request, candidate),
        "tensor_parallel": spread.tp, "pipeline_parallel": spread.pp, "data_parallel": spread.dp,
        "expert_parallel": spread.ep if spread.ep > 1 else None,
    }  # fmt: skip
    return Served(request.model_copy(update=filled), program, machine, load, candidate, tuple(said))


def _kv(request: LaunchRequest, candidate: Candidate) -> str:
    """The cache as files state it: sixteen bits are the engines' own default."""
    return "auto" if candidate.kv in ("bf16", "fp16") else candidate.kv


def _copies(candidate: Candidate, machine: Machine) -> int:
    """Whole copies that fill the cards, where each machine holds whole ones or a copy takes whole machines."""
    used, each = candidate.spread.cards, len(machine.cards)
    if each % used == 0:
        return each * machine.nodes // used
    whole = used % each == 0 and machine.nodes % (used // each) == 0
    return machine.nodes * each // used if whole else 1


def placed_by(way: Served) -> tuple[str, ...]:
    """Flags by which llama.cpp puts the layers where the way has them."""
    return tuple(word for flag in placed(way.load, way.machine, way.candidate) for word in flag.split())


def as_dealt(estimate: MemoryEstimate, way: Served, sequences: int) -> MemoryEstimate:
    """The estimate with the memory of the fullest card as layers are dealt out, and of the host."""
    held = way.candidate.at(way.load, way.load.context, sequences)
    if held is None:
        raise NothingFits(f"{sequences} requests of {way.load.context:,} tokens do not fit at once.", [])
    rows: tuple[tuple[PartName, float], ...] = (
        ("weights", held.weights), ("kv_cache", held.cache), ("buffers", held.rest),
    )  # fmt: skip
    parts = tuple(
        Part(name=name, bytes=round(size), formula=f"of the card with the most: layers {held.layers}")
        for name, size in rows
    )
    total, verdict = sum(part.bytes for part in parts), held.surety or "tight"
    host = None
    if held.host_bytes:
        host = HostShare(bytes=round(held.host_bytes), usable_bytes=held.host_usable or 0, verdict=verdict)
    fit = Fit(gpu=way.card.id, usable_bytes=held.usable, verdict=verdict, headroom_bytes=held.usable - total, host=host)
    per = PerGpu(total_bytes=total, low_bytes=int(held.low), high_bytes=int(held.high), parts=parts)
    return estimate.model_copy(update={"per_gpu": per, "fit": fit, "weight_format": way.candidate.form})
