"""Claims that are to be checked: what each says of memory, links and what runs, beside what is worked out."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.setups import THOUGHT_OF
from assistant.writing.ways import model_name, verdict, ways
from assistant.writing.words import Words

CLAIMS_MAX = 6
FAR = 1.15
"""A claimed memory further off than this ratio is told as wrong."""
UNITS = {"MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
FEATURES = ("link", "partition", "accessory", "version", "format")


class Claim(NamedTuple):
    """A clause that is to be checked, and the facts inside it."""

    words: Known
    facts: tuple[Known, ...]

    def of(self, *slots: str) -> list[Known]:
        """Facts of these slots."""
        return [one for one in self.facts if one.slot in slots]


def applies(ask: Ask, situation: Situation) -> bool:
    """A claim that says something which can be worked out."""
    return any(_kind(one, situation) for one in _claims(situation))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Each claim with what holds and what does not; those that nothing decides are named."""
    told: list[str] = []
    open_: list[str] = []
    for claim in _claims(situation)[:CLAIMS_MAX]:
        said = [one for kind in _kind(claim, situation) for one in CHECKS[kind](claim, situation, calls, words)]
        told += said
        if not said:
            open_.append(f"“{claim.words.quote}”")
    if not told:
        return None
    rest = [words.say("open", claims=words.listed(open_))] if open_ else []
    return SectionTold(told[0], (*told[1:], *rest), "fact")


def _claims(situation: Situation) -> list[Claim]:
    """Claims of the last turn that holds any, each with the facts its words enclose."""
    known = [one for thing in situation.things for one in thing.known] + list(situation.known)
    claims = [one for one in known if one.slot == "claim"]
    latest = max((one.turn for one in claims), default=None)
    unique = list({(one.start, one.quote): one for one in claims if one.turn == latest}.values())
    return [Claim(one, tuple(other for other in known if _inside(other, one))) for one in unique]


def _inside(one: Known, claim: Known) -> bool:
    end = claim.start + len(claim.quote)
    return one.slot != "claim" and one.turn == claim.turn and claim.start <= one.start < end


def _kind(claim: Claim, situation: Situation) -> list[str]:
    """What of it can be checked: what runs where, a memory, features of a card."""
    kinds: list[str] = []
    cards = _cards(claim, situation)
    if claim.of("total_memory") and not claim.of("model") and cards:
        kinds.append("pooled")
    elif (claim.of("model") or claim.of("total_memory")) and cards and _model(claim, situation):
        kinds.append("runs")
    if claim.of("memory") and _model(claim, situation):
        kinds.append("memory")
    if claim.of(*FEATURES) and cards:
        kinds.append("feature")
    return kinds


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


def _runs(claim: Claim, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    asked: dict[str, object] = {"model": _model(claim, situation) or "", "cards": _cards(claim, situation) or ""}
    one = calls.call("find_ways_to_run", {**asked, **_format(claim, situation)})
    if one.failed:
        return
    best = ways(one, words)
    quote = claim.words.quote
    if best and verdict(one) == "fits":
        yield words.say("runs", quote=quote, **best[0].fields)
    elif best:
        yield words.say("runs_changed", quote=quote, **best[0].fields)
    else:
        yield words.say("runs_not", quote=quote, model=model_name(one), cards=str(asked["cards"]))


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
    cards = _cards(claim, situation)
    for fact in claim.of(*FEATURES):
        one = calls.call("look_up", {"kind": "compatibility", "names": [cards], "feature": fact.quote})
        if one.failed or one.shown.get("verdict") not in ("works", "works_with", "does_not"):
            continue
        row = one.worked[-1].result["findings"][0]
        instead = row.get("instead_zh" if words.language == "zh" else "instead") or ""
        reason = row.get("reason", "") if words.language == "en" else ""
        said = words.say(f"feature_{row['verdict']}", quote=fact.quote, cards=cards or "")
        yield " ".join(filter(None, [said, reason, f"{instead}." if instead and words.language == "en" else instead]))


CHECKS = {"pooled": _pooled, "runs": _runs, "memory": _memory, "feature": _feature}
TOPIC = Topic("check", Path(__file__).parent, ("check",), applies, answer)
