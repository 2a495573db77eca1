"""GPUs and models named in a text, and names nothing or several things bear."""

from dataclasses import dataclass, replace

from assistant.understand.conditions import find_card_memory
from assistant.understand.gpu_mentions import (
    VARIANT,
    gpu_mentions,
    instances,
    named_gpu,
    numbered,
    other_forms,
    other_market,
    other_sizes,
    set_against,
)
from assistant.understand.mig import find_instance
from assistant.understand.model_mentions import NamedModel, model_mentions, named_model, new_models, unknown_version
from assistant.understand.named import NamedGpu
from assistant.understand.quantities import GPU, MODEL
from assistant.understand.rivals import rivals
from assistant.understand.servers import with_servers
from assistant.understand.sizes import Size, find_sizes
from assistant.understand.text import Text, grammar, masked
from assistant.understand.unknown import unknown_gpus
from assistant.understanding import Ambiguity
from kb.catalog import gpus, models
from kb.naming.names import Mention, close_names, gpu_names

_TIMES = grammar(r"(?<![\d.])(\d{1,3})[x×*](?=[a-z])")
_JOINED = grammar(r"(?<=[a-z0-9])[+](?=[a-z0-9一-鿿])(?! ?395)")
"""A sign between two things, not part of a name: "rtx4090+64g"; AMD's "Max+ 395" is one name."""
_DIFFERS = 1.3
"""Memory of variants so far apart that an answer turns on which is meant."""


@dataclass(frozen=True, slots=True)
class Entities:
    """Everything named, and the text with names and sizes masked."""

    gpus: tuple[NamedGpu, ...]
    models: tuple[NamedModel, ...]
    ambiguities: tuple[Ambiguity, ...]
    sizes: tuple[Size, ...]
    masked: str


def find_entities(text: Text) -> Entities:
    """Names of GPUs and models, each settled on one catalog id where the words allow."""
    scannable = _TIMES.sub(r"\1 ", text.plain)
    of_models = model_mentions(scannable, text)
    of_gpus = _without(gpu_mentions(_JOINED.sub(";", scannable.replace("/", ";"))), of_models)
    of_models = _without(of_models, of_gpus)
    hidden = _mask(text.plain, of_gpus, of_models)
    sizes = find_sizes(hidden)
    strangers = [(start, end, numbered(text, hidden, start, end)) for start, end in unknown_gpus(hidden)]
    named = [named_gpu(text, hidden, mention, sizes) for mention in of_gpus]
    named += [gpu for gpu in instances(text.plain) if not any(gpu.start < g.end and g.start < gpu.end for g in named)]
    named = _of_one_family(named)
    named += [gpu for _, _, gpu in strangers if gpu]
    named = other_market(text.plain, named)
    before = with_servers(text.plain, hidden, named)
    named = other_sizes(text.plain, other_forms(hidden, before))
    hidden = masked(hidden, [(gpu.start, gpu.end, GPU) for gpu in named[len(before) :] if set_against(hidden, gpu)])
    weighed = rivals(hidden, named) if not strangers else ()
    hidden = masked(hidden, [(gpu.start, gpu.end, GPU) for gpu in weighed])
    found_models = [*(named_model(text, mention) for mention in of_models), *new_models(text, hidden)]
    whole = find_instance(text.plain) is None  # of which card an instance is makes no difference to its memory
    doubts = [doubt for doubt in (_gpu_doubt(text, gpu) for gpu in named if whole) if doubt]
    doubts += [Ambiguity(kind="gpu", text=_words(text, one), candidates=one.ids) for one in weighed]
    named += weighed
    doubts += [_stranger(text, "gpu", start, end) for start, end, gpu in strangers if gpu is None]
    doubts += [doubt for doubt in (_model_doubt(text, model) for model in found_models) if doubt]
    return Entities(
        gpus=tuple(sorted(named, key=lambda gpu: gpu.start)),
        models=tuple(sorted(found_models, key=lambda model: model.start)),
        ambiguities=tuple(doubts),
        sizes=tuple(sizes),
        masked=hidden,
    )


def without_limit(entities: Entities, plain: str) -> Entities:
    """Entities less the size that is a condition on cards to be proposed: it is of no card in hand."""
    limit = find_card_memory(plain)
    if limit is None or entities.gpus:
        return entities
    kept = tuple(size for size in entities.sizes if not limit.start <= size.start < limit.end)
    hidden = masked(entities.masked, [(limit.start, limit.end, " ")])
    return replace(entities, sizes=kept, masked=entities.masked if RENTED.search(plain) else hidden)


RENTED = grammar(r"租|(?<![a-z])rent")
"""What the same words say besides."""


def _of_one_family(named: list[NamedGpu]) -> list[NamedGpu]:
    """A family's name beside one of its members is that member: 「910B 能跑吗？手上 2 张 910B2」."""
    sure = {gpu.gpu for gpu in named if len(gpu.ids) == 1}
    return [
        replace(gpu, gpu=member, ids=(member,))
        if len(gpu.ids) > 1 and gpu.gpu not in sure and (member := next((key for key in gpu.ids if key in sure), ""))
        else gpu
        for gpu in named
    ]


def _without(mentions: list[Mention], others: list[Mention]) -> list[Mention]:
    """Those not inside a longer other."""
    return [
        m
        for m in mentions
        if not any(o.start < m.end and m.start < o.end and o.end - o.start >= m.end - m.start for o in others)
    ]


def _mask(plain: str, gpu_mentions: list[Mention], model_mentions: list[Mention]) -> str:
    pieces = [(m.start, m.end, GPU) for m in gpu_mentions] + [(m.start, m.end, MODEL) for m in model_mentions]
    return masked(plain, pieces)


def _gpu_doubt(text: Text, gpu: NamedGpu) -> Ambiguity | None:
    """Several variants that differ much in memory, or a name between two cards; the one assumed first."""
    if len(gpu.ids) < 2:
        return None
    sizes = [gpus()[key].memory_bytes for key in gpu.ids]
    if max(sizes) < _DIFFERS * min(sizes) and not VARIANT.match(text.plain, gpu.end):
        return None
    others = sorted(key for key in gpu.ids if key != gpu.gpu)
    return Ambiguity(kind="gpu", text=_words(text, gpu), candidates=(gpu.gpu, *others))


def _words(text: Text, gpu: NamedGpu) -> str:
    return text.span("gpus_asked", gpu.start, gpu.end).text.strip()


def _model_doubt(text: Text, model: NamedModel) -> Ambiguity | None:
    words = text.span("model", model.start, model.end).text
    if model.model is not None:
        return None
    if (end := unknown_version(text.plain, model)) is not None:
        whole = text.span("model", model.start, end).text
        return Ambiguity(kind="model", text=whole, candidates=model.ids[:3], unknown=True)
    if model.ids:
        return Ambiguity(kind="model", text=words, candidates=model.ids[:6])
    return Ambiguity(kind="model", text=words, candidates=tuple(close_names(words, models())), unknown=True)


def _stranger(text: Text, kind: str, start: int, end: int) -> Ambiguity:
    words = text.span("gpus_asked", start, end).text
    return Ambiguity(kind="gpu", text=words, candidates=tuple(gpu_names().close(words)), unknown=True)
