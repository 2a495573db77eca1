"""What the text of an error proves, beside what the settings make likely: cause, figures, remedies in order."""

from collections.abc import Iterator

from assistant.compose import names, numbers
from assistant.compose.arithmetic import cite
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.step_labels import step_setting
from assistant.compose.table import table
from kb.units import GIB, MIB
from tools.oom.fixes import written
from tools.oom.result import Fix, OomDiagnosis

NOT_THE_CARD = ("shared_memory", "host_memory")
RESERVING = ("vllm", "sglang")
"""Servers that take a share of the card and fill what the weights leave of it."""
FIXES_MAX = 9
_FIGURES = {
    "requested": "requested_bytes", "total": "total_bytes", "allocated": "allocated_bytes", "idle": "idle_bytes",
    "free": "free_bytes", "others": "others_bytes",
}  # fmt: skip
_COUNTS = {"context": "context_tokens", "cache": "cache_tokens"}
_MORE_CARDS = ("tensor_parallel", "sharding")
_NEGLIGIBLE_BYTES = 50 * 2**20


def read(material: Material) -> OomDiagnosis | None:
    """The diagnosis of the text; None when there was none, or nothing in it was recognised."""
    found = next(material.results("diagnose_oom"), None)
    result = OomDiagnosis.model_validate(found) if found else None
    return result if result is not None and (result.signature or result.fixes) else None


def added(material: Material, section: Section, result: OomDiagnosis | None) -> Section:
    """The section with what the text says before what the settings say."""
    if result is None:
        return section
    remedies = _remedies(material, result)
    if result.signature and result.basis in {"stated", "measured"} and result.cause != "runaway":
        section.body.insert(0, section.headline)
        section.headline = _cause(material, result)
    elif result.cause == "unknown" and result.quantities.allocated_bytes and result.quantities.total_bytes:
        section.body.insert(0, section.headline)
        section.headline = material.say("oomread.full") + _cite(material, result)
    first = _first_of_all(material, result)
    if first and section.headline.startswith((material.say("oom.expected"), material.say("oom.unexpected"))):
        section.headline += ("" if material.say.language == "zh" else " ") + first.strip()
    else:
        section.headline = first + section.headline
    figures = _figures(material, result)
    if result.cause == "unknown":
        section.body.insert(0, "")
    at = 1 if section.body and section.body[0] else 0
    section.body[at:at] = [block for block in (figures, remedies) if block]
    if remedies and any(fix.total_bytes for fix in result.fixes):
        section.body = [block for block in section.body if not _is_older_table(material, block, remedies)]
    return section


def _first_of_all(material: Material, result: OomDiagnosis) -> str:
    """What to do: the mildest single change that makes it fit, else those that do so together, in order.

    More cards only where nothing else does; a server whose cache is too short is told how long it may be.
    """
    say = material.say
    if result.cause == "kv_too_small":
        return _shortened(material, result) if result.software in RESERVING else ""
    if any(one.fit and one.fit.verdict == "yes" for one in material.estimates[:1]):
        return ""  # what fits by reckoning ran out of something else
    alone = [fix for fix in result.fixes if fix.verdict == "yes" and fix.total_bytes]
    single = next(iter(sorted(alone, key=lambda fix: fix.change in _MORE_CARDS)), None)
    piled = next((fix for fix in result.fixes if fix.together_verdict == "yes" and fix.together_bytes), None)
    if piled is not None and single is not None and single.change in _MORE_CARDS:
        before = result.fixes[: result.fixes.index(piled) + 1]
        single = single if any(fix.change in _MORE_CARDS for fix in before) else None
    if single is not None:
        told, left = [_change(material, single)], single.total_bytes
    elif piled is not None:
        several = result.fixes[: result.fixes.index(piled) + 1]
        told = [_change(material, fix) for fix in several if fix.total_bytes]
        left = piled.together_bytes
    else:
        return ""
    gap = "" if say.language == "zh" else " "
    return say("oomread.do_first", changes=say.listed(told), left=_gib(left)) + _cite(material, result) + gap


def _shortened(material: Material, result: OomDiagnosis) -> str:
    """The context that the cache does hold, as the server says or as was worked out."""
    main = next((one for one in material.estimates if one.fit), None)
    longest = result.quantities.cache_tokens or (main.placed.max_context_tokens if main else None)
    if not longest:
        return ""
    setting = step_setting(written("context_tokens", result.software, longest), material.say.language)
    gap = "" if material.say.language == "zh" else " "
    said = main is None or result.quantities.cache_tokens is not None
    marker = cite(material, main) if main is not None and not said else _cite(material, result)
    return material.say("oomread.shorten", setting=setting, tokens=numbers.count(longest)) + marker + gap


def _change(material: Material, fix: Fix) -> str:
    value = names.format_name(fix.value) if fix.value and fix.change == "weight_format" else _task(fix.value)
    return material.say(f"oomfix.{fix.change}", value=value)


def _is_older_table(material: Material, block: str, remedies: str) -> bool:
    """The table of single estimates, which the remedies' table says better."""
    return block is not remedies and block.startswith(f"| {material.say('table.change')} |")


def elsewhere(material: Material, result: OomDiagnosis) -> Section:
    """The card is not the problem: no estimate of it helps."""
    section = Section("diagnosis", _cause(material, result))
    section.body = [_figures(material, result), _remedies(material, result)]
    return section


def _cause(material: Material, result: OomDiagnosis) -> str:
    say = material.say
    read = result.quantities
    size = read.idle_bytes if result.cause == "fragmentation" else read.others_bytes or _gone(result)
    fits = any(one.fit and one.fit.verdict == "yes" for one in material.estimates[:1])
    told = "share_full" if result.cause == "weights" and result.software in RESERVING and fits else result.cause
    cause = say(f"oomcause.{told}", size=numbers.gib(size or 0, digits=1))
    key = "headline" if result.basis in {"stated", "measured"} else "headline_likely"
    return say(f"oomread.{key}", cause=cause) + _cite(material, result)


def _gone(result: OomDiagnosis) -> int:
    """What was taken before this program started, by a server that says what was free then."""
    read = result.quantities
    starting = read.memory_utilisation is not None and read.total_bytes is not None and read.free_bytes is not None
    return (read.total_bytes or 0) - (read.free_bytes or 0) if starting else 0


def _cite(material: Material, result: OomDiagnosis) -> str:
    said = "; ".join(f"{step.label}: {step.inputs.get('readable', step.value)}" for step in result.derivation[:12])
    quote = said or f"{result.software}: {result.cause}"
    return joined([material.cites.cite("calculation", material.say("oomread.cite"), "diagnose_oom", quote)])


def _figures(material: Material, result: OomDiagnosis) -> str:
    """The numbers of the text that tell something, in one line."""
    said = list(_said(material, result))
    if not said:
        return ""
    return material.say("oomread.figures", figures=material.say("list.comma").join(said)) + _cite(material, result)


def _said(material: Material, result: OomDiagnosis) -> Iterator[str]:
    read = result.quantities
    for key, field in _FIGURES.items():
        value = getattr(read, field)
        if value is not None and (value >= _NEGLIGIBLE_BYTES or key in {"requested", "free"}):
            yield material.say(f"oomread.{key}", size=_size(value))
    for key, field in _COUNTS.items():
        value = getattr(read, field)
        if value is not None:
            yield material.say(f"oomread.{key}", count=numbers.count(value))


def _size(value: int) -> str:
    """As the text has it: GiB, or MiB where it is little."""
    return f"{value / GIB:.2f} GiB" if value >= GIB else f"{value / MIB:.0f} MiB"


def _remedies(material: Material, result: OomDiagnosis) -> str:
    say, fixes = material.say, result.fixes[:FIXES_MAX]
    if not fixes:
        return ""
    reckoned = any(fix.total_bytes for fix in fixes)
    head = [say("oomread.change"), say("oomread.setting"), say("oomread.saves")]
    head += [say("oomread.left"), say("table.fits"), say("oomread.together"), say("table.fits")] if reckoned else []
    rows = [_row(material, fix, reckoned=reckoned) for fix in fixes]
    return table(head, rows, numeric=False)


def _row(material: Material, fix: Fix, *, reckoned: bool) -> list[str]:
    say = material.say
    row = [_change(material, fix), f"`{step_setting(fix.setting, say.language)}`", _gib(fix.saves_bytes)]
    if reckoned:
        row += [_gib(fix.total_bytes), _mark(material, fix.verdict), _gib(fix.together_bytes),
                _mark(material, fix.together_verdict)]  # fmt: skip
    return row


def _task(value: str | None) -> str:
    return {"lora": "LoRA", "qlora": "QLoRA"}.get(value or "", value or "")


def _gib(value: int | None) -> str:
    return numbers.gib(value, digits=1) if value is not None else "–"


def _mark(material: Material, verdict: str | None) -> str:
    return material.say(f"mark.{verdict}") if verdict else "–"
