"""A weighed candidate as it is answered."""

from typing import Literal

from kb.constants.quality import quality
from tools.ways_to_run.result import Offload, Way, WayLayout, WayMemory, WaySpeed
from tools.ways_to_run.space.formats import bits_per_weight
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Machine
from tools.ways_to_run.tell.command import command_of
from tools.ways_to_run.tell.flags import flags_of
from tools.ways_to_run.tell.words import nodes_used, title_of, used_cards, why
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.limits import limits_of
from tools.ways_to_run.weigh.pace import Paces, answer_s, late_first_token, requests_per_hour
from tools.ways_to_run.weigh.worth import Weighed

What = Literal["experts", "layers", "all"]


def way_of(
    load: Load, machine: Machine, one: Weighed, *, as_asked: bool = True, utilization: float | None = None
) -> Way:
    """Everything about one way; `load` is the one it is for, changed or as asked."""
    candidate = one.candidate
    flags = flags_of(load, machine, candidate, utilization)
    return Way(
        title=title_of(candidate), cards=used_cards(candidate), nodes=nodes_used(candidate), engine=candidate.engine,
        weight_format=candidate.form, bits_per_weight=round(bits_per_weight(load, candidate.form), 2),
        loss_percent=_loss(load, candidate.form), kv_format=candidate.kv, context_tokens=load.context,
        concurrent_sequences=load.sequences, layout=_layout(load, candidate), memory=_memory(candidate),
        limits=limits_of(load, candidate), speed=_speed(load, one), meets_targets=one.meets, as_asked=as_asked,
        flags=flags,
        command=command_of(load, candidate, flags), why=tuple(why(load, one)),
    )  # fmt: skip


def _loss(load: Load, form: str) -> float | None:
    """What the words of `why` say of the format, as a number; nothing of the published weights."""
    lost = quality().weights_percent(form, load.native, load.shape.params)
    return None if form in (load.native, "gguf:BF16") or not lost else float(f"{lost:.2g}")


def _layout(load: Load, candidate: Candidate) -> WayLayout:
    spread, held = candidate.spread, candidate.held
    away: Offload | None = None
    if candidate.offloads:
        what: What = "all" if not candidate.cards else "layers" if held.whole_layers else "experts"
        away = Offload(what=what, bytes=int(held.host_bytes), layers=held.host_layers, of_layers=load.shape.layers)
    return WayLayout(
        tp=spread.tp, pp=spread.pp, dp=spread.dp, ep=spread.ep, offload=away,
        unequal=candidate.group is None and candidate.unlike,
    )  # fmt: skip


def _memory(candidate: Candidate) -> WayMemory:
    held = candidate.held
    return WayMemory(
        needed_bytes_per_gpu=round(held.needed), low_bytes_per_gpu=int(held.low), high_bytes_per_gpu=int(held.high),
        usable_bytes_per_gpu=held.usable, weights_bytes_per_gpu=round(held.weights),
        cache_bytes_per_gpu=round(held.cache), rest_bytes_per_gpu=round(held.rest),
        weights_bytes=round(held.weights_all),
        host_bytes=round(held.host_bytes), host_usable_bytes=candidate.host.usable, surety=held.surety or "tight",
    )  # fmt: skip


def _speed(load: Load, one: Weighed) -> WaySpeed | None:
    speed = one.speed
    if speed is None:
        return None
    shared = load.sequences > 1 and speed.first_token is not None
    return WaySpeed(
        tokens_per_s_per_user=speed.per_user, decode_tokens_per_s_per_user=speed.decode,
        tokens_per_s_total=speed.total, first_token_s=speed.first_token,
        first_token_alone_s=Paces(load).alone_first(one.candidate) if shared else None,
        first_token_burst_s=speed.burst if shared else None, first_token_p95_s=late_first_token(load, speed),
        roofline_tokens_per_s=speed.roofline,
        answer_s=answer_s(load, speed), requests_per_hour=requests_per_hour(load, speed),
        prefill_tokens_per_s=speed.prefill, bound=speed.bound, label=speed.label,
    )  # fmt: skip
