"""What an error text says, and the causes that go with it."""

import re
from typing import Any

from kb.artifacts.mask import masked
from kb.base import AdvisorError
from kb.observation import Wording, observation_facts, wording
from tools.model_fields import ModelFields
from tools.observation.estimates.memory import COPIED, memory_request
from tools.observation.result import CauseBasis, ErrorRead, ObservedCause, Range, Words
from tools.observation.said.dealing import of_dealing
from tools.observation.said.derived import derived
from tools.observation.said.overflow import overflowing
from tools.observation.said.room import with_room
from tools.observation.said.sized import Tensor, runaway, tensor_of
from tools.observation.setup import Setup
from tools.observation.telling import in_cache_of, known, told
from tools.observation.told_settings import wrong_settings
from tools.oom.cause import signature_of
from tools.oom.diagnose import diagnose_oom
from tools.oom.fixes import written
from tools.oom.quantities import folded
from tools.oom.request import OomRequest
from tools.oom.result import Fix, OomDiagnosis, Quantities

QUOTED = 240
"""Characters of the text that are told again."""
_BASES: dict[str, CauseBasis] = {"stated": "stated", "measured": "seen", "reckoned": "reckoned", "likely": "known"}
OOM = ("torch", "plain")
FITS = "settings_differ"
"""What the older diagnosis says where the set-up as told would fit."""
AFTER_WEIGHTS = "instead_of_weights"
"""Wordings of servers that fail when their weights are loaded, and what failed then."""
LAST = ("oom_settings", "oom_unknown")
"""What is said where nothing else is known: after every part of the memory that the text names."""
BEFORE_MEMORY = ("hardware", "quota", "limit")
"""Kinds of wordings that say why memory ran out, or that it is no lack of memory of the card."""
WEIGHTS = "oom_weights"
HOLDS_MORE = "holds_more"
"""What a server ran into that holds more than the estimate."""
OTHERS = ("other_process",)
"""Causes that what the method of a training runs beside it comes before."""
USUAL = ("vision_profile", "one_card_serves")
"""Of what the dealing brings up, what is usual rather than reckoned."""
RAN_OUT, KILLED = "oom", "killed"
"""Kinds of wordings of memory that ran out, on the card or in the host."""
OF_THE_CARD = ("hardware", "link", "kernel")
"""Kinds of wordings that a number of the driver tells more exactly."""
XID = re.compile(r"\bxid\b[^0-9]{0,60}(?:\([^)]{0,60}\)[: ]{0,3})?(\d{1,3})\b", re.IGNORECASE)


def read_error(text: str, setup: Setup, beside: str | None = None) -> tuple[ErrorRead | None, list[ObservedCause]]:
    """The wording with its figures, and the causes it names; nothing for a text of which no wording is known.

    `beside`: what the person said of it, which may tell when memory ran out.
    """
    flat = folded(masked(text))
    every = [one for one in observation_facts().wordings if wording(one.pattern).search(flat)]
    found = every[0] if every else None
    read, causes = _first(flat, found, setup, folded(masked(beside)) if beside else "")
    causes = _with_dealing(read, causes, setup)
    said = {one.id for one in causes}
    more = [key for one in every for key in one.causes[:1] if key not in said]
    every_cause = [*causes, *known(dict.fromkeys(more), setup, "stated")]
    return read, sorted(every_cause, key=lambda cause: cause.id in LAST)


def _with_dealing(read: ErrorRead | None, causes: list[ObservedCause], setup: Setup) -> list[ObservedCause]:
    """Memory that ran out, with what the dealing of the work over cards and host explains first; a text that states a
    cause of the cache or the card keeps it before."""
    if read is None or read.kind not in (RAN_OUT, KILLED):
        return causes
    on_host = read.kind == KILLED or read.facts.get("where") == "host"
    found = dict.fromkeys(of_dealing(setup, "host" if on_host else "device"))
    dealt = [one for key in found for one in known([key], setup, "known" if key in USUAL else "reckoned")]
    proven = [] if on_host else [one for one in causes if one.basis in ("stated", "seen")]
    named = {one.id for one in (*dealt, *proven)}
    if dealt:
        causes = [one for one in causes if one.id not in LAST]
    return [*proven, *dealt, *(one for one in causes if one.id not in named)]


def _first(flat: str, found: Wording | None, setup: Setup, beside: str) -> tuple[ErrorRead | None, list[ObservedCause]]:
    """What the most particular wording says: a number of the driver, memory that ran out, or the words themselves."""
    xid = XID.search(flat)
    if xid is not None and (found is None or found.kind in OF_THE_CARD):
        return _of_xid(int(xid[1]), flat, xid, found, setup)
    diagnosis = None if found and _of_a_build(found, flat) else _diagnosed(f"{flat} {beside}".strip(), setup)
    if diagnosis is not None and diagnosis.signature is not None and (found is None or found.kind not in BEFORE_MEMORY):
        if found is None or diagnosis.signature not in OOM:
            return _of_memory(diagnosis, flat, setup)
        if found.kind not in ("version", "kernel", "hang", "killed") or diagnosis.signature == "torch":
            return _of_memory(diagnosis, flat, setup)
    return (None, []) if found is None else _of_wording(found, flat, setup)


def _of_a_build(found: Wording, flat: str) -> bool:
    """Whether a text tells of versions and builds and of no memory: what was told beside it is another matter."""
    return found.kind == "version" and signature_of(flat) is None


def _diagnosed(flat: str, setup: Setup) -> OomDiagnosis | None:
    """The older diagnosis of memory that ran out; None where the text is none of it or the set-up too thin."""
    fields: dict[str, Any] = {}
    if setup.named:
        try:
            request = memory_request(setup)
            wanted = (*ModelFields.model_fields, *COPIED, "engine", "weight_format", "context_tokens",
                      "concurrent_sequences", "sequence_tokens", "gpu", "host_memory_bytes")  # fmt: skip
            fields = {name: getattr(request, name) for name in wanted} | {"gpu_count": setup.cards}
            if setup.reserves:  # the pool is what is left: a start takes one sequence, not one for every request
                fields["concurrent_sequences"] = 1
        except (AdvisorError, ValueError):
            fields = {}
    try:
        return diagnose_oom(OomRequest(error_text=flat[:200_000] or None, **fields))
    except (AdvisorError, ValueError):
        return diagnose_oom(OomRequest(error_text=flat[:200_000])) if flat else None


def _of_xid(
    code: int, flat: str, match: re.Match[str], beside: Wording | None, setup: Setup
) -> tuple[ErrorRead | None, list[ObservedCause]]:
    """What the driver's number means, and what the words beside it add."""
    fact = observation_facts().xids.get(code)
    facts: dict[str, Any] = {"xid": code} | ({"means": fact.means, "means_zh": fact.means_zh} if fact else {})
    read = ErrorRead(id="xid", software="driver", kind="hardware", quantities=Quantities(), facts=facts,
                     quote=_quote(flat, match))  # fmt: skip
    ids = [fact.cause if fact else "xid_other", *(beside.causes if beside else ())]
    return read, known(dict.fromkeys(ids), setup, "stated")


def _of_wording(found: Wording, flat: str, setup: Setup) -> tuple[ErrorRead | None, list[ObservedCause]]:
    match = wording(found.pattern).search(flat)
    if match is None:
        return None, []
    facts = {name: _typed(value) for name, value in match.groupdict().items() if value is not None}
    facts = _in_text(flat) | facts
    read = ErrorRead(id=found.id, software=found.software, kind=found.kind, quantities=Quantities(),
                     facts=facts, quote=_quote(flat, match))  # fmt: skip
    return read, known(found.causes, setup, "stated")


def _in_text(flat: str) -> dict[str, Any]:
    """Facts that may stand anywhere in a text, and what follows from them."""
    facts: dict[str, Any] = {}
    for extra in observation_facts().settings["facts_in_text"]:
        for name, value in _groups(extra, flat).items():
            facts.setdefault(name, value)
    return facts | dict(derived(facts))


def _groups(pattern: str, flat: str) -> dict[str, Any]:
    match = wording(pattern).search(flat)
    return {name: _typed(value) for name, value in match.groupdict().items() if value} if match else {}


def _typed(value: str) -> int | float | str:
    if value.isdigit():
        return int(value)
    return float(value) if re.fullmatch(r"\d+\.\d+", value) and value.count(".") == 1 else value[:200]


def _quote(flat: str, match: re.Match[str]) -> str:
    start = max(match.start() - QUOTED // 3, 0)
    return flat[start : start + QUOTED].strip()


def _of_memory(found: OomDiagnosis, flat: str, setup: Setup) -> tuple[ErrorRead, list[ObservedCause]]:
    facts = observation_facts()
    from kb.oom import compiled, oom_facts

    one = next(sign for sign in oom_facts().signatures if sign.id == found.signature)
    match = compiled(one.pattern).search(flat)
    read = ErrorRead(
        id=one.id, software=found.software, kind="oom", quantities=found.quantities,
        facts={"where": found.where} | _in_text(flat),
        quote=_quote(flat, match) if match else flat[:QUOTED],
    )  # fmt: skip
    causes: list[ObservedCause] = []
    for place, name in enumerate([found.cause, *(other.cause for other in found.other_causes)]):
        key = _of_cause(name, found, setup)
        if key is None or any(cause.id == key for cause in causes):
            continue
        basis = found.basis if place == 0 else found.other_causes[place - 1].basis
        cause = told(facts.causes[key], setup, _BASES[basis])
        if key in facts.oom_beside[HOLDS_MORE].values():
            causes.append(cause)
            continue
        one_of_room = key in facts.oom_beside[AFTER_WEIGHTS].values()
        causes.append(
            with_room(cause, found, setup) if one_of_room else _fixed(cause, name, found, setup, first=place == 0)
        )
    wanted = found.quantities.requested_bytes
    tensor = tensor_of(wanted, setup) or runaway(wanted, setup)
    if tensor is not None:
        read = read.model_copy(update={"facts": read.facts | {"tensor": tensor.formula}})
    if tensor is not None and tensor.cause != WEIGHTS:  # a piece of the weights says when it failed, not why
        causes.sort(key=lambda cause: cause.id != tensor.cause)
        if causes[0].id != tensor.cause:
            causes.insert(0, told(facts.causes[tensor.cause], setup, "seen"))
        causes[0] = causes[0].model_copy(update={"basis": "seen", "what": _worked(causes[0].what, tensor)})
    if found.cause == FITS:
        named_already = {one.id for one in causes}
        causes += [one for one in overflowing(setup) if one.id not in named_already]
    wrong = wrong_settings(setup)
    named = {one.id for one in wrong}
    causes = [*wrong, *(one for one in causes if one.id not in named)]
    causes = [*_of_software(found, setup), *causes]
    place = next((at for at, one in enumerate(causes) if one.id in OTHERS), len(causes))
    return read, [*causes[:place], *_of_method(setup, beside=place < len(causes)), *causes[place:]]


def _worked(what: Words, tensor: Tensor) -> Words:
    """What it is, with the size that was asked for worked out."""
    return Words(en=f"{what.en} {tensor.formula}.", zh=f"{what.zh}{tensor.formula}。")


def _of_cause(name: str, found: OomDiagnosis, setup: Setup) -> str | None:
    """The cause as it is told here; that of a server which had its weights loaded when it failed is never they, and
    what one holds beyond the estimate is the pool that it reserves."""
    facts = observation_facts()
    if name == "one_card_holds_all" and setup.reserves:
        return facts.oom_beside[HOLDS_MORE]["server"]
    if name == "weights" and found.signature in facts.oom_beside[AFTER_WEIGHTS]:
        return facts.oom_beside[AFTER_WEIGHTS][found.signature]
    return facts.oom_causes.get(name)


def _of_software(found: OomDiagnosis, setup: Setup) -> list[ObservedCause]:
    """What a program's own limit says before any part of the memory does."""
    key = observation_facts().oom_beside["signatures"].get(found.signature or "")
    return known([key], setup, "stated") if key else []


def _of_method(setup: Setup, *, beside: bool) -> list[ObservedCause]:
    """What the method of a training holds besides; seen where something `beside` it holds memory."""
    key = observation_facts().oom_beside["methods"].get(setup.request.method or "")
    return known([key], setup, "seen" if beside else "known") if key and setup.kind == "training" else []


def _fixed(cause: ObservedCause, name: str, found: OomDiagnosis, setup: Setup, *, first: bool) -> ObservedCause:
    """The cause with what the setting that cures it comes to, where that was reckoned."""
    cures = [one for change in _CURES.get(name, ()) for one in found.fixes if one.change == change]
    enough = [one for one in (*cures, *(found.fixes if first else ())) if one.verdict in (None, "yes")]
    fix = next(iter((*enough, *cures)), None)  # what makes it fit before what only helps
    if fix is None:
        return cause
    after = fix.total_bytes
    size = None if after is None else Range(value=after, low=after, high=after, unit="bytes")
    return cause.model_copy(update={"setting": in_cache_of(setup, _written(fix, setup)), "figure_after": size})


def _written(fix: Fix, setup: Setup) -> str:
    """The fix as the program that was named takes it, where another engine stood for it."""
    if setup.stood_in is None or not setup.stood_in.own_settings:
        return fix.setting
    said = setup.said_program.replace(" ", "-")
    return written(fix.change, said, fix.value or "", times=setup.request.micro_batch_size or 1)


_CURES = {
    "kv_cache": ("kv_format", "context_tokens", "concurrent_sequences"), "fragmentation": ("allocator",),
    "kv_too_small": ("context_tokens", "kv_format", "gpu_memory_utilization"), "weights": ("weight_format", "task"),
    "activations": ("gradient_checkpointing", "micro_batch_size", "sequence_tokens"), "attention": ("attention",),
    "logits": ("fused_loss", "max_num_sequences", "micro_batch_size"), "optimizer": ("optimizer", "sharding"),
    "gradients": ("sharding", "task"), "one_card_holds_all": ("sharding", "tensor_parallel"),
    "other_process": ("other_process",), "host_memory": ("host_memory",), "shared_memory": ("shared_memory",),
}  # fmt: skip
