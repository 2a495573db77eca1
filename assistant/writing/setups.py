"""The setups an ask is about: which work on which machine, with alternatives apart and what is joined together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation, Thing
from assistant.reading.slots import Stance

THERE: tuple[Stance, ...] = ("have",)
THOUGHT_OF: tuple[Stance, ...] = ("have", "plan", "proposed", "wanted", "mentioned")
SETUPS_MAX = 4
WEIGHED = frozenset({"which_hardware", "compare", "worth", "improve", "needed", "break_even", "buy_or_rent"})
"""Asks that put what is there beside what would come to it; others are about both together."""
TRAINS = frozenset({"training", "fine_tuning"})
METHODS_OF_TRAINING = frozenset(
    {
        "full",
        "lora",
        "qlora",
        "sft",
        "dpo",
        "grpo",
        "ppo",
        "pretrain",
        "dreambooth",
        "textual_inversion",
        "distillation",
    }
)


class Setup(NamedTuple):
    """One work on one machine, or on several parts that are joined."""

    work: Thing | None
    machines: tuple[Thing, ...]
    """Empty = no hardware was named."""
    usual_count: int = 1
    """Cards of the machine that is there, which an option without a number stands against."""

    def every(self, slot: str, *stances: Stance) -> tuple[Known, ...]:
        """What is known in a slot, of the machines and the work."""
        things = (*self.machines, *((self.work,) if self.work else ()))
        return tuple(one for thing in things for one in thing.all(slot) if not stances or one.stance in stances)

    def one(self, slot: str, *stances: Stance) -> Known | None:
        """The latest of a slot."""
        found = self.every(slot, *stances)
        return found[-1] if found else None

    def of_case(self, case: str | None) -> "Setup":
        """The same as it was in one of several cases; what was said of no case holds in all."""
        if case is None:
            return self

        def kept(thing: Thing) -> Thing:
            return thing.model_copy(update={"known": tuple(one for one in thing.known if one.case in (None, case))})

        return self._replace(
            work=kept(self.work) if self.work else None, machines=tuple(kept(one) for one in self.machines)
        )

    @property
    def failing(self) -> "Setup":
        """The setup in the case that went wrong: that of the first error, else of the first symptom."""
        told = (*self.every("error"), *self.every("symptom"), *self.every("capacity", "seen"))
        told += tuple(reversed(self.every("speed", "seen")))
        return self.of_case(next((one.case for one in told if one.case), None))

    @property
    def trains(self) -> bool:
        """Whether something is trained: by what was said last of it, for who has trained a model may run it next."""
        known = [one for slot in ("activity", "method") for one in self.every(slot, *THOUGHT_OF)]
        last = max((one.turn for one in known), default=0)
        said = {str(one.value) for one in known if one.turn == last}
        return bool(said & (TRAINS | METHODS_OF_TRAINING))

    @property
    def runs(self) -> bool:
        """Whether a model is run on hardware that was named."""
        return self.work is not None and bool(self.machines) and not self.trains


def setups(situation: Situation, ask: Ask) -> list[Setup]:
    """Each work with each machine that the ask weighs; four at most.

    Parts that are to be added or used together are one machine; other options are apart. Where an ask names only works
    or only machines, it is about all of the others that count.
    """
    situation = _with_identical(situation)
    about = situation.about(ask)
    works = [one for one in about if one.what == "work" and _named(one)] or [
        one for one in situation.works() if _named(one)
    ]
    machines = [one for one in about if _counts(one)] or _of_weight(situation)
    if _adds(situation, machines):
        machines = [*(one for one in situation.hardware() if _counts(one) and _is_there(one)), *machines]
    joined = list(_joined(situation, machines, weighed=ask.ask in WEIGHED))
    wanted: list[Thing | None] = [*works] or [None]
    usual = _usual_count(situation)
    found = [Setup(work, machine, usual) for work in wanted for machine in joined or [()]]
    return found[:SETUPS_MAX]


def with_work(setup: Setup, situation: Situation, ask: Ask) -> Setup:
    """The same with a work that names no model, where there is no other: an engine, a symptom and settings are its."""
    if setup.work is not None:
        return setup
    about = [one for one in situation.about(ask) if one.what == "work" and one.known]
    nameless = about or [one for one in situation.works() if one.known]
    return setup._replace(work=nameless[-1]) if nameless else setup


def _with_identical(situation: Situation) -> Situation:
    """The same where what is added without a name ("a second one") is another of the card that is there."""
    there = next((one for thing in situation.hardware() if _is_there(thing) for one in thing.all("cards")), None)
    rows = there.value if there is not None and isinstance(there.value, list | tuple) else ()
    if there is None or len(rows) != 1:
        return situation
    things = []
    for thing in situation.things:
        again = thing.one("refers", "plan") if not _counts(thing) and not thing.all("model") else None
        if again is not None and any(one.value == "add" for one in thing.all("relation")):
            one = there.model_copy(
                update={"stance": "plan", "value": [{**rows[0], "count": 1}], "inherited": ("name",)}
            )
            thing = thing.model_copy(update={"what": "hardware", "known": (*thing.known, one)})
        things.append(thing)
    return situation.model_copy(update={"things": tuple(things)})


def works_of(situation: Situation, ask: Ask) -> list[Thing]:
    """The works an ask is about, named or not; all where it names none."""
    return [one for one in situation.about(ask) if one.what == "work"] or list(situation.works())


def _adds(situation: Situation, machines: Sequence[Thing]) -> bool:
    """Whether what is weighed comes to what is there."""
    told = [one for thing in machines for one in thing.all("relation")]
    return bool(machines) and not any(_is_there(one) for one in machines) and any(one.value == "add" for one in told)


def _of_weight(situation: Situation) -> list[Thing]:
    """All machines that count; what was only mentioned, where there is nothing else."""
    found = [one for one in situation.hardware() if _counts(one)]
    meant = [one for one in found if any(known.stance != "mentioned" for known in one.all("cards"))]
    return meant or found


def _usual_count(situation: Situation) -> int:
    """Cards of the first machine whose number is known."""
    for thing in situation.hardware():
        for one in thing.all("cards"):
            if one.stance in THOUGHT_OF and one.value and len(one.value) == 1:
                return int(one.value[0].get("count") or 1)
    return 1


def _named(work: Thing) -> bool:
    return any(one.stance in THOUGHT_OF and not of_a_kind(one) for one in work.all("model"))


def of_a_kind(one: Known) -> bool:
    """Whether the words say what kind of model it is, and neither which nor how large."""
    return isinstance(one.value, Mapping) and "kind" in one.value and "model" not in one.value


def _counts(thing: Thing) -> bool:
    """Whether it is hardware that is there or thought of, with cards known."""
    if thing.what != "hardware":
        return False
    named = thing.all("cards")
    if named and all(one.stance == "ruled_out" for one in named):
        return False
    cards = [one for slot in ("cards", "card_memory", "total_memory") for one in thing.all(slot)]
    return any(one.stance in THOUGHT_OF for one in cards)


def _joined(situation: Situation, machines: Sequence[Thing], *, weighed: bool) -> Iterator[tuple[Thing, ...]]:
    """Machines as they are weighed: what is added stands with what is there, other options alone."""
    relations = {str(one.value) for thing in situation.things for one in thing.all("relation")}
    relations |= {str(one.value) for one in situation.known if one.slot == "relation"}
    there = tuple(one for one in machines if _is_there(one))
    thought_of = [one for one in machines if not _is_there(one)]
    if "together" in relations and len(machines) > 1:
        yield tuple(machines)
        return
    adds = "add" in relations and bool(there) and bool(thought_of)
    if there and (weighed or not adds):
        yield there if len(there) == 1 or not thought_of else there[-1:]
    for one in thought_of:
        yield (*there[-1:], one) if adds and not _replaces(one) else (one,)


def _replaces(thing: Thing) -> bool:
    """Whether an option comes in the place of what is there."""
    told = thing.all("relation")
    return bool(told) and told[-1].value in ("swap", "instead")


def _is_there(thing: Thing) -> bool:
    return any(one.stance in THERE for slot in ("cards", "card_memory") for one in thing.all(slot))
