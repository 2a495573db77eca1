"""What a person can do with the cards in hand: the largest model for each way of using it."""

from collections.abc import Iterator, Sequence
from functools import cache

from kb.base import BadInput
from kb.catalog import gpu as find_gpu
from kb.catalog import gpus
from kb.catalog import model as find_model
from kb.machines.mig import Cut, cuts
from kb.purposes import models_for, purposes
from kb.records.gpu import Gpu
from kb.records.model import Model
from kb.units import GIB, format_bytes, format_count
from tools.base import Step
from tools.configure.load.layout import Layout, layouts
from tools.configure.load.workload import FILES as EVERY_FILE
from tools.configure.market.suitable import served_in
from tools.memory.formats import held_in, weight_format
from tools.memory.request import MemoryRequest
from tools.nameless_card import middling
from tools.what_fits_examples import everyday, known_first, language_models
from tools.what_fits_family import members, room_tokens
from tools.what_fits_held import Held, held_alike, held_together, kinds, only_kind, slowest_bandwidth, unlike_cards
from tools.what_fits_request import WhatFitsRequest
from tools.what_fits_result import Beyond, Candidate, Example, FitRow, Method, Slice, WhatFits

METHODS: tuple[tuple[Method, str | None, str | None], ...] = (
    ("inference", "bf16", None),
    ("inference", "int8", None),
    ("inference", "awq", None),
    ("lora", "bf16", "adamw"),
    ("qlora", "nf4", "paged_adamw_8bit"),
    ("full_finetune", "bf16", "adamw"),
    ("full_finetune", "bf16", "adamw_8bit"),
)
"""Method, weight format, optimizer: best quality first within a method."""
TRAINED_IN = {"lora": "bf16", "qlora": "nf4", "full_finetune": "bf16"}
"""Format of the weights in each way to train."""
DIVIDED = (
    "Instances (MIG) are for several users or models that must not disturb each other: each has its own memory and "
    "bandwidth, but none can use what another leaves idle, and a model cannot span two. One model for many users runs "
    "faster on the undivided card, where one engine batches their requests."
)
NO_INSTANCES = (
    "No MIG profiles of {card} are known: let one engine serve everybody, or share the card by MPS or time slicing, "
    "which keep neither memory nor speed apart."
)
MIXED = (
    "Mixed cards serve one model by its layers, which llama.cpp deals out by the memory of each; to train they count "
    "as {count} × {card}, the smallest."
)
NEIGHBOURS = 8
"""Models either side of the boundary that are tried one by one: memory follows size, but not strictly."""
WIDELY = 8
"""So many times as many below it where speed chooses between them: a small mixture beats a large dense model."""
ALONE = {"apu", "laptop"}
"""Markets of machines that one person uses, with llama.cpp, Ollama, LM Studio or MLX; so is every Apple computer."""
OF_ONE_PERSON, FEW_SEQUENCES = 2, 4
"""Consumer cards, and requests at once, up to which a desktop is one person's."""
LARGEST_AT_HOME = 32 * GIB
"""Memory up to which a card without a name is taken for one of a desktop: no consumer card has more."""
FILES = {"int8": "gguf:Q8_0", "awq": "gguf:Q4_K_M"}
"""What stands there for the formats of serving engines."""
PERSONAL_METHODS: tuple[tuple[Method, str | None, str | None], ...] = tuple(
    (task, FILES.get(form or "", form), optimizer) for task, form, optimizer in METHODS
)


def what_fits(request: WhatFitsRequest) -> WhatFits:
    """Say what the cards in hand can run, fine-tune and train: the largest model for each method and format.

    For every method the recent language models of the catalog are tried on the memory calculator around the size where
    they stop fitting: those whose upper estimate fits are sure, those whose estimate fits are tight. Several cards:
    tensor parallel for serving, fully sharded for training.

    Raises:
        UnknownName, AmbiguousName: a card the catalog does not have.
        BadInput: more cards than one machine layout covers.
    """
    card, name, count, usable, assumptions = _cards(request)
    cut = cuts().get(card.id) if card is not None and request.instances else None
    unlike = unlike_cards(request.gpus)
    personal = bool(unlike) or _personal(request, card)
    chosen = [
        row
        for row in _methods(personal, card)
        if not unlike or row[0] != "inference" or row[1] in FILES.values()
        if request.task in {None, row[0]} and (request.weight_format in {None, row[1]} or request.task is None)
    ] or [(request.task or "inference", request.weight_format, "adamw" if request.task else None)]
    rows = tuple(
        _row(request, method, form, optimizer, count, usable, personal and method == "inference")
        for method, form, optimizer in ((row[0], held_in(row[1] or "bf16", card), row[2]) for row in chosen)
    )
    if request.models and request.purpose is None:
        candidates, beyond = _family(request, count, usable, personal)
    else:
        candidates, beyond = tuple(_candidates(request, count, usable, personal)), None
    return WhatFits(
        gpu=card.id if card else None,
        gpu_name=name,
        count=count,
        usable_bytes_per_gpu=usable,
        cards=kinds(unlike),
        together_usable_bytes=sum(one.usable_bytes for one in unlike) or usable * count,
        rows=rows,
        candidates=candidates,
        beyond=beyond,
        slices=tuple(_slices(request, cut, count)) if cut else (),
        warnings=(NO_INSTANCES.format(card=name),) if request.instances and cut is None else (),
        sources=(
            *((purposes()[request.purpose].source,) if request.purpose else ()),
            *(cut.sources if cut else ()),
        ),
        derivation=tuple(_step(row, usable) for row in rows),
        assumptions=(*assumptions, *_load_assumptions(request), *((DIVIDED,) if cut else ())),
    )


def _methods(personal: bool, card: Gpu | None) -> tuple[tuple[Method, str | None, str | None], ...]:
    """The ways to use the card, each in a format that its engines read."""
    read = served_in(card) if card is not None else "usual"
    if personal or read == "files":
        return PERSONAL_METHODS
    four = {"usual": "awq", "gptq": "gptq", "ascend": "int4"}.get(read)
    rows = ((task, four if form == "awq" else form, optimizer) for task, form, optimizer in METHODS)
    return tuple(row for row in rows if row[1] is not None)


def _slices(request: WhatFitsRequest, cut: Cut, count: int) -> Iterator[Slice]:
    """Every profile with what one instance holds; instances have no link between them, so nothing spans two."""
    task = request.task or "inference"
    bandwidth = gpus()[cut.gpu].bandwidth_bytes_per_s
    for profile in cut.profiles:
        yield Slice(
            profile=profile.name,
            instances=profile.most * count,
            enough=profile.most * count >= (request.instances or 1),
            usable_bytes=profile.usable_bytes,
            compute_ratio=profile.compute_ratio,
            bandwidth_bytes_per_s=int(bandwidth * profile.memory_ratio) if bandwidth else None,
            rows=tuple(
                _row(request, method, form or "bf16", optimizer, 1, profile.usable_bytes)
                for method, form, optimizer in METHODS
                if method == task
            ),
        )


def _cards(request: WhatFitsRequest) -> tuple[Gpu | None, str, int, int, tuple[str, ...]]:
    if request.gpus:
        cards = [(find_gpu(item.gpu), item.count or 1) for item in request.gpus]
        smallest = min((card for card, _ in cards), key=lambda card: card.usable_bytes)
        count = sum(number for _, number in cards)
        mixed = len({card.id for card, _ in cards}) > 1
        said = (MIXED.format(count=count, card=smallest.name),) if mixed else ()
        card: Gpu | None = smallest
        name, usable = smallest.name, smallest.usable_bytes
    else:
        stated = request.memory_bytes_per_gpu or GIB
        count, card = request.gpu_count or 1, None
        usable, like = middling(stated)
        name = f"{stated / GIB:g} GB card"
        said = (f"A card of {stated / GIB:g} GB is taken to leave {format_bytes(usable)} usable, as the {like} does.",)
    if count > 8 and count % 8:
        raise BadInput(
            "gpus", f"{count} cards do not divide into machines of eight.", "Give 1 to 8, or a multiple of 8."
        )
    return card, name, count, usable, said


def _row(
    request: WhatFitsRequest,
    method: Method,
    form: str,
    optimizer: str | None,
    count: int,
    usable: int,
    personal: bool = False,
) -> FitRow:
    unlike = unlike_cards(request.gpus) if method == "inference" else ()

    @cache
    def held(place: int) -> Held:
        return _held(request, method, form, optimizer, count, sized[place].id, usable, unlike)

    sized = language_models()
    wide = (WIDELY if personal else 3) * NEIGHBOURS

    def around(enough: tuple[str, ...]) -> range:
        """Places near the one where models stop fitting, the largest first."""
        low, high = 0, len(sized)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if held(middle).verdict in enough else (low, middle)
        return range(min(len(sized), low + NEIGHBOURS) - 1, max(-1, low - wide), -1)

    near = sorted({*around(("yes", "tight")), *around(("yes",))}, reverse=True)
    bandwidth = slowest_bandwidth(request.gpus) * (1 if unlike else count) if personal else None
    sure = [place for place in near if held(place).verdict == "yes"]
    tight = [place for place in near if held(place).verdict == "tight"]
    shown = [
        *((place, "yes") for place in known_first(sized, sure, bandwidth, weight_format(form).body_bits)),
        *((place, "tight") for place in known_first(sized, tight, bandwidth, weight_format(form).body_bits)),
    ]
    return FitRow(
        task=method,
        weight_format=form,
        optimizer=optimizer,
        max_params=sized[sure[0]].params if sure else None,
        tight_params=sized[tight[0]].params if tight and (not sure or tight[0] > sure[0]) else None,
        needed_bytes_per_gpu=held(sure[0]).needed_bytes if sure else None,
        examples=tuple(
            Example(
                model=sized[place].id,
                name=sized[place].name,
                params=sized[place].params,
                needed_bytes_per_gpu=held(place).needed_bytes,
                verdict=verdict,
            )
            for place, verdict in shown
        ),
    )


def _candidates(request: WhatFitsRequest, count: int, usable: int, personal: bool) -> Iterator[Candidate]:
    """Each model in question in the first format that fits, the sure ones of all formats before the tight ones."""
    task = request.task or "inference"
    unlike = unlike_cards(request.gpus) if task == "inference" else ()
    card = only_kind(request.gpus)
    for model in _asked(request) or (_everyday(request, count, usable) if personal and task == "inference" else ()):
        forms = _forms(request, model, personal)
        held = [(form, _held(request, task, form, None, count, model.id, usable, unlike)) for form in forms]
        fitting = [(form, one) for verdict in ("yes", "tight") for form, one in held if one.verdict == verdict]
        for form, one in fitting[:1]:
            yield Candidate(
                model=model.id, name=model.name, params=model.params, weight_format=held_in(form, card),
                needed_bytes_per_gpu=one.needed_bytes, verdict="yes" if one.verdict == "yes" else "tight",
            )  # fmt: skip


def _forms(request: WhatFitsRequest, model: Model, personal: bool, *, every: bool = False) -> list[str]:
    """Formats to try a model in, the best first; of files `every` width, or only eight and four bits."""
    if request.weight_format:
        return [request.weight_format]
    if request.task not in (None, "inference"):
        return [TRAINED_IN[request.task]]
    usual = _usual(request, model, personal)
    wide = [form for form, _ in EVERY_FILE] if every and usual == list(FILES.values()) else usual
    return [held_in(form, only_kind(request.gpus)) for form in wide]


def _family(
    request: WhatFitsRequest, count: int, usable: int, personal: bool
) -> tuple[tuple[Candidate, ...], Beyond | None]:
    """The members of a family that fit, with a context worth having; and the next larger one."""
    task = request.task or "inference"
    unlike = unlike_cards(request.gpus) if task == "inference" else ()

    def context(model: Model) -> int | None:
        return request.context_tokens or (room_tokens(model) if task == "inference" else None)

    def held(model: Model, form: str) -> Held:
        one = request.model_copy(update={"context_tokens": context(model)})
        return _held(one, task, form, None, count, model.id, usable, unlike)

    room = sum(card.usable_bytes for card in unlike) or usable * count
    found, beyond = members(_asked(request), lambda model: _forms(request, model, personal, every=True), held, room)
    return tuple(one.model_copy(update={"context_tokens": context(find_model(one.model))}) for one in found), beyond


def _held(
    request: WhatFitsRequest, method: Method, form: str, optimizer: str | None, count: int, model: str, usable: int,
    unlike: Sequence[Gpu] = (),
) -> Held:  # fmt: skip
    """One model on the cards in hand: unlike ones hold a file of llama.cpp together."""
    if unlike and form.startswith("gguf:"):
        return held_together(_laid_out(request, method, form, optimizer, 1, model), unlike)
    return held_alike(_laid_out(request, method, form, optimizer, count, model), usable)


def _usual(request: WhatFitsRequest, model: Model, personal: bool) -> list[str]:
    """Formats in which a model is served, the best first."""
    card = only_kind(request.gpus)
    forms = [str(form) for task, form, _ in _methods(personal, card) if task == "inference"]
    if not any(form.startswith("gguf:") for form in forms):
        return [model.native_format, *forms[1:]]
    if model.native_format == "mxfp4":
        return ["gguf:MXFP4"]
    return ["gguf:Q4_K_M"] if model.native_format in {"fp4", "nvfp4"} else ["gguf:Q8_0", "gguf:Q4_K_M"]


def _everyday(request: WhatFitsRequest, count: int, usable: int) -> Sequence[Model]:
    """Recent general models that a machine of one person holds for sure and writes fluently, in four bits."""
    unlike = unlike_cards(request.gpus)
    room = sum(card.usable_bytes for card in unlike) or usable * count
    four_bits = weight_format(FILES["awq"]).body_bits

    def holds(model: Model) -> bool:
        if model.params * four_bits / 8 > room:
            return False
        form = request.weight_format or _usual(request, model, personal=True)[-1]
        return _held(request, "inference", form, None, count, model.id, usable, unlike).verdict == "yes"

    together = 1 if unlike else count  # unlike cards take turns
    return everyday(holds, slowest_bandwidth(request.gpus) * together, four_bits)


def _asked(request: WhatFitsRequest) -> Sequence[Model]:
    """The models to try one by one: of the purpose, or those named, largest first."""
    if request.purpose:
        return models_for(request.purpose)
    return sorted((find_model(name) for name in request.models), key=lambda model: -model.params)


def _personal(request: WhatFitsRequest, card: Gpu | None) -> bool:
    """Whether one person uses the machine, through llama.cpp and what is built on it."""
    count = sum(item.count or 1 for item in request.gpus) or request.gpu_count or 1
    few = count <= OF_ONE_PERSON and (request.concurrent_sequences or 1) <= FEW_SEQUENCES and not request.instances
    if card is None:
        return few and (request.memory_bytes_per_gpu or 0) <= LARGEST_AT_HOME
    return card.vendor == "Apple" or card.market in ALONE or (card.market == "consumer" and few)


def _laid_out(
    request: WhatFitsRequest, method: Method, form: str, optimizer: str | None, count: int, model: str
) -> MemoryRequest:
    training = method != "inference"
    fields: dict[str, object] = {"task": method, "weight_format": form, "model": model}
    if form.startswith("gguf:"):
        fields["engine"] = "llama.cpp"
    if training:
        fields |= {
            "optimizer": optimizer,
            "gradient_checkpointing": "full",
            "sequence_tokens": request.sequence_tokens or request.context_tokens,
            "micro_batch_size": request.micro_batch_size,
        }
    else:
        fields |= {
            "context_tokens": request.context_tokens,
            "concurrent_sequences": request.concurrent_sequences,
        }
    plain = MemoryRequest.model_validate({name: value for name, value in fields.items() if value is not None})
    offered = layouts(plain, count)
    sharded = (one for one in offered if one.sharding == "zero3" and one.data_parallel == count)
    layout = next(iter((*sharded, *offered)), Layout(count))
    return layout.of(plain)


def _load_assumptions(request: WhatFitsRequest) -> tuple[str, ...]:
    said = ["Training keeps gradient checkpointing on."]
    if request.context_tokens is None and request.sequence_tokens is None:
        said.append("Context and sequence lengths are the calculator's defaults, as none was stated.")
    return tuple(said)


def _step(row: FitRow, usable: int) -> Step:
    return Step(
        label=f"{row.task} in {row.weight_format}" + (f" with {row.optimizer}" if row.optimizer else ""),
        formula="largest model whose upper estimate ≤ usable memory of each GPU",
        inputs={"usable_bytes": usable, "needed_bytes": row.needed_bytes_per_gpu},
        value=format_count(row.max_params) if row.max_params else None,
        unit="params",
        source="calibration",
    )
