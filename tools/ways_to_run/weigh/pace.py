"""How fast a candidate is."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from kb.base import BadInput
from kb.constants.memory_constants import constants as memory_constants
from kb.constants.quality import quality
from kb.constants.speed_constants import constants as speed_constants
from kb.machines.links import lanes_bytes_per_s, pooled, slot_bytes_per_s
from kb.records.gpu import Gpu
from tools.speed.decode import host_shares, read_bytes
from tools.speed.estimate import TokenPace, bound_of, corrected_pace
from tools.speed.generation import TODAY
from tools.speed.host_only import CPU, estimate_host_speed
from tools.speed.interval import interval, inverse, times
from tools.speed.pace import placed_pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Bound, Interval, Label
from tools.speed.work import Work, product_rate, rates, work_of
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.ceiling import later, lowered, reached, with_adapters
from tools.ways_to_run.weigh.held import CACHES_PREFIXES, HOLDS_IN_SLOTS

LATE_SHARE, MOST_BUSY = 0.05, 0.98
"""Requests that wait longer than the told time, and the most of its time that a card is taken to read prompts."""
ROOMY = 10**7
"""Sequences that are told to fit: whether they do was decided by the memory."""
HOUR_S = 3600
SENT_BYTES = 4
NOTED_RATIO = 1.2
"""Pace without prompts over the one with them from which on both are told."""
SERVED_STEP = 1.2
"""Ratio of sequences served that is not told apart."""
COPIED_RATIO = 0.8
"""Of it, what copies from pinned memory reach."""
USUAL_PCIE = 4
"""Generation of PCI Express where the card's own is not known."""


class Speed(NamedTuple):
    """Rates of one candidate."""

    per_user: Interval
    total: Interval
    first_token: Interval | None
    burst: Interval | None
    """First token of the last when all come at the same moment."""
    prefill: Interval | None
    bound: Bound
    label: Label | Literal["own"]
    host_share: float
    """Share of a token's time that the host's memory takes."""
    decode: Interval | None = None
    """Of one user while no prompt is read; null where that is about as fast as `per_user`."""
    roofline: float | None = None
    """Bandwidth over the bytes of weights that one token reads, wherever they lie: no engine answers one user faster
    without drafted tokens."""
    read_bytes: float | None = None
    """Those bytes."""
    at_pace: int | None = None
    """Most sequences at once that each see a pace people accept; counted for `most_users` alone."""


def answer_s(load: Load, speed: Speed) -> Interval | None:
    """Time of one whole answer: the wait for its first token, then the others; null where the wait is not known."""
    wait, each = speed.first_token, inverse(speed.per_user)
    if wait is None:
        return None
    rest = max(load.answer - 1, 0)
    return Interval(
        value=wait.value + rest * each.value, low=wait.low + rest * each.low, high=wait.high + rest * each.high
    )


def late_first_token(load: Load, speed: Speed) -> Interval | None:
    """The first token that 19 of 20 requests see by, when they come at random times and as many as asked are under way.

        t + W;  W = S·ρ / (2(1 - ρ)) · ln(ρ / 0.05),  S = prompt / rate of reading,  ρ = n·S / time of an answer

    Prompts are read one behind the other, so they queue as M/D/1: the mean wait is S·ρ / (2(1 - ρ)), its tail is taken
    as exponential (Kingman's heavy-traffic limit). Never later than the last of a burst; null for one sequence.
    """
    first, whole, reading, last = speed.first_token, answer_s(load, speed), speed.prefill, speed.burst
    if load.sequences <= 1 or first is None or whole is None or reading is None or last is None:
        return None
    each = (load.prompt - load.cached) / reading.value
    busy = min(load.sequences * each / whole.value, MOST_BUSY)
    wait = each * busy / (2 * (1 - busy)) * math.log(busy / LATE_SHARE) if busy > LATE_SHARE else 0.0
    late = min(first.value + wait, max(last.value, first.value))
    return times(first, late / first.value)


def requests_per_hour(load: Load, speed: Speed) -> Interval | None:
    """Answers finished in an hour while as many as asked are under way: sequences · 3600 / time of a whole answer.

    By Little's law, so the reading of every prompt is in it; null where that wait is not known.
    """
    whole = answer_s(load, speed)
    return None if whole is None else inverse(whole, load.sequences * HOUR_S)


def in_time(load: Load, speed: Speed) -> bool:
    """Whether the first token and the whole answer come as soon as they should."""
    first, whole = speed.first_token, answer_s(load, speed)
    soon = load.target_first_s is None or (first is not None and first.value <= load.target_first_s)
    return soon and (load.target_answer_s is None or (whole is not None and whole.value <= load.target_answer_s))


class Paces:
    """Paces of many candidates of one load: what they share is worked out once."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self._bases: dict[tuple[str, str, str], Work | None] = {}

    def of(self, candidate: Candidate) -> Speed | None:
        """The rates; null where no source states how fast the card reads."""
        speed = self._at(candidate, self.load.sequences)
        if speed is None or self.load.objective != "most_users":
            return speed
        return speed._replace(at_pace=self._served(candidate, speed))

    def alone_first(self, candidate: Candidate) -> Interval | None:
        """First token of a request that nobody shares the cards with."""
        found = self._at(candidate, 1)
        return found and found.first_token

    def _served(self, candidate: Candidate, speed: Speed) -> int:
        """Sequences up to what the memory holds at which each still sees the target, else an accepted pace.

        By bisection to a fifth: a token takes longer the more sequences it is made for.
        """
        load, most = self.load, max(int(self.load.sequences * candidate.room), self.load.sequences)
        least = load.pace or quality().exchange.served_tokens_per_s

        def enough(count: int) -> bool:
            found = speed if count == load.sequences else self._at(candidate, count)
            if found is None or found.per_user.value < least:
                return False
            return in_time(load, found)

        if not enough(load.sequences):
            return 0
        if enough(most):
            return most
        low, high = load.sequences, most
        while high > low * SERVED_STEP + 1:
            middle = round(math.sqrt(low * high))
            low, high = (middle, high) if enough(middle) else (low, middle)
        return low

    def _at(self, candidate: Candidate, sequences: int) -> Speed | None:
        if not candidate.cards:
            return self._by_host(candidate)
        kinds = Counter(card.gpu.id for card in candidate.cards)
        by_id = {card.gpu.id: card.gpu for card in candidate.cards}
        if candidate.group is not None:
            by_id, kinds = {candidate.group.gpu.id: candidate.group.gpu}, Counter({candidate.group.gpu.id: 1})
        paces = {kind: self._on(candidate, by_id[kind], sequences) for kind in kinds}
        known = {kind: pace for kind, pace in paces.items() if pace is not None}
        if len(known) < len(paces):
            return None
        speed = self._together(candidate, known, _shares(candidate, kinds))
        if self.load.adapters:
            speed = speed._replace(
                per_user=with_adapters(speed.per_user), total=with_adapters(speed.total),
                decode=speed.decode and with_adapters(speed.decode),
            )  # fmt: skip
        weak = [share for kind in kinds if (share := reached(by_id[kind], candidate.engine)) is not None]
        return _held_low(speed, min(one.decode for one in weak), min(one.prefill for one in weak)) if weak else speed

    def _on(self, candidate: Candidate, gpu: Gpu, sequences: int) -> TokenPace | None:
        """The whole model on cards like this one."""
        work = self.alone(candidate.engine, candidate.form, candidate.work.kv_bytes, gpu)
        if work is None:
            return None
        network = candidate.group.joined if candidate.group else None
        work = work._replace(host_bandwidth=candidate.host.bandwidth, network=network).on(candidate.layout, sequences)
        spilled = candidate.held.spilled
        found = corrected_pace(placed_pace(work, ROOMY, spilled), spilled)
        if network is None or network.doubted is None or work.layout.tensor * work.layout.pipeline <= network.node:
            return found
        slower = corrected_pace(placed_pace(work._replace(network=network.over_sockets()), ROOMY, spilled), spilled)
        return found._replace(token=found.token.model_copy(update={"high": max(found.token.high, slower.token.value)}))

    def alone(self, engine: str, form: str, kv_bytes: float, gpu: Gpu) -> Work | None:
        """The load on one such card; null where no source states how fast it reads."""
        base = self._base(engine, form, gpu)
        if base is None:
            return None
        bandwidth, flops_16 = rates(gpu, guess=True)
        flops, kind = product_rate(gpu, base.format.name, flops_16)
        return base._replace(
            gpu=gpu, bandwidth=bandwidth, flops=flops, flops_16=flops_16, flops_kind=kind, kv_bytes=kv_bytes,
            cached_tokens=self._held_before(engine, base),
        )  # fmt: skip

    def _held_before(self, engine: str, base: Work) -> int:
        """Tokens of a prompt that are not read again; turns of a conversation are in a slot only while it keeps it,
        which nobody promises of more users than slots."""
        if engine in CACHES_PREFIXES:
            return base.cached_tokens
        return min(self.load.prefix, base.cached_tokens) if engine in HOLDS_IN_SLOTS else 0

    def _base(self, engine: str, form: str, gpu: Gpu) -> Work | None:
        """The load in a format: of the card only whether it computes in BF16 matters."""
        if gpu.bandwidth_bytes_per_s is None:
            return None
        key = (engine, form, gpu.half)
        if key not in self._bases:
            load = self.load
            asked = InferenceSpeedRequest.model_validate(
                {
                    **load.fields, "gpu": gpu.id, "engine": engine, "weight_format": form, "input_tokens": load.prompt,
                    "output_tokens": load.answer, "cached_tokens": load.cached or None, "kv_format": "bf16",
                    "concurrent_sequences": load.sequences, "images_per_sample": load.images or None,
                }
            )  # fmt: skip
            try:
                # Who asks what would run installs today's build, however old the model is.
                self._bases[key] = work_of(asked)[0]._replace(era=TODAY)
            except BadInput:  # no source states its bandwidth
                self._bases[key] = None
        return self._bases[key]

    def _together(self, candidate: Candidate, paces: dict[str, TokenPace], shares: dict[str, float]) -> Speed:
        """Every card takes the share of a token's time that its share of the layers is."""
        first = next(iter(paces.values()))
        work = first.work
        token = _mean([(shares[kind], pace.token) for kind, pace in paces.items()])
        scale = first.found.per_user * first.found.output_token_s
        plain = times(token, 1 - first.found.interference_s / first.found.output_token_s)
        away = self._cache_away_s(candidate, work)
        token, plain = _hopped(_later(token, away), candidate), _hopped(_later(plain, away), candidate)
        count = work.sequences * work.layout.replicas
        reading = _mean([(shares[kind], _reading(pace)) for kind, pace in paces.items()])
        waiting = _mean([(shares[kind], pace.first_token) for kind, pace in paces.items()])
        last = _mean([(shares[kind], pace.first_token_burst) for kind, pace in paces.items()])
        new = max(work.new_tokens, 1)
        more = self._prompt_away_s(candidate, work, new)
        sent = _sent_s(candidate, new, work.arch.hidden)
        reading, waiting = _later(reading, (more + sent) / new), _hopped(_later(waiting, more + sent), candidate)
        step = first.found.step
        least = [(shares[kind], *_least_read(pace.work, candidate)) for kind, pace in paces.items()]
        last = _hopped(_later(last, math.ceil(work.sequences) * (more + sent)), candidate)
        return Speed(
            per_user=inverse(token, scale), total=inverse(token, scale * count), first_token=waiting, burst=last,
            prefill=inverse(reading), bound=bound_of(first.found), label=first.near.label,
            host_share=step.spill_s / step.total_s if step.total_s else 0.0,
            decode=inverse(plain, scale) if token.value > NOTED_RATIO * plain.value else None,
            roofline=None if work.checkpoint_guessed else 1 / sum(share * seconds for share, _, seconds in least),
            read_bytes=least[0][1],
        )  # fmt: skip

    def _cache_away_s(self, candidate: Candidate, work: Work) -> float:
        """Reading the cache of layers that lie whole in the host's memory."""
        held = candidate.held
        if not held.whole_layers:
            return 0.0
        share = held.host_layers / work.arch.layers
        return work.sequences * work.cache_bytes(work.context) * share / candidate.host.bandwidth

    def _prompt_away_s(self, candidate: Candidate, work: Work, tokens: int) -> float:
        """Weights in host memory that a prompt needs: copied to the card for every physical batch, or multiplied by the
        host's cores where the prompt is short.

            min(⌈tokens / ubatch⌉ · bytes / link, tokens · bytes of one token / cores)
        """
        spilled = candidate.held.spilled
        if not spilled:
            return 0.0
        weights = spilled * candidate.held.weights_all
        link = (slot_bytes_per_s(work.gpu) or lanes_bytes_per_s(USUAL_PCIE)) * COPIED_RATIO
        batches = -(-tokens // (candidate.work.ubatch or memory_constants().llama_cpp.ubatch_tokens))
        arch = work.arch
        visited = arch.experts_per_token / arch.experts if arch.moe else 1.0
        cores = speed_constants().host.cores(candidate.host.bandwidth, candidate.form)
        return min(batches * weights / link, tokens * weights * visited / cores)

    def _by_host(self, candidate: Candidate) -> Speed:
        load = self.load
        found = estimate_host_speed(
            InferenceSpeedRequest.model_validate(
                {
                    **load.fields, "gpu": CPU, "weight_format": candidate.form, "input_tokens": load.prompt,
                    "output_tokens": load.answer, "host_bandwidth_bytes_per_s": candidate.host.bandwidth,
                    "kv_format": candidate.kv,
                }
            )
        )  # fmt: skip
        total = found.tokens_per_s_total or interval(1.0, "offload")
        read = float(found.derivation[0].value or 0)
        return Speed(
            times(total, 1 / load.sequences), total, None, None, None, found.bound, found.label, 1.0,
            roofline=candidate.host.bandwidth / read if read else None, read_bytes=read,
        )  # fmt: skip


def _held_low(speed: Speed, decode: float, prefill: float) -> Speed:
    """Rates of a stack that hardly anyone measured: the low ends as its worst reports."""
    return speed._replace(
        per_user=lowered(speed.per_user, decode), total=lowered(speed.total, decode),
        decode=speed.decode and lowered(speed.decode, decode),
        prefill=speed.prefill and lowered(speed.prefill, prefill),
        first_token=speed.first_token and later(speed.first_token, prefill),
        burst=speed.burst and later(speed.burst, prefill),
    )  # fmt: skip


def _shares(candidate: Candidate, kinds: Counter[str]) -> dict[str, float]:
    """Share of the layers that cards of each kind hold."""
    layers = candidate.held.layers
    if len(kinds) == 1 or not sum(layers):
        return dict.fromkeys(kinds, 1.0 / len(kinds))
    dealt: Counter[str] = Counter()
    for card, count in zip(candidate.cards, layers, strict=True):
        dealt[card.gpu.id] += count
    return {kind: dealt[kind] / sum(layers) for kind in kinds}


def _reading(pace: TokenPace) -> Interval:
    """Seconds a prompt token."""
    return interval(1 / pace.found.prompt_rate, "prefill", guessed=pace.guessed, thin=pace.thin)


def _least_read(work: Work, candidate: Candidate) -> tuple[float, float]:
    """Bytes of weights that one token reads, and the seconds it takes at the stated bandwidths of cards and host."""
    spilled, layout = candidate.held.spilled, work.layout
    (dense, routed), (dense_away, routed_away) = read_bytes(work, 1.0), host_shares(work, spilled)
    away = dense * dense_away + routed * routed_away
    here = (dense - dense * dense_away) / (1 if layout.attention_copies else layout.tensor)
    here += (routed - routed * routed_away) / layout.tensor
    return dense + routed, here / work.bandwidth + away / candidate.host.bandwidth


def _mean(parts: Sequence[tuple[float, Interval]]) -> Interval:
    if len(parts) == 1:
        return parts[0][1]
    value, low, high = (sum(share * getattr(one, end) for share, one in parts) for end in ("value", "low", "high"))
    return Interval(value=value, low=low, high=high)


def _later(of: Interval, seconds: float) -> Interval:
    """So much more time, as uncertain as the rest."""
    return times(of, 1 + seconds / of.value) if seconds else of


def _hopped(time: Interval, candidate: Candidate) -> Interval:
    """A token's time and what every further computer that holds a part of the model adds to it."""
    hops = candidate.hops
    if not hops:
        return time
    value, low, high = (hops * one for one in pooled().hop_s)
    return Interval(value=time.value + value, low=time.low + low, high=time.high + high)


def _sent_s(candidate: Candidate, tokens: int, hidden: int) -> float:
    """What a prompt takes between computers: tokens · hidden · 4 bytes (RPC sends 32 bits) at every step of the way."""
    return candidate.hops * tokens * hidden * SENT_BYTES / candidate.network if candidate.network else 0.0
