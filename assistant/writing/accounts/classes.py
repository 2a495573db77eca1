"""What a machine holds where no model was named: usual sizes, one or two at once, run and trained."""

from collections.abc import Sequence
from typing import Any

from assistant.reading.situation import Situation
from assistant.writing.accounts.cards import Call
from assistant.writing.accounts.run import NOTICED, Told, called
from assistant.writing.accounts.sentences import memory, rate, sentences, whole
from assistant.writing.accounts.train import plain_of
from assistant.writing.arguments import cards_of, running, training
from assistant.writing.setups import Setup
from assistant.writing.ways import verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

SIZES = ("8B", "14B", "32B", "70B")
TRAINED_SIZES = ("1.5B", "3B", "8B", "14B", "32B", "70B")
PAIRS = (("8B", "8B"), ("14B", "8B"), ("14B", "14B"), ("32B", "8B"))
FULL_PAIR = ("7B bf16", "7B bf16")
USUAL_CARD = "1x 24GB card"
SEVERAL = 2


def sizes_that_fit(setup: Setup, situation: Situation, call: Call, words: Words) -> Told | None:
    """Which sizes of models these cards hold; two at once where several are to share them."""
    setup = with_work(setup, situation)
    if _several(setup, situation):
        return _two_at_once(setup, situation, call, words)
    return trained_sizes(setup, situation, call, words) if setup.trains else run_sizes(setup, situation, call, words)


def with_work(setup: Setup, situation: Situation) -> Setup:
    """A machine with the work that was told without a model: how it is used is known all the same."""
    works = situation.works()
    return setup._replace(work=works[-1]) if setup.work is None and works else setup


def _several(setup: Setup, situation: Situation) -> bool:
    copies = [one.value for thing in situation.works() for one in thing.all("copies")]
    return any(isinstance(one, (int, float)) and one >= SEVERAL for one in copies)


def run_sizes(setup: Setup, situation: Situation, call: Call, words: Words) -> Told | None:
    """Usual sizes with the best way of each."""
    say, asked = sentences(words), dict(running(setup, situation))
    cards = str(asked.setdefault("cards", USUAL_CARD))
    rows, best, beyond = [], "", ""
    for size in SIZES:
        one = call("find_ways_to_run", {**asked, "model": size})
        found = ways(one, words)
        if one.failed or not found or verdict(one) == "does_not_fit":
            rows.append(say.say("size_no", size=size))
            continue
        best, beyond = (size, beyond) if _wholly(one) else (best, size)
        rows.append(say.say("size_row", size=size, **found[0].fields))
    if not best and not beyond:
        return Told(say.say("sizes_none", cards=cards), (), "estimate")
    named = call("find_ways_to_run", dict(asked))
    cards = called(cards, words)
    lines = ["\n".join(f"- {row}" for row in rows), *_named(named, say)]
    lines.append(say.say("question_which"))
    name = "sizes_lead" if not beyond else "sizes_beyond" if best else "sizes_lead_host"
    return Told(say.say(name, size=best, beyond=beyond, cards=cards), tuple(lines), "estimate")


def _wholly(one: LookedUp) -> bool:
    """Whether the best way stays on the cards and loses little."""
    row = whole(one)["ways"][0]
    return not (row.get("layout") or {}).get("offload") and (row.get("loss_percent") or 0.0) < NOTICED


def _named(one: LookedUp, say: Words) -> list[str]:
    """Models of today that it runs."""
    rows = [row for row in one.shown.get("models", []) if isinstance(row, dict)]
    told = [f"{row['model']} ({row['tokens_per_s_per_user']})" for row in rows if row.get("tokens_per_s_per_user")][:4]
    return [say.say("sizes_named", models=say.listed(told))] if told else []


def trained_sizes(setup: Setup, situation: Situation, call: Call, words: Words) -> Told | None:
    """The largest of the usual sizes that each method fits, as it is usually done."""
    say, asked = sentences(words), dict(training(setup, situation))
    cards = str(asked.setdefault("cards", USUAL_CARD))
    told = []
    said = str(asked.get("method", ""))
    order = [name for name in ("lora", "qlora", "full") if name in said.split()] if setup.every("method") else []
    for method in [*order, *(name for name in ("full", "lora", "qlora") if name not in order)]:
        size, held = largest_trained(asked, method, call)
        name = say.say(f"method_{method}")
        told.append(say.say("trained_row", method=name, size=size, needed=held) if size else
                    say.say("trained_none", method=name))  # fmt: skip
    lead = say.say("trained_lead", cards=cards_of(setup) or cards, rows=say.listed(told))
    return Told(lead, (say.say("trained_note"),), "estimate")


def largest_trained(asked: dict[str, str], method: str, call: Call) -> tuple[str, str]:
    """The largest usual size of a method on these cards, with its memory a card; empty where none fits."""
    found = ("", "")
    for size in TRAINED_SIZES:
        one = call("find_ways_to_train", {**asked, "model": size, "method": method})
        plain = None if one.failed else plain_of(one)
        if plain is None or plain["fits"] == "no":
            break
        found = (size, plain["plain"])
    return found


def _two_at_once(setup: Setup, situation: Situation, call: Call, words: Words) -> Told | None:
    """Pairs of usual sizes side by side on these cards."""
    say, asked = sentences(words), dict(running(setup, situation))
    asked.setdefault("cards", USUAL_CARD)
    asked.pop("model", None)
    rows, first = [], ""
    for pair in PAIRS:
        one = call("find_ways_to_run", {**asked, "works": list(pair)})
        shares = _shares(one)
        name = " + ".join(pair)
        if whole(one).get("together", {}).get("mode") != "side_by_side" or not shares:
            rows.append(say.say("pair_no", pair=name))
            continue
        first = first or name
        rows.append(say.say("pair_row", pair=name, rows=" + ".join(_share(share) for share in shares)))
    wide = call("find_ways_to_run", {**asked, "works": list(FULL_PAIR)})
    if whole(wide).get("together", {}).get("mode") == "in_turn":
        rows.append(say.say("pair_no", pair=" + ".join(FULL_PAIR)))
    if not first:
        return None
    lines = ("\n".join(f"- {row}" for row in rows), say.say("pair_share"), say.say("question_pair"))
    return Told(say.say("pair_lead", cards=_cards(wide), pair=first), lines, "estimate")


def _cards(one: LookedUp) -> str:
    return str(whole(one).get("answer", {}).get("cards") or one.request.get("cards", ""))


def _shares(one: LookedUp) -> list[dict[str, Any]]:
    return [row for row in (whole(one).get("together") or {}).get("shares", []) if row.get("way")]


def _share(share: dict[str, Any]) -> str:
    way = share["way"]
    return f"{memory(way['memory']['needed_bytes_per_gpu'])} ({str(way['title']).partition(' on ')[0]})"


def pairs(one: LookedUp, words: Words) -> Told:
    """Several named models on one machine: at once, in turn, or not at all."""
    say, held = sentences(words), whole(one)["together"]
    shares = _shares(one)
    cards, beside = _cards(one), [row for row in one.shown.get("beside_on_first_card", []) if isinstance(row, dict)]
    told = [f"{share['model']} {_share(share)}" for share in shares]
    told += [f"{row['model']} {row['needed']}" for row in beside]
    kind = {"side_by_side": "together_yes", "in_turn": "together_in_turn"}.get(held["mode"], "together_no")
    lines = [say.say("pair_share")] if kind == "together_yes" else []
    lines += _limits(one, shares, say)
    return Told(say.say(kind, cards=cards, rows=say.listed(told)), tuple(lines), verdict(one))


def _limits(one: LookedUp, shares: Sequence[dict[str, Any]], say: Words) -> list[str]:
    """How far each goes in its part."""
    rows = []
    for share in shares:
        way = share["way"]
        longest = (way.get("limits") or {}).get("max_context_tokens")
        speed = ((way.get("speed") or {}).get("tokens_per_s_per_user") or {}).get("value")
        if longest and speed:
            rows.append(say.say("share_limit", model=share["model"], tokens=f"{longest:,}", rate=rate(speed)))
    return ["\n".join(f"- {row}" for row in rows)] if rows else []
