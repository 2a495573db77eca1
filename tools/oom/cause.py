"""Which cause the words, the figures and the estimate point at, the strongest evidence first."""

from collections.abc import Iterator

from kb.oom import Cause, Signature, compiled, oom_facts
from tools.memory.result import MemoryEstimate, PartName
from tools.oom.quantities import quantities
from tools.oom.result import Basis, OtherCause, Quantities

_PARTS: dict[Cause, tuple[PartName, ...]] = {
    "weights": ("weights", "adapters"),
    "kv_cache": ("kv_cache",),
    "activations": ("activations",),
    "logits": ("logits",),
    "gradients": ("gradients",),
    "optimizer": ("optimizer",),
    "workspace": ("buffers", "cuda_graphs", "framework"),
    "fragmentation": ("fragmentation",),
}


PLAIN = "plain"
"""The wording that names no program."""


def signature_of(text: str, read: Quantities | None = None) -> Signature | None:
    """The wording of a folded text; null when it is none that is known, nor its figures ask for more than is free."""
    known = oom_facts().signatures
    found = next((one for one in known if compiled(one.pattern).search(text)), None)
    read = quantities(text) if read is None else read
    wanted, free = read.requested_bytes, read.free_bytes
    short = wanted is not None and free is not None and wanted > free
    if found is None and short and compiled(oom_facts().failing).search(text):
        return next(one for one in known if one.id == PLAIN)
    return found


def causes(
    text: str, signature: Signature | None, read: Quantities, estimate: MemoryEstimate | None
) -> list[OtherCause]:
    """Every cause there is evidence for, each once, the strongest first; never empty."""
    found: dict[Cause, OtherCause] = {}
    for one in (
        *_host(signature), *_measured(read, estimate), *_stated(signature), *_placed(text), *_reckoned(estimate)
    ):  # fmt: skip
        found.setdefault(one.cause, one)
    if set(found) <= {"other_process"}:  # what this program itself holds is still the larger part
        found["unknown"] = OtherCause(cause="unknown", basis="likely")
    return list(found.values())


def _of(cause: Cause, basis: Basis, size: int | None = None) -> Iterator[OtherCause]:
    yield OtherCause(cause=cause, basis=basis, bytes=size)


def _host(signature: Signature | None) -> Iterator[OtherCause]:
    """Memory that is not the card's: no figure of the card changes that."""
    if signature is not None and signature.where != "device" and signature.cause is not None:
        yield from _of(signature.cause, "stated")


def _measured(read: Quantities, estimate: MemoryEstimate | None) -> Iterator[OtherCause]:
    facts = oom_facts()
    total = read.total_bytes
    if read.requested_bytes and total and read.requested_bytes > total:
        yield from _of("runaway", "measured", read.requested_bytes)
    if read.others_bytes and total and read.others_bytes > facts.others.share_ratio * total:
        yield from _of("other_process", "measured", read.others_bytes)
    elif read.requested_bytes and (rest := _rest(read)) >= max(
        read.requested_bytes, facts.others.context_bytes, facts.others.share_ratio * (total or 0)
    ):
        yield from _of("other_process", "measured", rest)
    idle, wanted = read.idle_bytes, read.requested_bytes
    enough = idle is not None and total is not None and idle >= facts.fragmentation.idle_ratio * total
    if idle is not None and wanted is not None and enough and idle >= wanted:
        yield from _of("fragmentation", "measured", idle)
    if estimate is not None and read.allocated_bytes:
        over = read.allocated_bytes / max(1, estimate.per_gpu.total_bytes)
        if over > facts.unsplit.over_ratio:
            cause: Cause = "one_card_holds_all" if estimate.gpus > 1 else "settings_differ"
            yield from _of(cause, "measured", read.allocated_bytes - estimate.per_gpu.total_bytes)


def _rest(read: Quantities) -> int:
    """What neither this process's tensors nor the free memory account for: its context, and other programs."""
    held = max(read.allocated_bytes or 0, read.reserved_bytes or 0, read.process_bytes or 0)
    if not (read.total_bytes and held and read.free_bytes is not None):
        return 0
    return read.total_bytes - read.free_bytes - held


def _stated(signature: Signature | None) -> Iterator[OtherCause]:
    if signature is not None and signature.cause is not None:
        yield from _of(signature.cause, "stated")


def _placed(text: str) -> Iterator[OtherCause]:
    """What the trace was making when it failed; its last line of that kind is the innermost."""
    for place in oom_facts().places:
        if compiled(place.pattern).search(text):
            yield from _of(place.cause, "likely")
            return


def _reckoned(estimate: MemoryEstimate | None) -> Iterator[OtherCause]:
    """The largest parts of the estimate, the largest first; when all fit with room to spare, the settings differ."""
    if estimate is None:
        return
    if estimate.fit is not None and estimate.fit.verdict == "yes":
        yield from _of("settings_differ", "reckoned")
        return
    parts = {part.name: part.bytes for part in estimate.per_gpu.parts}
    sizes: dict[Cause, int] = {cause: sum(parts.get(name, 0) for name in names) for cause, names in _PARTS.items()}
    for cause, size in sorted(sizes.items(), key=lambda row: -row[1])[:3]:
        if size > 0:
            yield from _of(cause, "reckoned", size)
