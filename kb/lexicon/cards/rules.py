"""Cards as people write them: 2x 3090 · 3090 + 2×4060 Ti 16GB · 两张4090 24G · 8*H100 SXM · one 24GB card."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from kb.base import BadInput, Frozen, UnknownName
from kb.catalog import conventional, gpu_ids, gpus
from kb.lexicon.cards.macs import mac_mentions
from kb.lexicon.cards.slices import named_slices, slices
from kb.lexicon.count.rules import han_value, numbers
from kb.lexicon.memory.rules import amounts
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, vocabulary
from kb.naming.longer_names import any_longer_card
from kb.naming.names import Mention, gpu_names
from kb.units import GIB, format_bytes

MOST = 100_000
CARD = "\ue000"
"""Mark that stands for every character of a card's name."""
_SAME_MEMORY = 0.06
"""H20 "98G" is the 96 GB card; 40 against 48 is another."""
_LARGEST_CARD_BYTES = 1024 * GIB
_N = r"(?:\d{1,5}|[一二两三四五六七八九十百]{1,4}|单|双|LATIN)"
_GROUPED = re.compile(r"(?<=(?<![\d.,])\d),(?=\d{3}(?!\d))|(?<=(?<![\d.,])\d\d),(?=\d{3}(?!\d))")
"""The comma of "1,024 H100" and of "16,384 H100", which parts no cards."""
_FORM = grammar(
    r"(?<![a-z])(sxm\d?|pcie|nvl|oam|max-q|server|laptop|mobile)(?![a-z])|(笔记本|移动版|移动端|笔电|服务器版|工作站版)"
)
_EDITIONS = {"服务器版": "server", "工作站版": "workstation"}
"""Editions by their Chinese names; every other one is a laptop's."""
_HOST = grammar(r"\d ?[gt]i?b? ?(?:的|of )?(?:ram(?![a-z])|system memory|host memory|内存|ddr\d)|(?<![a-z])ddr[345]")
"""The machine's memory, which is no card's."""
_PLURAL = grammar(r"^['’]?s(?![a-z])")
_GLOSS = re.compile(r"\([^()]{2,60}\)")
_BRACKETED = re.compile(r"^[a-z]{1,2} ?[(/:]|^[a-z]+/[a-z]")
_NUMBER_ALONE = re.compile(r"(?:gtx|rtx)?\s?\d{3,4}")
_CALLED = {"单": 1, "双": 2}


class CardCount(Frozen):
    """So many of one card."""

    gpu: str | None = None
    """Catalog id; null = a card known by its memory alone."""
    count: int = 1
    """Cards of this kind."""
    memory_bytes: int | None = None
    """Memory of each where it is not that of the catalog's card, or where no card is named; null = the catalog's."""
    profile: str | None = None
    """Instance of the card (MIG) that is meant: `1g.10gb`; null = the whole card."""
    name: str = ""
    """The card's name, or how it was written."""
    assumptions: tuple[str, ...] = ()
    """Which of several cards of that name was taken."""


@dataclass(frozen=True)
class _Piece:
    """What was said of one card: its name masked by CARD, and the words around it."""

    words: str
    mention: Mention | None
    written: str


def read_cards(text: str, field: str = "cards") -> tuple[CardCount, ...]:
    """The cards that `text` lists, in its order; the same card said twice is counted together.

    Raises:
        BadInput: it lists none, or alternatives.
        UnknownName: a card that the catalog does not know; carries the closest.
    """
    words = _GROUPED.sub("", plain(text))
    if sliced := _sliced(words, field):
        return sliced
    whole = [one for one in gpu_names().scan(words) if any_longer_card(words, one) is None]
    mentions = [one for one in mac_mentions(words, whole) if _is_card(words, one)]
    words, mentions = _without_glosses(words, mentions)
    masked = _masked(words, mentions)
    if _alternatives().search(masked):
        raise BadInput(field, f"“{text[:60]}” leaves open which cards.", "Give one set of cards.")
    found: list[CardCount] = []
    for piece in _pieces(words, masked, mentions):
        if piece.mention is None and _HOST.search(piece.words):
            continue
        if piece.mention is None and found and _goes_on(piece.words):
            found[-1] = _with_memory(found[-1], piece.words)
        else:
            found.append(_card(piece, field))
    if not found:
        raise BadInput(field, f"“{text[:60]}” names no card.", 'Give e.g. "2x 3090", "8x H100 SXM", 「两张 4090」.')
    return tuple(_together(found))


def _sliced(words: str, field: str) -> tuple[CardCount, ...]:
    """Instances of a card, where profiles of them are named."""
    found = named_slices(words)
    if found is None:
        return ()
    named, rest = found
    whole = read_cards(rest, field) if rest and not rest.isdigit() else ()
    if len(whole) > 1:
        raise BadInput(field, "instances of several cards are named.", 'Give e.g. "7x 1g.10gb on A100 80GB".')
    try:
        parents = gpu_ids(rest) if whole else ()
    except UnknownName:  # with a count beside it
        parents = tuple(one.gpu for one in whole if one.gpu)
    cards = whole[0].count if whole else 1
    return tuple(
        CardCount(
            gpu=one.gpu, count=one.count, memory_bytes=one.profile.usable_bytes, profile=one.profile.name,
            name=f"{gpus()[one.gpu].name} MIG {one.profile.name}", assumptions=one.assumed,
        )
        for one in slices(named, parents, cards, field)
    )  # fmt: skip


def _is_card(words: str, mention: Mention) -> bool:
    """Whether a card is named: a bracket or slash inside parts a word from a number ("token/s (60")."""
    inside = words[mention.start : mention.end]
    return _BRACKETED.search(inside) is None and not re.match(r"[./]\d|[a-z]*/s", words[mention.end :])


def _without_glosses(words: str, mentions: list[Mention]) -> tuple[str, list[Mention]]:
    """The text without brackets that say over what stands before them: "16x Ascend 910B (Atlas 800I A2)" is 16 cards.

    A bracket with a count or a joining word of its own, "(and a 3060)", lists further cards.
    """
    for bracket in _GLOSS.finditer(words):
        inside = [one for one in mentions if bracket.start() < one.start and one.end < bracket.end()]
        if not inside or all(one.start >= bracket.start() for one in mentions):
            continue
        masked = _masked(words, inside)[bracket.start() + 1 : bracket.end() - 1]
        if _separator().search(masked) or _counted(masked)[0] != 1 or _before().search(masked.partition(CARD)[0]):
            continue
        words = words[: bracket.start()] + " " * len(bracket[0]) + words[bracket.end() :]
        mentions = [one for one in mentions if one not in inside]
    return words, mentions


def _masked(words: str, mentions: Sequence[Mention]) -> str:
    characters = list(words)
    for one in mentions:
        characters[one.start : one.end] = CARD * (one.end - one.start)
    return "".join(characters)


def _pieces(words: str, masked: str, mentions: Sequence[Mention]) -> list[_Piece]:
    """The text cut at what separates cards, and where two names stand side by side before the count of the second."""
    pieces: list[_Piece] = []
    place = 0
    for match in (*_separator().finditer(masked), None):
        end = match.start() if match else len(masked)
        inside = [one for one in mentions if place <= one.start and one.end <= end]
        cuts = [place]
        for before, after in pairwise(inside):
            gap = masked[before.end : after.start]
            counted = _before().search(gap)
            cuts.append(before.end + (counted.start() if counted else len(gap)))
        cuts.append(end)
        for number, (start, stop) in enumerate(pairwise(cuts)):
            if masked[start:stop].strip(" .。!?"):
                mention = inside[number] if inside else None
                pieces.append(_Piece(masked[start:stop].strip(" .。!?"), mention, words[start:stop].strip()))
        place = match.end() if match else end
    return pieces


@lru_cache(maxsize=1)
def _separator() -> re.Pattern[str]:
    return grammar(rf" ?(?:[+,;、&\n]|{any_of(vocabulary('cards', 'separators'))}) ?")


@lru_cache(maxsize=1)
def _alternatives() -> re.Pattern[str]:
    return grammar(any_of(vocabulary("cards", "alternatives")))


@lru_cache(maxsize=1)
def _number() -> str:
    latin = any_of(
        word
        for kind in ("words", "articles", "vague", "hundreds")
        for word in vocabulary("count", kind)
        if word.isascii()
    )
    return _N.replace("LATIN", rf"(?:{latin})(?: (?:{latin}|of))*")


@lru_cache(maxsize=1)
def _before() -> re.Pattern[str]:
    """How many, before a name: "2x ", 「两张」, "a pair of used "."""
    units, fillers = any_of(vocabulary("cards", "units")), any_of(vocabulary("cards", "fillers"))
    size = r"\d{1,3} ?gi?b?(?![a-z0-9])"
    whole = r"(?!(?<=[0-9])[0-9.])"  # "16GB" is no one of 6 GB
    behind = rf"(?: ?(?:{units}|[×*x])){{0,2}}(?: |-|{fillers}|{size}|[(×*])*$"
    return grammar(rf"(?<![a-z0-9.])(?P<n>{_number()}){whole}{behind}")


@lru_cache(maxsize=1)
def _after() -> re.Pattern[str]:
    """How many, behind a name: "x2", "*8", 「两张」, "(2)"."""
    units = any_of(word for word in vocabulary("cards", "units") if word != "of")
    return grammar(
        r"(?:[x×*] ?(?P<x>\d{1,5})(?![a-z0-9.])|\((?P<p>\d{1,4})\)"
        rf"|(?<![a-z0-9.])(?P<n>{_number()}) ?(?:{units})(?!/)"
        r"|(?<![0-9.])(?P<t>\d{1,4})[x×](?![a-z0-9]))"
    )


@lru_cache(maxsize=1)
def _machines() -> re.Pattern[str]:
    """Machines before the cards of each: "2 nodes of 8", 「两台8卡」, "two 8x H100 servers" is left to `nodes`."""
    words = any_of(vocabulary("cards", "machines"))
    return grammar(
        rf"(?<![a-z0-9.])(?P<n>{_number()}) ?(?:{words})"
        rf"(?: |of|with|x|×|\*|各|的|每台|,)*(?=\d|[一二两三四五六七八九十]|{CARD})"
    )


def _card(piece: _Piece, field: str) -> CardCount:
    words, boxes = piece.words, 1
    if (machines := _machines().match(words)) and machines["n"]:
        boxes, words = _count(machines["n"]), words[machines.end() :]
    count, rest = _counted(words)
    if not 1 <= count * boxes <= MOST:
        raise BadInput(field, f"{count * boxes} cards in “{piece.written[:60]}”.", f"Give from 1 to {MOST:,}.")
    stated = _stated(rest)
    if piece.mention is None:
        return _nameless(piece, rest, count * boxes, stated, field)
    ids = _ids(piece.mention, rest)
    found = _of(ids, count * boxes, stated, piece.mention.text)
    if boxes > 1:
        found = _noted(found, f"{boxes} machines with {count} each are read as {count * boxes} cards in all.")
    return found


def _noted(card: CardCount, note: str) -> CardCount:
    """The card with one assumption more."""
    return card.model_copy(update={"assumptions": (*card.assumptions, note)})


def _counted(words: str) -> tuple[int, str]:
    """How many cards the words around a name say, and the words without it."""
    place = words.find(CARD)
    if place < 0:
        before = _nameless_count().match(words)
        return (_count(before["n"]), words[before.end() :]) if before else (1, words)
    end = words.rfind(CARD) + 1
    head, tail = words[:place], _PLURAL.sub("", words[end:])
    if before := _before().search(head):
        kept = before[0][before.end("n") - before.start() :]
        return _count(before["n"]), f"{head[: before.start()]} {kept} {tail}"
    if after := _after().search(tail):
        said = after["x"] or after["p"] or after["n"] or after["t"]
        return _count(said), f"{head} {tail[: after.start()]} {tail[after.end() :]}"
    return 1, f"{head} {tail}"


@lru_cache(maxsize=1)
def _nameless_count() -> re.Pattern[str]:
    units = any_of(vocabulary("cards", "units"))
    return grammar(rf"(?P<n>{_number()})(?: ?(?:{units}|[×*x]) ?(?:of )?| (?=\d| ?[a-z]))(?!gi?b)")


def _count(said: str) -> int:
    if said.isascii() and said.isdigit():
        return int(said)
    if said in _CALLED:
        return _CALLED[said]
    if not said.isascii():
        return han_value(said)
    return int(numbers(said)[0].value)


def _stated(rest: str) -> int | None:
    """The memory said of each card; several sizes say nothing, and the machine's memory is none of theirs."""
    sizes = {round(one.each_bytes) for one in amounts(rest) if not _HOST.match(rest, _last_digit(rest, one.start))}
    return sizes.pop() if len(sizes) == 1 else None


def _last_digit(rest: str, start: int) -> int:
    digits = re.match(r"[\d.]*\d", rest[start:])
    return start + (digits.end() - 1 if digits else 0)


def _ids(mention: Mention, rest: str) -> tuple[str, ...]:
    """The cards the name may mean with the words around it: its form, or that it is a laptop's."""
    ids = mention.ids
    form = _FORM.search(rest)
    if form is None:
        return ids
    said = _EDITIONS.get(form[2] or "", "laptop") if form[2] or form[1] in ("laptop", "mobile") else form[1]
    try:
        return gpu_ids(f"{mention.text} {said}")
    except UnknownName:
        kept = tuple(key for key in ids if said.rstrip("0123456789").replace("-", "") in key.replace("-", ""))
        return kept or ids


def _of(ids: tuple[str, ...], count: int, stated: int | None, written: str) -> CardCount:
    """The card of the stated memory; one of another memory than the catalog knows is the card with that memory."""
    if stated is not None:
        stem = re.sub(r"-\d+gb$", "", conventional(ids))
        variants = ids + tuple(key for key in gpus() if re.sub(r"-\d+gb$", "", key) == stem and key not in ids)
        sized = tuple(key for key in variants if _same(gpus()[key].memory_bytes, stated))
        ids, stated = (sized, None) if sized else (ids, stated)
    if stated is not None and stated > _LARGEST_CARD_BYTES:
        raise BadInput("cards", f"no card has {format_bytes(stated)}.", "State the memory of one card.")
    key = conventional(ids)
    others = ", ".join(gpus()[one].name for one in ids if one != key)
    assumed: tuple[str, ...] = (f"“{written}” is read as {gpus()[key].name}; it could also be {others}.",)
    assumed = assumed if len(ids) > 1 else ()
    if stated is not None:
        own = format_bytes(gpus()[key].memory_bytes, 0)
        assumed += (f"{gpus()[key].name} is sold with {own}; {format_bytes(stated, 0)} is taken, as written.",)
    return CardCount(gpu=key, count=count, memory_bytes=stated, name=gpus()[key].name, assumptions=assumed)


def _same(one: int, other: int) -> bool:
    return abs(one - other) <= _SAME_MEMORY * one


def _nameless(piece: _Piece, rest: str, count: int, stated: int | None, field: str) -> CardCount:
    """A card the names did not show: by a name that needs its board's or its number read, or by its memory alone."""
    core = _core(rest)
    if core and _BRACKETED.search(core):
        raise UnknownName("GPU", piece.written)
    if core:
        try:
            ids = gpu_ids(core)
        except UnknownName as unknown:
            ids = _by_number(core) or _refuse(unknown, piece.written, stated, core)
        if ids:
            return _of(ids, count, stated, core)
    if stated is None:
        raise BadInput(field, f"“{piece.written[:60]}” names no card.", 'Give e.g. "2x 3090", 「两张 4090」.')
    if stated > _LARGEST_CARD_BYTES or "/s" in piece.words:
        raise BadInput(field, f"“{piece.written[:60]}” is no card.", "Name the card or the memory of one.")
    return CardCount(count=count, memory_bytes=stated, name=f"{format_bytes(stated, 0)} card")


def _refuse(unknown: UnknownName, written: str, stated: int | None, core: str) -> tuple[str, ...]:
    """No cards, where only the memory was said; else the error with what was written and the closest names."""
    if stated is not None and not re.search(r"[a-z]\d|\d{3}|[a-z]{3,}", core):
        return ()
    raise UnknownName("GPU", written, unknown.close)


def _by_number(core: str) -> tuple[str, ...]:
    """A GeForce by its number alone."""
    if _NUMBER_ALONE.fullmatch(core):
        for series in ("rtx", "gtx", "rx"):
            try:
                return gpu_ids(f"{series} {core}")
            except UnknownName:
                continue
    return ()


def _core(rest: str) -> str:
    """The words that may be a name: without sizes and what says nothing of which card."""
    for one in reversed(amounts(rest)):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    without = grammar(any_of(vocabulary("cards", "fillers"))).sub(" ", rest)
    return " ".join(without.split()).strip(" -,()（）的:;")


def _goes_on(words: str) -> bool:
    """Whether a piece without a name only tells more of the card before: "24GB each", "SXM"."""
    return (
        not re.search(r"\d", _core(words))
        and not _nameless_count().match(words)
        and (_core(_FORM.sub("", words)) == "" and not re.search(any_of(vocabulary("cards", "bare")), words))
    )


def _with_memory(card: CardCount, words: str) -> CardCount:
    stated = _stated(words)
    if stated is None or card.gpu is None:
        return card
    again = _of((card.gpu,), card.count, stated, card.name)
    return again.model_copy(update={"assumptions": (*card.assumptions, *again.assumptions)})


def _together(cards: Sequence[CardCount]) -> list[CardCount]:
    """Cards of one kind as one count."""
    found: dict[tuple[str | None, int | None], CardCount] = {}
    for one in cards:
        key = (one.gpu, one.memory_bytes)
        held = found.get(key)
        notes = tuple(dict.fromkeys((*held.assumptions, *one.assumptions))) if held else one.assumptions
        found[key] = one.model_copy(update={"count": one.count + (held.count if held else 0), "assumptions": notes})
    return list(found.values())
