"""Options that are weighed against each other: each worked out, in one row, and which goes first."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from assistant.reading.situation import Situation
from assistant.writing.arguments import cards_of, running, training
from assistant.writing.setups import Setup
from assistant.writing.training import best_way
from assistant.writing.ways import WayTold, model_name, plain_way, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

FIT = ("fits", "fits_with_changes")
CLOSE_BY = 1.25
"""Ratio of two speeds up to which they count as alike: estimates are no finer."""
NAMELESS = " card"
"""How cards end of which only the memory was said: they are told by the one they were reckoned as."""
Call = Callable[[str, dict[str, object]], LookedUp]


class Option(NamedTuple):
    """One work on one machine, worked out."""

    name: str
    """The machine as the person calls it."""
    model: str
    verdict: str
    how: str
    """Format and engine, or how it is trained."""
    needed: str
    usable: str
    rate: str
    rate_value: float
    context: str
    met: bool | None
    result: LookedUp
    first: str = ""
    """Wait for the first token, where a prompt was told."""

    @property
    def fits(self) -> bool:
        """Whether the work runs there, as asked or with a change."""
        return self.verdict in FIT


def worked(setup: Setup, situation: Situation, call: Call, words: Words) -> Option | None:
    """One setup worked out; None where the solver refuses."""
    return _trained(setup, situation, call, words) if setup.trains else _run(setup, situation, call, words)


def _run(setup: Setup, situation: Situation, call: Call, words: Words) -> Option | None:
    one = call("find_ways_to_run", dict(running(setup, situation)))
    if one.failed:
        return None
    best = ways(one, words)
    name = cards_of(setup) or str(one.request.get("host_memory", ""))
    if (plain := plain_way(one, words)) is not None:
        return Option(
            name, model_name(one), verdict(one), plain["how"], plain["needed"], plain["usable"], plain["rate"],
            float(plain["value"] or 0.0), "", None, one,
        )  # fmt: skip
    if not best or verdict(one) == "does_not_fit":
        return Option(name, model_name(one), "does_not_fit", "", "", "", "", 0.0, "", None, one)
    first, row = best[0], one.worked[-1].result["ways"][0]
    name = first.fields["cards"] if name.endswith(NAMELESS) else name
    speed = row.get("speed") or {}
    rate = speed.get("tokens_per_s_total" if first.several else "tokens_per_s_per_user") or {}
    return Option(
        name, first.fields["model"], verdict(one), f"{first.fields['format']}, {first.fields['engine']}",
        first.fields["needed"], first.fields["usable"], _rate(first, words),
        float(rate.get("value") or 0.0), first.fields["max_context"], first.met, one,
        first.fields["first"] if "input_tokens" in one.request or "context_tokens" in one.request else "",
    )  # fmt: skip


def _rate(way: WayTold, words: Words) -> str:
    """How fast for one; of several at once what they get together, and each."""
    if not way.several or not way.fields["total"]:
        return way.fields["rate"]
    return words.say("rate_together", total=way.fields["total"], rate=way.fields["rate"])


def _trained(setup: Setup, situation: Situation, call: Call, words: Words) -> Option | None:
    one = call("find_ways_to_train", dict(training(setup, situation)))
    if one.failed:
        return None
    name, fields = cards_of(setup) or "", best_way(one, words)
    if fields is None or verdict(one) == "does_not_fit":
        return Option(name, model_name(one), "does_not_fit", "", "", "", "", 0.0, "", None, one)
    speed: dict[str, Any] = one.worked[-1].result["ways"][0].get("speed") or {}
    name = fields["cards"] if name.endswith(NAMELESS) else name
    rate = speed.get("tokens_per_s") or speed.get("samples_per_s") or {}
    return Option(
        name, fields["model"], verdict(one), fields["method"], fields["needed"], fields["usable"], fields["rate"],
        float(rate.get("value") or 0.0), "", None, one,
    )  # fmt: skip


def best_first(options: Sequence[Option]) -> list[Option]:
    """What holds every work before what holds some, as asked before with a change, then the target, then the faster."""
    held = Counter(one.name for one in options if one.fits)
    as_asked = Counter(one.name for one in options if one.verdict == "fits")
    return sorted(
        options, key=lambda one: (-held[one.name], -as_asked[one.name], not one.fits, one.met is False, -one.rate_value)
    )


def alike(one: Option, other: Option) -> bool:
    """Whether two fit alike and are about as fast."""
    slow, fast = sorted((one.rate_value, other.rate_value))
    return one.verdict == other.verdict and slow > 0 and fast <= slow * CLOSE_BY


def table(options: Sequence[Option], words: Words, *, of_models: bool = False) -> str:
    """One row an option; columns nobody has a figure for are left out."""
    many = len({one.model for one in options}) > 1
    columns: list[tuple[str, Callable[[Option], str]]] = [
        ("model" if of_models else "option", lambda one: one.model if of_models else one.name)
    ]
    if many and not of_models:
        columns.append(("model", lambda one: one.model))
    columns += [
        ("runs", lambda one: words.say(one.verdict)),
        ("how", lambda one: one.how),
        ("memory", lambda one: f"{one.needed} / {one.usable}" if one.needed else ""),
        ("rate", lambda one: one.rate),
        ("first", lambda one: one.first),
        ("context", lambda one: one.context),
    ]
    kept = [(name, cell) for name, cell in columns if any(cell(one) for one in options)]
    head = "| " + " | ".join(words.say(f"head_{name}") for name, _ in kept) + " |"
    rows = ["| " + " | ".join(cell(one) or "–" for _, cell in kept) + " |" for one in options]
    return "\n".join([head, "|" + " --- |" * len(kept), *rows])
