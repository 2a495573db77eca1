"""What a work needs before any machine is chosen: in each format, by each method, and how many usual cards hold it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assistant.reading.situation import Known, Situation
from assistant.reading.slots import Stance
from assistant.writing.accounts.cards import Call, told_mixture
from assistant.writing.accounts.person import judged, own_memory
from assistant.writing.accounts.run import Told, parts_told
from assistant.writing.accounts.sentences import sentence, sentences
from assistant.writing.accounts.train import method_name
from assistant.writing.arguments import running, training
from assistant.writing.setups import Setup
from assistant.writing.ways import model_name
from assistant.writing.words import Words
from kb.catalog import gpus
from kb.models import models
from kb.units import GIB
from tools.agent_tools.ledger import LookedUp
from tools.ways_to_run.tell.words import format_name

ROWS_MAX, CARDS_TOLD = 4, 6
MACHINE = ("cards", "host_memory", "link", "nodes", "memory_taken", "objective")
TARGETS = ("target_tokens_per_s", "target_first_token")
SMALLER = {
    "8-bit AdamW": "smaller_8bit", "AdamW all in BF16, no FP32 masters": "smaller_pure",
    "8-bit AdamW all in BF16": "smaller_both",
    "AdamW, ZeRO-3 offload of all to host memory (18 B/parameter there)": "smaller_host",
}  # fmt: skip
"""Ways that hold less, as the tool calls them → how they are told."""
READERS, LONG_TEXT = ("embedding", "reranker", "encoder"), 8192
SINGLE_MAX = 93 * GIB
"""Beyond it no single card is usual."""
SOLD_TO = ("consumer", "workstation", "data_center")


def needed(setup: Setup, situation: Situation, call: Call, words: Words) -> Told | None:
    """What it takes, run or trained."""
    if setup.trains:
        asked = {name: value for name, value in training(setup, situation).items() if name not in MACHINE}
        return of_training(call("find_ways_to_train", dict(asked)), setup, situation, call, words)
    asked = {name: value for name, value in running(setup, situation).items() if name not in MACHINE + TARGETS}
    if not setup.every("format", "have", "wanted"):
        asked.pop("weight_format", None)  # what is only thought of is one of those that are told
    one = call("find_ways_to_run", dict(asked))
    return None if one.failed else of_running(one, setup, situation, call, words)


def of_running(one: LookedUp, setup: Setup, situation: Situation, call: Call, words: Words) -> Told | None:
    """The memory in each usual format, the person's figure beside it, and cards that are enough."""
    say, rows = sentences(words), [row for row in one.shown.get("needs", []) if isinstance(row, Mapping)]
    if not rows:
        return _plain(one, call, words)
    told = [f"{format_name(str(row['weight_format']))} {row['total']}" for row in rows[:ROWS_MAX]]
    lines: list[str] = []
    totals = [row["per_gpu"]["total_bytes"] for row in _estimates(one)]
    own = own_memory(situation, [*setup.machines, *([setup.work] if setup.work else [])])
    lines += judged(own, totals[0], words) if totals else []
    lines += told_mixture(one, call, words)
    lines += _enough(one, say)
    lead = say.say("needs", model=_name(one, rows), rows=words.listed(told))
    return Told(lead, (*lines, say.say("needs_load", **_load(one))), "estimate")


def _load(one: LookedUp) -> dict[str, str]:
    """What the figures hold for."""
    asked = one.worked[-1].request if one.worked else {}
    return {
        "context": f"{asked.get('context_tokens') or 4096:,}", "sequences": str(asked.get("concurrent_sequences") or 1)
    }  # fmt: skip


def _estimates(one: LookedUp) -> list[Mapping[str, Any]]:
    return [row.result for row in one.worked if row.tool == "estimate_memory" and "per_gpu" in row.result]


def _enough(one: LookedUp, say: Words) -> list[str]:
    """Cards that hold it, in the widest and the narrowest format."""
    rows, lines = _estimates(one), []
    for row in dict.fromkeys((0, len(rows) - 1)):
        cards = few_cards(rows[row]["minimum_gpus"]) if rows else []
        if cards:
            lines.append(
                say.say("enough", format=format_name(str(rows[row]["weight_format"])), cards=say.listed(cards))
            )
    return list(dict.fromkeys(lines))


def few_cards(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Some of the cards that are enough: of each number of them the first two kinds, the fewest cards first."""
    kept: dict[int, list[str]] = {}
    for row in rows:
        name = gpus()[row["gpu"]].name if row.get("gpu") in gpus() else ""
        if name and row.get("verdict") != "no":
            kept.setdefault(int(row["count"]), []).append(f"{row['count']} × {name}")
    return [name for count in sorted(kept) for name in kept[count][:2]][:CARDS_TOLD]


def _plain(one: LookedUp, call: Call, words: Words) -> Told | None:
    """The memory of a model that generates no text, in each of its formats and ways of holding its parts."""
    say = sentences(words)
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping) and row.get("needed")][:ROWS_MAX]
    if not rows:
        return None
    told = [f"{format_name(str(row['weight_format']))}{parts_told(row, say)} {row['needed']}" for row in rows]
    lead = say.say("needs_plain", model=model_name(one), rows=words.listed(list(dict.fromkeys(told))))
    first = _estimates(one)
    held = int(first[0]["per_gpu"]["high_bytes"]) if first and one.request.get("cards") is None else 0
    return Told(lead, (*single_cards(held, call, say), *_of_readers(one, call, say)), "estimate")


def _of_readers(one: LookedUp, call: Call, say: Words) -> Iterator[str]:
    """Of a model that reads texts: in 16 bits, with long texts, and what else it asks of a machine."""
    known = models().get(str(one.shown.get("answer", {}).get("model") or ""))
    if known is None or known.kind not in READERS:
        return
    half = call("find_ways_to_run", {**one.request, "weight_format": "fp16"})
    length = str(known.max_context_tokens or LONG_TEXT)
    long = call("find_ways_to_run", {**one.request, "weight_format": "fp16", "input_tokens": length})
    rows = [row for result in (half, long) if not result.failed for row in result.shown.get("ways", [])[:1]]
    if len(rows) == 2:
        yield say.say("readers", half=rows[0]["needed"], long=rows[1]["needed"], length=f"{int(length):,}")
    yield say.say("readers_host")


def _name(one: LookedUp, rows: Sequence[Mapping[str, Any]]) -> str:
    known = models().get(str(rows[0].get("model") or ""))
    return known.name if known else model_name(one)


def of_training(one: LookedUp, setup: Setup, situation: Situation, call: Call, words: Words) -> Told | None:
    """What a training holds on one card that held it all, by the rule of thumb as well, and by the other methods."""
    say, shown = sentences(words), one.shown
    if one.failed or "needed" not in shown:
        return None
    known = models().get(str(shown.get("model") or ""))
    model = known.name if known else model_name(one)
    method = method_name(one, words)
    others = [f"{say.say(f'method_{name}')} {held}" for name, held in _others(one, call) if say.knows(f"method_{name}")]
    smaller = [say.say(SMALLER[name], held=held) for name, held in (shown.get("smaller") or {}).items()
               if name in SMALLER]  # fmt: skip
    lead = say.say("needs_train", model=model, method=method, needed=shown["needed"])
    own = own_memory(situation, [setup.work] if setup.work else [])
    lines = judged(own, one.worked[-1].result["per_gpu"]["total_bytes"] if one.worked else 0, words)
    lines += [say.say("needs_others", rows=words.listed(others))] if others else []
    smaller = smaller if len(set((shown.get("smaller") or {}).values())) > 1 else []
    lines += [say.say("needs_smaller", rows=words.listed(smaller))] if smaller else []
    lines += told_mixture(one, call, words)
    lines += single_cards(_held(one), call, say)
    enough = few_cards(one.worked[-1].result["minimum_gpus"])
    lines += [say.say("enough_train", method=method, cards=words.listed(enough))] if enough else []
    if not methods_said(setup):
        lines.append(say.say("question_method"))
    return Told(sentence(lead), tuple(lines), "estimate")


def _others(one: LookedUp, call: Call) -> Iterator[tuple[str, str]]:
    """What the other methods hold, each by a call of its own."""
    for name in one.shown.get("other_methods") or {}:
        short = "full" if str(name).startswith("full") else str(name)
        other = call("find_ways_to_train", {**one.request, "method": short})
        if not other.failed and other.shown.get("needed"):
            yield short, str(other.shown["needed"])


def methods_said(setup: Setup) -> bool:
    """Whether the person says how it is to be trained."""
    stances: tuple[Stance, ...] = ("have", "plan", "proposed", "wanted")
    found: list[Known] = list(setup.every("method", *stances))
    return any(str(one.value) not in ("sft", "distillation") for one in found)


def _held(one: LookedUp) -> int:
    """The upper end of what the last estimate of a result holds."""
    rows = _estimates(one)
    return int(rows[-1]["per_gpu"]["high_bytes"]) if rows else 0


def single_cards(held: int, call: Call, say: Words) -> list[str]:
    """The cheapest cards of which a single one holds it."""
    if not held or held > SINGLE_MAX:
        return []
    asked: dict[str, object] = {"kind": "find_cards", "vendor": "NVIDIA", "sort": "price"}
    found = call("look_up", {**asked, "min_memory": f"{held / GIB:.1f} GiB"})
    rows = [row for row in found.shown.get("cards", []) if isinstance(row, Mapping)]
    told = [f"{row['name']} ({row['memory']})" for row in rows if row.get("market") in SOLD_TO][:3]
    return [say.say("one_card_of", cards=say.listed(told))] if told and not found.failed else []
