"""Served language models as `find_ways_to_run` weighs them: the same load, formats, memory and speed."""

import math
from functools import lru_cache
from typing import NamedTuple, get_args

from kb.constants.memory_constants import constants
from kb.constants.speed_constants import constants as speed_constants
from kb.models import models
from kb.records.gpu import Gpu
from tools.configure.load.cut import Cut, Floor
from tools.configure.load.layout import MOST_STAGES, SHARED_EXPERTS, Layout
from tools.configure.market.suitable import reads_files
from tools.configure.pace.speeds import Speed
from tools.configure.request import ConfigureRequest
from tools.memory.formats import held_in
from tools.shards import block_of, cut_layers, experts_whole
from tools.speed.result import Interval
from tools.speed.work import Work
from tools.ways_to_run.request import Engine, KvFormat, WorkFields
from tools.ways_to_run.space.formats import (
    FILES,
    KV_FILES,
    KV_SERVED,
    LADDER,
    SERVERS,
    Readable,
    attends,
    cache_formats,
    engines,
    formats,
    readable,
)  # fmt: skip
from tools.ways_to_run.space.layouts import Group, Spread, indivisible
from tools.ways_to_run.space.load import Load, load_of
from tools.ways_to_run.space.machine import Card, Host
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.held import Held, base_workload, held_dealt, loaded, shard_of
from tools.ways_to_run.weigh.pace import Paces
from tools.ways_to_run.weigh.pace import Speed as Rates

LANGUAGE = {"llm", "vlm"}
ENGINES, CACHES = frozenset(get_args(Engine)), frozenset(get_args(KvFormat))
WIDEST_TENSOR = 8
USUAL_FILES = ("gguf:Q8_0", "gguf:Q6_K", "gguf:Q5_K_M", "gguf:Q4_K_M")
"""Files proposed unasked: sixteen bits take twice the time of one user's token for no better answers, and below four
they get markedly worse."""
SMALL_FILES = ("gguf:Q4_K_M", "gguf:MXFP4")
CLASSES = (("bf16", "fp16"), ("fp8", "mxfp8", "int8"), ("awq", "gptq", "int4", "nvfp4", "fp4", "mxfp4"))
"""Formats of one size, those that are taken first before the others."""
NARROW = ("fp8", "q8_0")
"""Caches that are tried where the wide one does not fit."""
ENDS = (("", "value"), ("_low", "low"), ("_high", "high"))


class Form(NamedTuple):
    """What one engine reads of the model, with its cache."""

    engine: str
    name: str
    kv: str

    @property
    def narrow(self) -> bool:
        """Whether its cache is narrower than the weights' own."""
        return self.kv in NARROW


class Serving:
    """The load of one request, every form it can be had in, and how fast each is on a card."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.paces = Paces(load)
        self.forms = tuple(_forms(load))
        self._cuts: dict[Form, ServedCuts] = {}
        self._offered: dict[str, tuple[Form, ...]] = {}

    def cuts(self, form: Form) -> "ServedCuts":
        """What every layout of a form holds."""
        if form not in self._cuts:
            self._cuts[form] = ServedCuts(self.load, form)
        return self._cuts[form]

    def offered(self, gpu: Gpu) -> tuple[Form, ...]:
        """The forms that an engine reads on the card and whose attention it computes there, widest first."""
        if gpu.id not in self._offered:
            self._offered[gpu.id] = tuple(self._on(gpu))
        return self._offered[gpu.id]

    def _on(self, gpu: Gpu) -> list[Form]:
        for engine in _engines(self.load, gpu):
            caches = cache_formats(self.load, engine, gpu)
            wide = [name for name in caches if name not in NARROW][:1]
            kept = [*wide, *(name for name in caches if name in NARROW)] or list(caches[:1])
            found = [
                Form(engine, name, "bf16" if kv == "fp16" and engine != FILES else kv)
                for name in _one_of_each(self.load, engine, gpu)
                for kv in kept
            ]
            kept_forms = [form for form in found if form in self.forms]
            if kept_forms:
                return kept_forms + self._files_beside(gpu, engine)
        return []

    def _files_beside(self, gpu: Gpu, engine: str) -> list[Form]:
        """Files of four bits for one person where a server finds no room: it adds more than llama.cpp does."""
        load = self.load
        alone = engine != FILES and load.engine is None and load.sequences == 1
        if not alone or FILES not in engines(gpu, None) or not attends(load, FILES, gpu):
            return []
        return [form for form in self.forms if form.engine == FILES and form.name in SMALL_FILES]

    def speed(self, gpu: Gpu, layout: Layout, form: Form) -> Speed | None:
        """Rates of a layout; null where no source states how fast the card reads."""
        rates = self.paces.of(self._candidate(gpu, layout, form))
        return None if rates is None else told(rates)

    def _candidate(self, gpu: Gpu, layout: Layout, form: Form) -> Candidate:
        cuts = self.cuts(form)
        name = held_in(form.name, gpu)
        card, host = Card(gpu, gpu.usable_bytes), Host(None, None, speed_constants().host.bandwidth_bytes_per_s)
        held = Held(0.0, 0.0, 0.0, gpu.usable_bytes, 0.0, 0.0, 1.0, "yes")
        if form.engine == FILES:
            stages = Spread(1, layout.gpus, 1, 1)
            cards = (card,) * layout.gpus
            return Candidate(FILES, name, form.kv, cuts.work, None, stages, cards, host, held, None)
        group = Group(gpu, (gpu.usable_bytes,) * layout.gpus, 1, (card,))
        return Candidate(form.engine, name, form.kv, cuts.work, group, cuts.spread(layout), (card,), host, held, None)

    def alone(self, gpu: Gpu, name: str) -> Work | None:
        """The load in a format on one card, with the narrowest cache: no layout of it reads less."""
        engine = FILES if name.startswith("gguf:") else next(form.engine for form in self.forms if form.name == name)
        least = min(constants().kv.bytes[form.kv] for form in self.forms if form.name == name)
        return self.paces.alone(engine, held_in(name, gpu), least, gpu)


class ServedCuts:
    """The cuts of one form, by the solver's own evaluation."""

    def __init__(self, load: Load, form: Form) -> None:
        self._load, self._form = load, form
        bare = base_workload(load, form.engine, form.name)
        self.work = bare._replace(kv_bytes=constants().kv.bytes[form.kv], kv_format=form.kv)
        self._known: dict[tuple[object, ...], Cut] = {}

    def layouts(self, count: int) -> tuple[Layout, ...]:
        """Every layout over `count` cards in which heads, groups, experts and quantised blocks divide."""
        if self._form.engine == FILES:
            return (Layout(count, 1, count),) if count <= self._load.shape.layers else ()
        return _layouts(self._load, self._form.name, count)

    def spread(self, layout: Layout) -> Spread:
        """The layout as the solver writes it."""
        if layout.expert_parallel > 1:
            return Spread(1, 1, layout.replicas, layout.expert_parallel)
        tensor = layout.tensor_parallel
        whole = tensor > 1 and experts_whole(self._load.shape, tensor, self._form.name)
        return Spread(tensor, layout.pipeline_parallel, layout.data_parallel, tensor if whole else 1)

    def cut(self, layout: Layout, *, large: bool, boards: bool = False) -> Cut:
        """What the fullest card holds."""
        load = self._load
        here = -(-load.sequences // layout.replicas)
        key = (layout.tensor_parallel, layout.pipeline_parallel, layout.expert_parallel, here, large, boards)
        if key not in self._known:
            if self._form.engine == FILES:
                work = loaded(self.work, load, load.context, load.sequences)
                held = held_dealt(work, [10**15] * layout.gpus, None, even=True)[0]
                needed, high, weights, cache = held.needed, held.high, held.weights, held.cache
            else:
                spread = self.spread(layout)
                shard = shard_of(
                    self.work, spread, load, load.context, load.sequences, large=large,
                    boards=boards and layout.tensor_parallel > 1,
                )  # fmt: skip
                needed, high, weights, cache = shard.needed, shard.high, shard.weights, shard.cache
            total = math.ceil(needed)
            self._known[key] = Cut(
                total, max(math.ceil(high), total), self._form.name, self._form.engine, round(weights), round(cache)
            )
        return self._known[key]

    def least(self, layout: Layout) -> float:
        """Bytes below which no layout is: weights over the cards of a copy, the cache over all of its own."""
        return self.floor.copied / layout.group + self.floor.spread / layout.data_parallel / layout.copy

    @property
    def floor(self) -> Floor:
        """Weights of a copy, and the whole cache."""
        return _floor(self.cut(Layout(1), large=False))


def _floor(alone: Cut) -> Floor:
    return Floor(max(alone.weights_bytes - 1, 0), max(alone.cache_bytes - 1, 0))


def serving(need: ConfigureRequest, model: str | None, sequences: int | None, *, training: bool) -> Serving | None:
    """The load of a need; null where the solver does not weigh such work: no text, pictures of a stated
    size, a format that no server reads."""
    known = models()[model].kind if model else "llm"
    sized = any((need.width_px, need.height_px, need.frames, need.video_s))
    if training or known not in LANGUAGE or sized or need.engine not in {None, *ENGINES}:
        return None
    given = {
        "model": model, "params": None if model else need.params, "context_tokens": need.context_tokens,
        "concurrent_sequences": sequences, "weight_format": need.weight_format, "engine": need.engine,
        "kv_format": need.kv_format if need.kv_format in CACHES else None, "adapters": need.adapters,
        "lora_rank": need.lora_rank if need.adapters else None, "images_per_request": need.images_per_sample,
        "input_tokens": need.input_tokens, "output_tokens": need.output_tokens,
        "target_tokens_per_s": need.target_tokens_per_s, "target_first_token_s": need.target_latency_s,
    }  # fmt: skip
    load = load_of(WorkFields.model_validate({name: one for name, one in given.items() if one is not None}))
    found = Serving(load)
    return found if found.forms else None


def _engines(load: Load, gpu: Gpu) -> tuple[str, ...]:
    """The engine one would take on the card before another: a server, files where there is none or one memory."""
    able = [one for one in engines(gpu, load.engine) if attends(load, one, gpu)]
    filed = reads_files(gpu) or (load.weight_format or "").startswith("gguf:")
    servers = [] if filed and load.engine is None else [one for one in able if one in SERVERS][:1]
    return (*servers, *(one for one in able if one == FILES))


def _forms(load: Load) -> list[Form]:
    """Every form of the model that some card may be given."""
    servers = [load.engine] if load.engine in SERVERS else [] if load.engine else list(SERVERS[:1])
    found = []
    for engine in (*servers, *((FILES,) if load.engine in (None, FILES) else ())):
        names = formats(load, engine)
        if engine == FILES and load.weight_format is None:
            names = tuple(name for name in names if name in USUAL_FILES or name not in _ladder()) or names
        wide = ("fp16", "q8_0") if engine == FILES else KV_SERVED
        every = KV_FILES if engine == FILES else KV_SERVED
        asked = {"fp16": "bf16"}.get(load.kv_format or "", load.kv_format) if engine != FILES else load.kv_format
        asked = {"bf16": "fp16"}.get(asked or "", asked) if engine == FILES else asked
        caches = wide if asked is None else tuple(name for name in every if name == asked)
        found += [Form(engine, name, kv) for name in names for kv in caches]
    return found


@lru_cache(maxsize=1)
def _ladder() -> frozenset[str]:
    return frozenset(f"gguf:{name}" for name in LADDER)


def _one_of_each(load: Load, engine: str, gpu: Gpu) -> list[str]:
    """Of formats of one size the first that the card reads, one without conditions before others."""
    names = formats(load, engine)
    read = [one for one in readable(load, engine, gpu) if isinstance(one, Readable)]
    known = {name: one for name in names for one in read if one.name == held_in(name, gpu)}
    if engine == FILES:
        return list(known)
    order = sorted(known, key=lambda name: (name != load.native, known[name].condition is not None))
    found: list[str] = []
    for name in order:
        alike = next((size for size in CLASSES if name in size), (name,))
        if not any(other in alike for other in found):
            found.append(name)
    return [name for name in names if name in found]


@lru_cache(maxsize=4096)
def _spread_over(tensors: tuple[int, ...], layers: int, sequences: int, count: int) -> tuple[Layout, ...]:
    found = []
    for tensor in tensors:
        if count % tensor:
            continue
        for stages in range(1, min(count // tensor, MOST_STAGES, layers) + 1):
            copies, left = divmod(count, tensor * stages)
            if not left and copies <= sequences:
                found.append(Layout(count, tensor, stages, copies))
    return tuple(found)


def _layouts(load: Load, form: str, count: int) -> tuple[Layout, ...]:
    shape, block = load.shape, block_of(load.shape.id, form)
    experts = shape.experts.experts if shape.experts else 0

    def divides(ways: int) -> bool:
        if indivisible(shape, ways) or cut_layers(shape, ways, block):
            return False
        return not (ways > 1 and experts_whole(shape, ways, form) and experts % ways)

    tensors = tuple(ways for ways in range(min(WIDEST_TENSOR, count), 0, -1) if count % ways == 0 and divides(ways))
    found = _spread_over(tensors, shape.layers, load.sequences, count)
    least = speed_constants().decode.attention_copies_from
    shared = tuple(
        Layout(count, data_parallel=count, expert_parallel=ways)
        for ways in SHARED_EXPERTS
        if experts and ways <= count and count % ways == 0 and experts % ways == 0
        and load.sequences >= max(least * ways, count)
    )  # fmt: skip
    return (*found, *shared)


def told(rates: Rates) -> Speed:
    """Rates under the names that configurations tell them by."""
    first: Interval | None = rates.first_token
    return {
        **{f"tokens_per_s_per_user{end}": getattr(rates.per_user, of) for end, of in ENDS},
        "tokens_per_s_total": rates.total.value,
        "time_to_first_token_s": first.value if first else None,
        "bound": rates.bound,
        "label": rates.label,
    }
