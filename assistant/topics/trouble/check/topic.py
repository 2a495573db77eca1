"""Claims that are to be checked: what each says of memory, links and what runs, beside what is worked out."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.training import best_way, conditions
from assistant.writing.trouble.proposed import told_price, weighed
from assistant.writing.ways import model_name, verdict, ways
from assistant.writing.words import Words
from kb.base import AdvisorError
from kb.models import models
from tools.agent_tools import reading
from tools.agent_tools.ledger import LookedUp
from tools.ways_to_run.tell.words import format_name

CLAIMS_MAX = 6
FAR = 1.15
"""A claimed memory further off than this ratio is told as wrong."""
FINDINGS_MAX = 2
SLOW = "fp16"
LIMITING = ("vllm", SLOW)
"""What old cards lack or do slowly: engines that serve, and arithmetic in 16 bit."""
LOAD = ("users", "context_tokens", "concurrent_sequences", "input_tokens", "output_tokens", "kv_format")
UNITS = {"MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
FEATURES = ("link", "partition", "accessory", "version", "format", "program", "property", "condition")
OF_MONEY = frozenset({"price", "energy"})
OF_A_WORK = frozenset({"memory", "cards", "nodes", "throughput", "speed", None, "all"})
"""Quantities of a claim that a model runs somewhere, where the claim itself names none."""


class Claim(NamedTuple):
    """A clause that is to be checked, and the facts inside it."""

    words: Known
    facts: tuple[Known, ...]

    def of(self, *slots: str) -> list[Known]:
        """Facts of these slots."""
        return [one for one in self.facts if one.slot in slots]


def applies(ask: Ask, situation: Situation) -> bool:
    """A claim that says something which can be worked out, or hardware that somebody proposes for a work."""
    if ask.quantity in OF_MONEY:
        return True
    return any(_kind(one, ask, situation) for one in _claims(situation)) or bool(_proposed(ask, situation))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Each claim with what holds and what does not; those that nothing decides are named."""
    told: list[str] = []
    open_: list[str] = []
    for claim in [] if ask.quantity in OF_MONEY else _claims(situation)[:CLAIMS_MAX]:
        kinds = _kind(claim, ask, situation)
        said = [one for kind in kinds for one in CHECKS[kind](claim, situation, calls, words)]
        told += said
        if not said:
            open_.append(f"“{claim.words.quote}”")
    if ask.quantity in OF_MONEY:
        told = list(told_price(situation, calls, words))
    proposed = [] if told or ask.quantity in OF_MONEY else weighed(_proposed(ask, situation), situation, calls, words)
    told = list(dict.fromkeys([*told, *proposed]))
    if not told:
        return None
    rest = [words.say("open", claims=words.listed(open_))] if open_ else []
    return SectionTold(told[0], (*told[1:], *rest), "fact")


def _proposed(ask: Ask, situation: Situation) -> list[Setup]:
    """The work on each machine that somebody proposes."""
    found = [one for one in setups(situation, ask) if one.work is not None and one.machines and not one.trains]
    return [one for one in found if any(known.stance == "proposed" for known in one.every("cards"))]


def _claims(situation: Situation) -> list[Claim]:
    """Claims of this turn, else all of the conversation, each with the facts its words enclose."""
    known = [one for thing in situation.things for one in thing.known] + list(situation.known)
    claims = [one for one in known if one.slot == "claim"]
    now = [one for one in claims if one.turn == situation.turn] or claims
    unique = list({(one.turn, one.start, one.quote): one for one in now}.values())
    return [Claim(one, tuple(other for other in known if _inside(other, one))) for one in unique]


def _inside(one: Known, claim: Known) -> bool:
    end = claim.start + len(claim.quote)
    return one.slot != "claim" and one.turn == claim.turn and claim.start <= one.start < end


def _kind(claim: Claim, ask: Ask, situation: Situation) -> list[str]:
    """What of it can be checked: what runs where, a memory, features of a card, cards together."""
    kinds: list[str] = []
    cards, model = _cards(claim, situation), _model(claim, situation)
    of_work = ask.quantity in OF_A_WORK and not claim.of("memory", *FEATURES) and _of_both(claim, situation)
    if claim.of("total_memory") and not claim.of("model") and cards:
        kinds.append("pooled")
    elif claim.of("method") and cards and model:
        kinds.append("trains")
    elif (claim.of("model", "total_memory", "nodes", "card_count") or of_work) and cards and model:
        kinds.append("runs")
    if claim.of("memory") and model:
        kinds.append("memory")
    if (claim.of(*FEATURES) or ask.quantity in ("software", "links", "feature")) and cards:
        kinds.append("feature")
    return kinds


def _of_both(claim: Claim, situation: Situation) -> bool:
    """Whether the claim is of a work and of hardware at once."""
    start = claim.words.start
    of = {thing.what for thing in situation.things for one in thing.all("claim") if one.start == start}
    return {"work", "hardware"} <= of


def _things(claim: Claim, situation: Situation, what: str) -> list[Thing]:
    """The works or machines the claim is of, else all."""
    of = [
        thing
        for thing in situation.things
        if thing.what == what and any(one.slot == "claim" and one.start == claim.words.start for one in thing.known)
    ]
    return of or [thing for thing in situation.things if thing.what == what]


def _cards(claim: Claim, situation: Situation) -> str | None:
    for thing in _things(claim, situation, "hardware"):
        named = thing.one("cards")
        count = next(iter(claim.of("card_count")), None) or thing.one("card_count")
        if named is not None:
            plain = bool(named.value) and len(named.value) == 1 and named.value[0]["count"] == 1
            number = int(count.value) if count is not None and isinstance(count.value, int | float) else 1
            return f"{number}x {named.quote}" if plain and number > 1 else named.quote
    return None


def _model(claim: Claim, situation: Situation) -> str | None:
    inside = claim.of("model")
    if inside:
        return inside[-1].quote
    works = _things(claim, situation, "work")
    named = [one for thing in works for one in thing.all("model") if one.stance in (*THOUGHT_OF, "claimed")]
    whole = [one for one in named if isinstance(one.value, Mapping) and one.value.get("model")]
    return (whole or named)[0].quote if named else None


def _format(claim: Claim, situation: Situation) -> dict[str, str]:
    found = claim.of("format") or [
        one for thing in _things(claim, situation, "work") for one in thing.all("format") if one.stance in THOUGHT_OF
    ]
    return {"weight_format": str(found[-1].value)} if found else {}


def _native(model: str) -> dict[str, str]:
    """The format a model was published in, which is what is meant where none is said."""
    try:
        known = models().get(str(reading.model_and_format(model, None)[0].get("model")))
    except AdvisorError:
        return {}
    return {"weight_format": known.native_format} if known else {}


def _narrower(one: LookedUp) -> bool:
    """Whether the format had to be changed for it to fit."""
    changed = one.worked[-1].result.get("answer", {}).get("changed", []) if one.worked else []
    return any("weight_format" in str(said) for said in changed)


def _load(claim: Claim, situation: Situation) -> dict[str, str]:
    """Lengths and requests that the claim names, or that its work was told with."""
    works = _things(claim, situation, "work")
    told = running(Setup(works[0], ()), situation) if works else {}
    said = next(iter(claim.of("concurrent")), None)
    people = next(iter(claim.of("users")), None)
    if people is not None and isinstance(people.value, int | float):
        told["users"] = f"{people.value:.0f}"
    many = {"concurrent_sequences": f"{said.value:.0f}"} if said and isinstance(said.value, int | float) else {}
    return {name: str(value) for name, value in told.items() if name in LOAD} | many


def _runs(claim: Claim, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    asked: dict[str, object] = {"model": _model(claim, situation) or "", "cards": _cards(claim, situation) or ""}
    asked |= {name: value for name, value in _load(claim, situation).items() if name not in asked}
    stated = _format(claim, situation) or _native(str(asked["model"]))
    one = calls.call("find_ways_to_run", {**asked, **stated})
    if one.failed:
        return
    best = ways(one, words)
    quote = claim.words.quote
    if best and stated and best[0].form not in stated.values() and _narrower(one):
        yield words.say("runs_narrower", quote=quote, asked=format_name(stated["weight_format"]), **best[0].fields)
    elif best and verdict(one) == "fits":
        yield words.say("runs", quote=quote, **best[0].fields)
    elif best:
        yield words.say("runs_changed", quote=quote, **best[0].fields)
    else:
        yield words.say("runs_not", quote=quote, model=model_name(one), cards=str(asked["cards"]))
    yield from _limits(str(asked["cards"]), calls, words)


def _limits(cards: str, calls: Calls, words: Words) -> Iterator[str]:
    """What the card cannot do, however much memory it has."""
    for feature in LIMITING:
        one = calls.call("look_up", {"kind": "compatibility", "names": [cards], "feature": feature})
        row = one.worked[-1].result["findings"][0] if one.worked and not one.failed else {}
        if row.get("verdict") == "does_not" or (feature == SLOW and row.get("verdict") == "works_with"):
            yield _found(row, words)


def _found(row: Mapping[str, object], words: Words) -> str:
    """A finding in its own words; in Chinese with what was asked before it."""
    if words.language == "en":
        return " ".join(filter(None, (str(row.get("reason") or ""), _stopped(row.get("instead")))))
    asked = str(row.get("asked_zh") or row.get("asked"))
    said = [f"{asked}：{row['reason_zh']}" if row.get("reason_zh") else asked, row.get("instead_zh")]
    return "".join(words.say("clause", said=str(one).rstrip("。")) for one in said if one)


def _stopped(said: object) -> str:
    return f"{str(said).rstrip('.')}." if said else ""


def _pooled(claim: Claim, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """Memory of several cards told as that of one: each keeps its own, and programs split the model over them."""
    one = calls.call("look_up", {"kind": "spec", "names": [_cards(claim, situation)]})
    row = next((row for row in one.shown.get("found", []) if isinstance(row, Mapping) and row.get("memory")), None)
    if one.failed or row is None:
        return
    yield words.say("pooled", quote=claim.words.quote, name=row["name"], memory=row["memory"])
    if not row.get("nvlink"):
        yield words.say("no_bridge", name=row["name"])


def _memory(claim: Claim, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """A claimed memory beside what the model needs, with the usual format and one at a time."""
    claimed = claim.of("memory")[0]
    one = calls.call("find_ways_to_run", {"model": _model(claim, situation) or "", **_format(claim, situation)})
    row = next((row for row in one.shown.get("needs") or one.shown.get("ways") or [] if isinstance(row, Mapping)), None)
    if one.failed or row is None or not isinstance(claimed.value, int | float):
        return
    told = str(row.get("total") or row.get("needed") or "")
    needed = _bytes(told)
    if not needed:
        return
    ratio = claimed.value / needed
    name = "memory_high" if ratio > FAR else "memory_low" if ratio < 1 / FAR else "memory_right"
    yield words.say(name, claimed=claimed.quote, needed=told, model=model_name(one))


def _bytes(told: str) -> float:
    """The first amount of a figure written out: `4.3 GiB (3.2–5.5)`."""
    words = told.replace(",", "").split()
    return float(words[0]) * UNITS.get(words[1], 0.0) if len(words) > 1 and words[0][:1].isdigit() else 0.0


def _feature(claim: Claim, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """What the claim's words name, on its cards; of slices how many there are; of several cards whether they mix."""
    cards, quote = _cards(claim, situation), claim.words.quote
    named = list(dict.fromkeys(one.quote for one in claim.of("cards"))) or [cards or ""]
    asked: dict[str, object] = {"words": quote[:380]} if len(named) == 1 else {"feature": "mixed_cards"}
    one = calls.call("look_up", {"kind": "compatibility", "names": named, **asked})
    rows = one.worked[-1].result.get("findings", []) if one.worked and not one.failed else []
    for row in rows[:FINDINGS_MAX]:
        if row.get("verdict") not in ("works", "works_with", "does_not"):
            continue
        yield words.say(f"feature_{row['verdict']}", quote=quote, cards=words.listed(named), found=_found(row, words))
    yield from _slices(claim, named[0], calls, words)


def _slices(claim: Claim, card: str, calls: Calls, words: Words) -> Iterator[str]:
    """How many slices the card can be cut into, where slices are claimed."""
    one = calls.call("look_up", {"kind": "spec", "names": [card]}) if claim.of("partition") else None
    rows = [row for row in one.shown.get("found", []) if isinstance(row, Mapping)] if one and not one.failed else []
    most = rows[0].get("mig_instances") if rows else None
    if most:
        yield words.say("slices", name=rows[0]["name"], most=f"{most}")


def _trains(claim: Claim, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """A training that is claimed to go on cards: as it is usually meant, then the way that does."""
    methods = [str(one.value) for one in claim.of("method")]
    asked: dict[str, object] = {"model": _model(claim, situation) or "", "cards": _cards(claim, situation) or ""}
    one = calls.call("find_ways_to_train", {**asked, "method": methods[-1]})
    if one.failed:
        return
    told, plain = one.shown.get("answer", {}), one.shown.get("textbook") or {}
    fields, quote = best_way(one, words), claim.words.quote
    needed = str(told.get("needed_per_gpu") or plain.get("needed_per_gpu") or "")
    unusual = words.listed(conditions(one, words))
    if fields is not None and told.get("verdict") == "fits" and not unusual:
        yield words.say("trains", quote=quote, **fields)
    elif fields is not None and told.get("verdict") != "does_not_fit":
        yield words.say("trains_so", quote=quote, asked=needed or "–", unusual=unusual or fields["how"], **fields)
    elif needed:
        usable = str(told.get("usable_per_gpu") or "–")
        yield words.say("trains_not", quote=quote, asked=needed, usable=usable, cards=str(asked["cards"]))


CHECKS = {"trains": _trains, "pooled": _pooled, "runs": _runs, "memory": _memory, "feature": _feature}
TOPIC = Topic("check", Path(__file__).parent, ("check",), applies, answer)
