"""Claims that are to be checked: what each says of memory, links and what runs, beside what is worked out."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.trouble.proposed import told_price, weighed
from assistant.writing.ways import model_name, verdict, ways
from assistant.writing.words import Words
from kb.lexicon.count.rules import numbers
from kb.lexicon.text import fold

CLAIMS_MAX = 6
FAR = 1.15
"""A claimed memory further off than this ratio is told as wrong."""
FINDINGS_MAX = 2
LIMITING = ("vllm", "fp16")
"""What old cards lack or do slowly: engines that serve, and arithmetic in 16 bit."""
LOAD = ("context_tokens", "concurrent_sequences", "input_tokens", "output_tokens", "kv_format")
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


def _load(claim: Claim, situation: Situation) -> dict[str, str]:
    """Lengths and requests that the claim's work was told with."""
    works = _things(claim, situation, "work")
    return (
        {name: str(value) for name, value in running(Setup(works[0], ()), situation).items() if name in LOAD}
        if works
        else {}
    )


def _runs(claim: Claim, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    asked: dict[str, object] = {"model": _model(claim, situation) or "", "cards": _cards(claim, situation) or ""}
    asked |= {name: value for name, value in _load(claim, situation).items() if name not in asked}
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
    yield from _limits(str(asked["cards"]), calls, words)


def _limits(cards: str, calls: Calls, words: Words) -> Iterator[str]:
    """What the card cannot do, however much memory it has."""
    for feature in LIMITING:
        one = calls.call("look_up", {"kind": "compatibility", "names": [cards], "feature": feature})
        row = one.worked[-1].result["findings"][0] if one.worked and not one.failed else {}
        if row.get("verdict") in ("works_with", "does_not") and row.get("way") is None:
            yield _found(row, words)


def _found(row: Mapping[str, object], words: Words) -> str:
    """A finding in its own words; in Chinese with what was asked before it."""
    if words.language == "en":
        return " ".join(filter(None, (str(row.get("reason") or ""), _stopped(row.get("instead")))))
    said = [row.get("asked_zh") or row.get("asked"), row.get("reason_zh"), row.get("instead_zh")]
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
    """How many slices the card can be cut into, beside the number that was claimed."""
    told = next((one for one in claim.of("partition")), None)
    claimed = [one.value for one in numbers(fold(told.quote))] if told else []
    one = calls.call("look_up", {"kind": "spec", "names": [card]}) if claimed else None
    rows = [row for row in one.shown.get("found", []) if isinstance(row, Mapping)] if one and not one.failed else []
    most = rows[0].get("mig_instances") if rows else None
    if isinstance(most, int | float) and most not in claimed:
        yield words.say("slices", name=rows[0]["name"], most=f"{most:g}")


CHECKS = {"pooled": _pooled, "runs": _runs, "memory": _memory, "feature": _feature}
TOPIC = Topic("check", Path(__file__).parent, ("check",), applies, answer)
