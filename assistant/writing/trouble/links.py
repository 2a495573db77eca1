"""What the links between cards cost a work: the time of its exchanges over each link that was told, by arithmetic."""

from collections.abc import Iterator, Mapping

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls
from assistant.writing.arguments import cards_of, model_of, running
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.trouble.layouts import card_count
from assistant.writing.ways import verdict, ways
from assistant.writing.words import Words
from kb.base import AdvisorError
from kb.catalog import gpus
from kb.lexicon import read_cards
from kb.machines.links import pcie_bytes_per_s

LINKS_MAX, LANES = 3, 16
USUAL, PROMPT = "Llama-3.3-70B-Instruct", "2048"
"""The model that is reckoned with where none was named, and the prompt."""
GB = 1e9
SHARDED = "3 * params * 2"
"""Bytes a step of a training that shards everything: weights gathered twice, gradients spread once, in 16 bits."""
ADAPTED = frozenset({"lora", "qlora"})
"""Methods that exchange adapters alone."""
BRIDGE = "NVLink"
EXCHANGED = "2 * layers * hidden * 2"
"""Bytes a token of tensor parallelism on two cards: two sums a layer of the hidden state in 16 bits."""


def told_links(situation: Situation, ask: Ask, calls: Calls, words: Words) -> Iterator[str]:
    """Over each link, what tensor parallelism exchanges for a token and for a prompt, and what layers in turn do."""
    found = setups(situation, ask)
    setup = found[0] if found else None
    if setup is None or card_count(setup) < 2:
        return
    if setup.work is not None and setup.trains:
        yield from _trained(setup, situation, calls, words)
        return
    links = [(one.quote, rate) for one in _links(situation) if (rate := _rate(one, setup))][:LINKS_MAX]
    shape = _shape(setup, calls) if links else None
    if shape is None:
        return
    key, name = shape
    rows = [row for quote, rate in links if (row := _row(quote, rate, key, calls, words))]
    if rows:
        yield words.say("links", model=name, rows=words.listed(rows))


def _trained(setup: Setup, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """What a step of a sharded full training exchanges, and how long that takes over the link."""
    methods = {str(one.value) for one in setup.every("method", *THOUGHT_OF)}
    named = setup.one("model", *THOUGHT_OF)
    links = [(one.quote, rate) for one in _links(situation) if (rate := _rate(one, setup))]
    if not links or named is None or methods & ADAPTED:
        return
    model = calls.call("look_up", {"kind": "model", "names": [model_of(setup, form=False).get("model", "")]})
    params = named.quote if model.failed else f"{model.key}.models[0].params"
    for link, rate in links[:1]:
        values = {"params": params, "rate": f"{rate / GB:.3g} GB/s"}
        one = calls.call("work_out", {"expression": f"{SHARDED} / rate", "unit": "s", "values": values})
        if not one.failed:
            yield words.say("link_trains", link=link, rate=values["rate"], time=one.shown["value"])


def told_bridge(setup: Setup, situation: Situation, ask: Ask, calls: Calls, words: Words) -> Iterator[str]:
    """What a bridge that is thought of would change: with tensor parallelism something, with layers in turn nothing."""
    known = [one for thing in situation.about(ask) for one in thing.known if one.turn == situation.turn]
    plans = [one for one in known if one.slot in ("accessory", "link") and one.stance == "plan"]
    count, cards = card_count(setup), cards_of(setup)
    if not plans or count < 2 or not setup.runs or cards is None:
        return
    found = calls.call("look_up", {"kind": "compatibility", "names": [cards], "words": plans[0].quote})
    rows = found.worked[-1].result.get("findings", []) if found.worked and not found.failed else []
    if not rows or rows[0].get("asked") != BRIDGE:
        return
    if rows[0]["verdict"] == "does_not":
        yield words.say("bridge_not", quote=plans[0].quote, cards=cards)
        return
    asked = {name: value for name, value in running(setup, situation).items() if name not in ("engine", "link")}
    rates = []
    for link in ("nvlink", "PCIe 4.0 x8"):
        one = calls.call("find_ways_to_run", {**asked, "link": link, "parallel": f"tp {count}"})
        best = [] if one.failed else ways(one, words)
        rates.append(best[0].fields["rate"] if best and verdict(one) != "does_not_fit" else "")
    if all(rates):
        yield words.say("bridge", quote=plans[0].quote, bridged=rates[0], plain=rates[1])


def _links(situation: Situation) -> list[Known]:
    known = [one for thing in situation.things for one in thing.known] + list(situation.known)
    told = [one for one in known if one.slot in ("link", "slots") and one.stance in THOUGHT_OF]
    return list({one.quote: one for one in told if isinstance(one.value, Mapping)}.values())


def _rate(one: Known, setup: Setup) -> float | None:
    """Bytes a second of the link: as told, else so many lanes of the card's own generation."""
    if one.value.get("bytes_per_s"):
        return float(one.value["bytes_per_s"])
    try:
        card = gpus().get(str(read_cards(cards_of(setup) or "")[0].gpu))
    except (AdvisorError, IndexError):
        return None
    whole = pcie_bytes_per_s(card) if card else None
    lanes = one.value.get("lanes")
    return whole / 2 * lanes / LANES if whole and lanes else None


def _shape(setup: Setup, calls: Calls) -> tuple[str, str] | None:
    """The result that holds the model's layers and width, and its name."""
    for name in (model_of(setup, form=False).get("model") if setup.work else None, USUAL):
        if name:
            one = calls.call("look_up", {"kind": "model", "names": [name]})
            rows = [row for row in one.shown.get("models", []) if isinstance(row, Mapping) and row.get("hidden_size")]
            if not one.failed and rows:
                return one.key, str(rows[0]["name"])
    return None


def _row(link: str, rate: float, key: str, calls: Calls, words: Words) -> str:
    values = {"layers": f"{key}.models[0].layers", "hidden": f"{key}.models[0].hidden_size"}
    values["rate"] = f"{rate / GB:.3g} GB/s"
    token = calls.call("work_out", {"expression": f"{EXCHANGED} / rate", "unit": "ms", "values": values})
    whole = {**values, "tokens": PROMPT}
    prompt = calls.call("work_out", {"expression": f"{EXCHANGED} * tokens / rate", "unit": "s", "values": whole})
    if token.failed or prompt.failed:
        return ""
    told = {"token": token.shown["value"], "prompt": prompt.shown["value"]}
    return words.say("link_row", link=link, rate=values["rate"], **told)
