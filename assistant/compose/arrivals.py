"""Whether cards keep up with requests of a stated rate, and how many it takes."""

from assistant.answer import AnswerVerdict, ToolCallRecord
from assistant.compose import names, numbers, pace, ranges
from assistant.compose.arithmetic import arithmetic, workload
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import arrivals as planned
from assistant.plan import loaded


def arrivals(material: Material) -> Section | None:
    """The number of cards first, or yes or no for those in hand; then the load it means. None without a rate."""
    records = list(material.records("estimate_inference_speed"))
    stated, one = loaded.stated(material.text), planned.best(records)
    rate = loaded.rate(material.text)
    if one is None or stated is None or rate is None or not material.estimates:
        return None
    say, first = material.say, material.estimates[0]
    asked = {"rate": f"{stated[0]:,g}", "second": f"{rate:.3g}"}
    load = say("arrivals.minutely" if stated[1] else "loaded.secondly", **asked)
    size = one.request.get("gpu_count") or 1
    count, sure = (planned.copies(one, rate, bound) for bound in ("value", "low"))
    gpu, have = one.result["gpu"], planned.held(material.need)
    values = {"load": load, "what": workload(material, first).strip(), "each": names.cards(gpu, size)}
    verdict: AnswerVerdict = "estimate"
    if have is None:
        key = "takes" if count > 1 else "takes_one"
        cards = names.cards(gpu, size * count)
        told = say(
            f"arrivals.{key}", **values, cards=cards, copies=_copies(material, count), value=_value(material, one)
        )
        running = size * count
    else:
        enough, surely = have // size >= count, have // size >= sure
        key, verdict = ("yes", "fits") if surely else ("close", "fits") if enough else ("no", "does_not_fit")
        full = planned.full_of(records, have // size * size) or one
        whole = _value(material, full)
        needed = names.cards(gpu, size * count)
        told = say(f"arrivals.{key}", **values, cards=names.cards(gpu, have), value=whole, needed=needed)
        running = size * count
    told += pace.cite_pace(material, one.tool, one.result)
    if sure > count and (have is None or have // size < sure):
        told += say("arrivals.sure", cards=names.cards(gpu, size * sure))
    section = Section(verdict, told, [_under_way(material, records, running), _ways(material, records)])
    section.body.append(arithmetic(material, [first]))
    section.caveats = [*caveats(material, first), say("arrivals.steady")]
    section.assumptions = assumed(material, first, told=("sequences", "context"))
    lengths = {
        "prompt": numbers.tokens(one.result["input_tokens"]),
        "answer": numbers.tokens(one.result["output_tokens"]),
    }
    section.assumptions.append(say("loaded.lengths", **lengths))
    section.settled = True
    return section


def _copies(material: Material, count: int) -> str:
    return material.say("arrivals.copies", count=numbers.count(count))


def _value(material: Material, one: ToolCallRecord) -> str:
    """Requests a second with their interval."""
    return ranges.ranged(material, "requests_per_s", one.result["requests_per_s"])


def _under_way(material: Material, records: list[ToolCallRecord], count: int) -> str:
    """How many requests are being answered at that rate, and how each of them fares."""
    found = (one for one in records if one.request.get("requests_per_s") and one.request.get("gpu_count", 1) == count)
    one = next(found, None)
    if one is None:
        return ""
    wait = ranges.ranged(material, "time_to_first_token_s", one.result["time_to_first_token_s"])
    return material.say(
        "arrivals.under_way",
        cards=names.cards(one.result["gpu"], count),
        count=numbers.count(one.result["concurrent_sequences"]),
        each=numbers.figure(one.result["tokens_per_s_per_user"]["value"]),
        wait=wait,
    ) + pace.cite_pace(material, one.tool, one.result)


def _ways(material: Material, records: list[ToolCallRecord]) -> str:
    """Every size of a copy that was tried."""
    say = material.say
    busy = [one for one in records if one.request.get("concurrent_sequences") == planned.AT_ONCE]
    rows = [
        [
            names.cards(one.result["gpu"], one.request.get("gpu_count") or 1),
            _value(material, one),
            ranges.ranged(material, "tokens_per_s_total", one.result["tokens_per_s_total"]),
        ]
        for one in busy
    ]
    head = [say(f"arrivals.head_{name}") for name in ("copy", "rate", "total")]
    return table(head, rows) if len(rows) > 1 else ""
