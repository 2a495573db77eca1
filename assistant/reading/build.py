"""A turn's annotation into the situation: whom its numbers mean, and what it adds, replaces, supposes or takes back."""

import re
from collections.abc import Iterable, Sequence

from assistant.reading.annotation import Annotation, Ask, Entity, Fact, Stated
from assistant.reading.situation import Known, Situation, Thing
from kb.catalog import gpus

NUMBERED = re.compile(r"\s*(?:\d+ ?[x×*张卡块]|one\b|single|[一单两二双三四五六七八九十])", re.IGNORECASE)
"""Words that begin with how many cards there are."""
NAMES = {"work": "model", "hardware": "cards"}
"""The slot by which a thing is known again."""
UNLIKE = 1.2
"""Ratio of two memories from which on they are of unlike cards."""
REPLACES = {"changes", "corrects", "supposes"}
SEVERAL = {
    "cards", "setting", "error", "symptom", "claim", "property", "fix_tried", "refers", "accessory", "condition",
    "program", "version", "objective", "price", "rent", "speed", "memory", "step_time", "duration", "provider",
    "purpose", "relation", "answer_form", "machine", "link", "activity",
}  # fmt: skip
"""Slots of which several values stand beside each other; of the others the latest counts."""


def after(before: Situation | None, annotation: Annotation) -> Situation:
    """What is known once the turn is read.

    `new` opens a matter: nothing earlier counts but what the reader says is the same. `returns` takes up what stood
    before a supposition. What `supposes` changes is kept apart, so that it can be taken back.
    """
    if before is None:
        base, turn = Situation(), 0
    else:
        base, turn = before, before.turn + 1
        if annotation.kind == "returns" and before.before is not None:
            base = before.before
        elif annotation.kind == "new":
            base = _only(base, [one.same_as for one in annotation.entities if one.same_as])
    numbers = _numbers(base, annotation, turn)
    things = {one.id: one for one in base.things}
    for entity in annotation.entities:
        id_ = numbers[entity.n]
        held = things.get(id_) or _begun(base, annotation, entity, id_)
        things[id_] = held.model_copy(
            update={"known": _with(held.known, annotation.of(entity.n), turn, annotation.kind)}
        )
    whole = _with(base.known, (fact for fact in annotation.facts if not fact.of), turn, annotation.kind)
    supposed = before if annotation.kind == "supposes" and before is not None else base.before
    return Situation(
        turn=turn, things=tuple(things.values()), known=whole, stated=_stated(base, annotation), asks=annotation.asks,
        numbers=numbers, before=supposed, standing=_standing_asks(before),
        unread=tuple(one for one in annotation.dropped if one.slot is not None),
    )  # fmt: skip


def _standing_asks(before: Situation | None) -> tuple[Ask, ...]:
    """What was asked last, less talk about the answer, which nothing can be asked of again."""
    if before is None:
        return ()
    asks = [one for one in before.asks if one.ask not in ("aside", "about_answer")]
    if not asks:
        return before.standing
    return tuple(
        one.model_copy(update={
            "about": (), "things": tuple(before.numbers[n] for n in one.about if n in before.numbers) or one.things,
        })
        for one in asks
    )  # fmt: skip


def _stated(base: Situation, annotation: Annotation) -> tuple[Stated, ...]:
    """What is pasted now, and what was pasted before of other kinds."""
    new = [fact for one in annotation.artifacts for fact in one.stated]
    kinds = {fact.kind for fact in new}
    return (*(fact for fact in base.stated if fact.kind not in kinds), *new)


def _begun(base: Situation, annotation: Annotation, entity: Entity, id_: str) -> Thing:
    """A new thing. A work without a model is a variant of the last that has one: what it leaves unsaid is the same."""
    facts = list(annotation.of(entity.n))
    named = any(fact.slot in ("model", "purpose") for fact in facts)
    former = [one for one in base.works() if one.all("model")]
    if entity.what != "work" or named or not facts or not former:
        return Thing(id=id_, what=entity.what)
    said = {fact.slot for fact in facts}
    kept = tuple(one for one in former[-1].known if one.slot not in said and one.stance not in ("seen", "claimed"))
    return Thing(id=id_, what=entity.what, known=kept)


def _only(base: Situation, ids: Sequence[str]) -> Situation:
    """What a new matter takes over: nothing but what is named again."""
    return Situation(turn=base.turn, things=tuple(one for one in base.things if one.id in ids))


def _numbers(base: Situation, annotation: Annotation, turn: int) -> dict[int, str]:
    """The identity each number of the turn stands for: said by the reader, known by its name, or new."""
    known = {one.id for one in base.things}
    numbers: dict[int, str] = {}
    for entity in annotation.entities:
        if entity.same_as in known and entity.same_as is not None:
            numbers[entity.n] = entity.same_as
            continue
        same = _same(base, annotation, entity, set(numbers.values()))
        numbers[entity.n] = same or f"c{turn}:{entity.n}"
    return numbers


def _same(base: Situation, annotation: Annotation, entity: Entity, taken: set[str]) -> str | None:
    """An earlier thing of the same name; without a name, or where something is changed, the only one there is."""
    others = [one for one in base.things if one.what == entity.what and one.id not in taken]
    slot = NAMES[entity.what]
    names = [fact.value for fact in annotation.of(entity.n) if fact.slot == slot]
    for thing in reversed(others):
        if any(one.value in names for one in thing.all(slot)):
            return thing.id
    added = any(fact.slot == "relation" and fact.value == "add" for fact in annotation.of(entity.n))
    replaces = annotation.kind in REPLACES or _unnumbered(annotation, entity)
    if replaces and not added and (kind := _cards_of(names)):
        for thing in reversed(others):
            if kind == _cards_of([one.value for one in thing.all(slot)]):
                return thing.id
    if others and not names:
        return _standing(base, others)
    alone = sum(one.what == entity.what for one in annotation.entities) == 1
    changed = alone and annotation.kind in REPLACES and not added
    return others[-1].id if len(others) == 1 and changed else None


def _unnumbered(annotation: Annotation, entity: Entity) -> bool:
    """Whether cards are named without a number: who has eight of them calls them "the A800" later."""
    said = [fact for fact in annotation.of(entity.n) if fact.slot == "cards"]
    rows = [row for fact in said for row in (fact.value or ())]
    return len(rows) == 1 and rows[0].get("count") == 1 and NUMBERED.match(said[0].quote) is None


def _standing(base: Situation, others: Sequence[Thing]) -> str:
    """What the last ask was about, of several that a thing without a name may be."""
    ids = [one.id for one in others]
    for ask in reversed(base.asks):
        found = next((id_ for number in ask.about if (id_ := base.numbers.get(number)) in ids), None)
        if found is not None:
            return found
    return ids[0] if others[0].what == "work" else ids[-1]  # the main work is named first, the machine meant last


def _cards_of(values: Sequence[object]) -> set[str]:
    """Which cards are named, whatever their number."""
    rows = [row for value in values if isinstance(value, (list, tuple)) for row in value]
    return {str(row.get("gpu")) for row in rows if isinstance(row, dict) and row.get("gpu")}


def _number_kept(known: tuple[Known, ...], new: Sequence[Known], kind: str) -> list[Known]:
    """How many cards there were, where others are put in their place and nobody says how many."""
    fresh = [one for one in new if one.slot == "cards"]
    counted = [row["count"] for one in known if one.slot == "cards" for row in one.value or () if row.get("count")]
    if kind not in REPLACES or len(fresh) != 1 or not counted or any(one.slot == "card_count" for one in new):
        return []
    rows = list(fresh[0].value or ())
    alone = len(rows) == 1 and rows[0].get("count") == 1 and NUMBERED.match(fresh[0].quote) is None
    return (
        [fresh[0].model_copy(update={"slot": "card_count", "value": counted[-1]})] if alone and counted[-1] > 1 else []
    )


def _other_memory(known: tuple[Known, ...], new: Sequence[Known]) -> bool:
    """Whether cards are now told by a memory that those which were named have not: they are others."""
    told = [one.value for one in new if one.slot == "card_memory" and isinstance(one.value, (int, float))]
    rows = [row for one in known if one.slot == "cards" for row in one.value or () if row.get("gpu") in gpus()]
    if not told or not rows or any(one.slot == "cards" for one in new):
        return False
    held = gpus()[rows[-1]["gpu"]].memory_bytes
    return not 1 / UNLIKE < told[-1] / held < UNLIKE


def _with(known: tuple[Known, ...], facts: Iterable[Fact], turn: int, kind: str) -> tuple[Known, ...]:
    """What is known with a turn's facts: a slot that is said again is replaced, unless it may hold several."""
    new = [
        Known(
            slot=one.slot, stance=one.stance, value=one.value, quote=one.quote, turn=turn, start=one.start,
            inherited=one.inherited, part=one.part, case=one.case, than=one.than,
        )
        for one in facts
    ]  # fmt: skip
    said = {one.slot for one in new}
    new += _number_kept(known, new, kind)
    out = {slot for slot in said if slot not in SEVERAL or kind in REPLACES}
    if _other_memory(known, new):
        out |= {"cards", "card_count"}
    return (*(one for one in known if one.slot not in out), *new)
