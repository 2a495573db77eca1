"""Files of llama.cpp for one person's own card: the widest that it holds, as models are run at home."""

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.plan.formats import HOST_LADDER_MXFP4, bits, smaller_formats, unified
from assistant.plan.squeeze import squeezed
from assistant.understand.standing import other_than_language
from kb.catalog import gpu, models
from kb.units import GIB
from tools.configure.load.workload import FILES, SMALLEST_FILES
from tools.configure.market.suitable import served_in
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.memory.result import Fit
from tools.need import GpuCount, Need

OWN = ("consumer", "laptop")
"""Markets of the cards that one person has in a computer of their own."""
DESK_BYTES = 24 * GIB
"""The same of small cards for workstations; old cards of servers that only llama.cpp still runs on are among them."""
OWN_CARDS = 2
"""Most cards of such a computer."""
ASKED = ("can_it_run", "speed", "context_length", "launch_files", "interconnect", "guidance", "other")
"""Intents of who asks what becomes of one model on the cards."""
LADDER = tuple(form for form, _ in FILES)
"""Files that answer well, the widest first: eight bits down to four."""
NARROW = {True: SMALLEST_FILES, False: SMALLEST_FILES[:1]}
"""What is tried where four bits do not fit: on machines of one memory, which nobody enlarges, down to two bits."""
USUAL_FILE = LADDER[-1]
"""The file that most people download: the context that it leaves is worth knowing beside a wider one's."""
CONTEXT_TOKENS = 8192
"""Tokens of context that a wider file must leave room for to be put forward: a conversation, or a file of code."""


def asked(need: Need, card: GpuCount | None) -> bool:
    """Whether one person's own card is asked about, by somebody who named neither a format nor an engine.

    Requests of several at once are a server's, which reads other formats.
    """
    if card is None or need.engine is not None or need.weight_format is not None or need.intent not in ASKED:
        return False
    if requests.is_training(need) or other_than_language(need) or not requests.sized(need):
        return False
    alone = (need.concurrent_sequences or 1) == 1 and (need.users or 1) == 1 and (need.batch_size or 1) == 1
    found = gpu(card.gpu)
    desk = found.market == "workstation" and found.memory_bytes <= DESK_BYTES
    own = found.market in OWN or desk or unified(found.id) or served_in(found) == "files"
    own = own and (card.count or 1) <= OWN_CARDS
    return alone and own and len(requests.cards(need)) == 1 and need.kv_format is None and need.tensor_parallel is None


def calls(need: Need, record: ToolCallRecord, card: GpuCount | None) -> list[PlannedCall | None] | None:
    """Estimates worth having where the published format does not fit such a card; None where it is no such card.

    The widest file that leaves room for a context, with its speed; the usual one where that is another; and what vLLM
    serves in four bits where that fits. Where no file fits, the usual one with a shorter cache and the next narrower.
    """
    ladder = _ladder(need, record, card)
    if card is None or not ladder:
        return None
    used = record.result.get("weight_format")
    placed = {one: fit for one in ladder if (fit := placed_in(need, card, one)) is not None}
    served = () if unified(card.gpu) else smaller_formats(used, None, card.gpu)[-1:]
    beside = [one for one in served if (fit := placed_in(need, card, one)) is not None and fit.verdict != "no"]
    usual, best = ladder[-1], widest(placed)
    if best is not None:
        forms = dict.fromkeys((best, usual, *beside))
        one_memory = unified(card.gpu)  # the wider file is slow there: what people run is told first, where asked
        dense = need.model is None or models()[need.model].experts is None
        order = (usual, best) if one_memory and dense and need.intent == "speed" else (best, usual)
        paced = dict.fromkeys(order if one_memory or need.intent == "speed" else (best,))
        return [*(file_memory(need, card, one) for one in forms), *(requests.speed(need, card, one) for one in paced)]
    short = squeezed(need, record, card, (usual,))
    if held(short):
        return [file_memory(need, card, usual), short, *(file_memory(need, card, one) for one in beside),
                requests.speed(need, card, usual, kv_format="q8_0")]  # fmt: skip
    narrower = NARROW[unified(card.gpu)] if usual in LADDER else ()
    narrow = [one for one in narrower if held(file_memory(need, card, one))][:1]
    return [
        *(file_memory(need, card, one) for one in (usual, *narrow, *beside)),
        *(requests.speed(need, card, one) for one in narrow),
        short,
    ]


def usual(need: Need, record: ToolCallRecord, card: GpuCount | None) -> str | None:
    """The file in which other cards are looked for where such a card holds none of them; None where it is none such."""
    return next(iter(_ladder(need, record, card)[-1:]), None)


def _ladder(need: Need, record: ToolCallRecord, card: GpuCount | None) -> tuple[str, ...]:
    """Files narrower than the published format that did not fit, the widest first; none where none is asked about."""
    used = record.result.get("weight_format") or ""
    if not asked(need, card) or (used.startswith("gguf:") and used != LADDER[0]):
        return ()  # eight bits are what is taken of a model published in FP8 where nothing computes in it
    return HOST_LADDER_MXFP4 if used == "mxfp4" else tuple(one for one in LADDER if bits(one) < bits(used))


def best_of(need: Need, record: ToolCallRecord, card: GpuCount | None) -> str | None:
    """The file to put forward; None where the cards hold none, or none is asked about."""
    ladder = _ladder(need, record, card)
    placed = {one: fit for one in ladder if card and (fit := placed_in(need, card, one)) is not None}
    return widest(placed)


def widest(placed: dict[str, Fit]) -> str | None:
    """The widest of the files, largest first, that fits with room, better with a context worth having; else the widest
    that fits by the estimate alone."""
    roomy = [one for one, fit in placed.items() if fit.verdict == "yes"]
    useful = [one for one in roomy if (placed[one].max_context_tokens or 0) >= CONTEXT_TOKENS]
    tight = [one for one, fit in placed.items() if fit.verdict == "tight"]
    return next(iter((*useful, *roomy, *reversed(tight))), None)


def file_memory(need: Need, card: GpuCount, form: str) -> PlannedCall | None:
    """The memory in such a format: llama.cpp deals a file's layers out to several cards."""
    count = card.count or 1
    if form.startswith("gguf:") and count > 1:
        return requests.memory(need, card, weight_format=form, tensor_parallel=None, pipeline_parallel=count)
    return requests.memory(need, card, weight_format=form)


def placed_in(need: Need, card: GpuCount, form: str) -> Fit | None:
    """How the cards take the model in such a file."""
    return _fit(file_memory(need, card, form))


def left_over(need: Need, card: GpuCount, form: str) -> int:
    """Bytes of the model in such a file that the cards do not hold; negative where there is room."""
    fit = placed_in(need.model_copy(update={"engine": "llama.cpp"}), card, form)
    return -fit.headroom_bytes * (card.count or 1) if fit else 0


def held(call: PlannedCall | None) -> bool:
    """Whether the cards hold what such a call asks for."""
    fit = _fit(call)
    return fit is not None and fit.verdict != "no"


def _fit(call: PlannedCall | None) -> Fit | None:
    return estimate_memory(MemoryRequest.model_validate(call.request)).fit if call else None
