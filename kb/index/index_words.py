"""Words as the index knows them: Chinese in pairs of characters, the rest as normalised words; and their translation.

Pairs of characters retrieve Chinese as well as a segmenter does and need none. The glossary names one thing in both
languages, the dictionary has plain words for plain words; both translate, and lend synonyms that count for less.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from kb.naming.names import normalise
from kb.snapshot import parse_yaml

GLOSSARY = Path(__file__).parent / "glossary.yaml"
DICTIONARY = Path(__file__).parent / "dictionary.yaml"
QUERY_MAX = 2000
"""Characters of a query that are read."""
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
CHINESE_SHARE = 0.1
"""Share of Han among letters from which a text counts as Chinese: technical Chinese is full of Latin names."""
_RUN = re.compile(rf"[{HAN}]+|[a-z0-9]+(?:[.\-_][a-z0-9]+)*")
_HAN_RUN = re.compile(rf"[{HAN}]+")
_LETTER = re.compile(rf"[{HAN}a-z]")
_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[.!?;:])\s+|\n+")
_AROUND = " -*|>#\t"
SENTENCE_MIN = 4
"""Letters and digits that a sentence has at least."""
_PART = re.compile(r"\d+(?:\.\d+)*|[a-z]+")
_MARKUP = re.compile(r"\[\^[^\]\s]{1,60}\]|https?://\S+|(?:\|?-{3,}\|?)+")

_FUNCTION_WORDS_EN = """
a an and any are as at be been being but by can could did do does doing for from had has have having how i if in into is
it its just like make may me might more most much must my need needs no not of off on one only or other our out over
really s shall should so some such t than that the their them then there these they this those to too up us use used
using very want was we were what when where which while who why will with would you your get go many good better best
about between per each also
"""
_FUNCTION_WORDS_ZH = """
什么 为什么 多大 多久 多快 多高 只有 怎么样 怎么 怎样 如何 多少 哪些 哪个 哪种 哪一 哪 是否 是不是
有没有 能不能 可不可以 要不要 需不需要 可以 能够 应该 需要 请问 一下 一个 一台 一块 一张 这个 那个
这些 那些 这 那 我们 你们 他们 我 你 他 它 吗 呢 吧 啊 的 了 是 有 和 与 或 就 都 还 也 很 把 被 给
让 以及 还是 或者 如果 那么 因为 所以 但是 没有 个 台 块 张 几 着 过 跟 并 且 该 呀 么 谁 先 再 报
怎 反而 容易 注意
"""
STOP_EN = frozenset(_FUNCTION_WORDS_EN.split())
_STOP_ZH = re.compile("|".join(sorted(_FUNCTION_WORDS_ZH.split(), key=len, reverse=True)))


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing a query asks about: any of `ways` to write it, each a set of words that belong together."""

    ways: tuple[frozenset[str], ...]
    named: bool
    """Whether it holds a digit or stands for a name, which no text can paraphrase."""
    synonyms: tuple[frozenset[str], ...] = ()
    """Other words of the query's own language for it, which count for less."""


def language_of(text: str) -> str:
    """`zh` when a fair share of the letters is Han, else `en` (which serves every language written in words)."""
    letters = _LETTER.findall(normalise(text[:20_000]))
    han = sum(1 for letter in letters if letter > "z")
    return "zh" if han and han >= CHINESE_SHARE * len(letters) else "en"


def words(text: str) -> list[str]:
    """The index words of a text, in order: `A100 80GB 显存带宽` → a100, 80gb, 80, gb, 显存, 存带, 带宽."""
    found: list[str] = []
    for run in _RUN.findall(without_markup(normalise(text))):
        if _HAN_RUN.match(run):
            found.extend(_pairs(run))
        else:
            found.extend(_latin(run))
    return found


def without_markup(text: str) -> str:
    """The text without source markers, addresses and the rules of tables."""
    return _MARKUP.sub(" ", text)


def sentences(text: str) -> list[str]:
    """The sentences, list items and rows of a text that say anything, without markup."""
    pieces = (piece.strip(_AROUND) for piece in _SENTENCE_END.split(without_markup(text)))
    return [piece for piece in pieces if sum(map(str.isalnum, piece)) >= SENTENCE_MIN]


def concepts(query: str, language: str) -> list[Concept]:
    """What `query` asks about, in words that texts of `language` would use."""
    return list(_concepts(query[:QUERY_MAX], language))


@lru_cache(maxsize=32)
def _concepts(query: str, language: str) -> tuple[Concept, ...]:
    """The same, remembered: one search asks several times, for either language."""
    text = normalise(query)
    own = language_of(text) == language
    pieces = _own_concepts(text) if own else _other_concepts(text, language)
    return tuple(dict.fromkeys(pieces))


def translate(query: str) -> tuple[str, float]:
    """A Chinese query in English words, as far as names and the glossary go, and the share of it that they cover."""
    parts: list[str] = []
    known = unknown = 0
    for run in _RUN.findall(normalise(query[:QUERY_MAX])):
        if not _HAN_RUN.match(run):
            parts.append(run)
            known += 2
            continue
        terms = chinese_terms(run)
        parts.extend(glossary().to_english[term][0] for term in terms)
        covered = sum(map(len, terms))
        known += covered
        unknown += max(0, sum(map(len, _STOP_ZH.split(run))) - covered)
    return " ".join(parts), known / (known + unknown) if known else 0.0


def chinese_terms(run: str) -> list[str]:
    """The glossary's terms in a run of Han."""
    return [term for _, term in _terms(run, glossary().to_english)]


def content_runs(run: str) -> list[str]:
    """A run of Han cut at the words that say nothing."""
    return [piece for piece in _STOP_ZH.split(run) if piece]


@dataclass(frozen=True, slots=True)
class Glossary:
    """Term → ways to write it in the other language, both normalised; English keys in `_stems`, Chinese as written."""

    to_english: dict[str, tuple[str, ...]]
    to_chinese: dict[str, tuple[str, ...]]
    alike: dict[str, tuple[str, ...]]
    """Term → the other terms of its entry in its own language; a Chinese text uses the short English ones, too."""


@lru_cache(maxsize=1)
def glossary() -> Glossary:
    """The bilingual glossary, indexed both ways."""
    to_english: dict[str, tuple[str, ...]] = {}
    to_chinese: dict[str, tuple[str, ...]] = {}
    alike: dict[str, tuple[str, ...]] = {}
    for chinese, english in _entries(GLOSSARY):
        to_english.update(dict.fromkeys(chinese, english))
        to_chinese.update({" ".join(_stems(term)): chinese for term in english})
        alike.update({term: tuple(other for other in chinese if other != term) for term in chinese})
        alike.update({" ".join(_stems(term)): (*(one for one in english if one != term), *chinese) for term in english})
    # A word of the dictionary may stand in several lines, and in the glossary: what they say adds up.
    for chinese, english in _entries(DICTIONARY):
        for term in chinese:
            to_english[term] = _joined(to_english.get(term, ()), english)
            alike[term] = _joined(alike.get(term, ()), (other for other in chinese if other != term))
        for term in english:
            phrase = " ".join(_stems(term))
            to_chinese[phrase] = _joined(to_chinese.get(phrase, ()), chinese)
            alike[phrase] = _joined(alike.get(phrase, ()), (other for other in english if other != term))
    return Glossary(to_english, to_chinese, alike)


def _entries(path: Path) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The Chinese and the English terms of every line."""
    for entry in parse_yaml(path.read_text(encoding="utf-8")):
        chinese, english = (tuple(normalise(str(term)) for term in entry[key]) for key in ("zh", "en"))
        yield chinese, english


def _joined(first: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *others)))


_SHORT = re.compile(r"[A-Za-z0-9]*(?:[A-Z]{2}|[a-z][A-Z])[A-Za-z0-9]*")
_ORDINARY = frozenset(["zero", "amp", "ups", "ram", "rag", "io", "检测"])
"""What stands in the glossary as an abbreviation or beside one, and is an everyday word, too."""


def abbreviations(text: str) -> list[str]:
    """Words written with capitals inside, as names and abbreviations are: VRAM, LoRA, vLLM."""
    return _SHORT.findall(text)


@lru_cache(maxsize=1)
def trade_terms() -> frozenset[str]:
    """Terms that no other trade uses: the glossary's abbreviations and the Chinese of their entries."""
    found: set[str] = set()
    for entry in parse_yaml(GLOSSARY.read_text(encoding="utf-8")):
        short = [word.lower() for term in entry["en"] for word in abbreviations(str(term))]
        found.update(word for word in short if len(word) > 1)
        if any(_SHORT.fullmatch(str(term)) for term in entry["en"]):
            found.update(normalise(str(term)) for term in entry["zh"])
    return frozenset(found - _ORDINARY)


def speaks_of_trade(query: str) -> bool:
    """Whether a question uses a term that only this trade has."""
    known = trade_terms()
    runs = _RUN.findall(normalise(query[:QUERY_MAX]))
    return any(not known.isdisjoint(chinese_terms(run) if _HAN_RUN.match(run) else _stems(run)) for run in runs)


@lru_cache(maxsize=1)
def familiar_words() -> frozenset[str]:
    """Index words of every term that is translated, in either language."""
    return frozenset(word for term in glossary().to_english for word in words(term)) | glossary_words()


@lru_cache(maxsize=1)
def glossary_words() -> frozenset[str]:
    """Every English word that is translated, which is spelt right whether or not a document uses it."""
    return frozenset(word for term in glossary().to_chinese for word in term.split())


def _own_concepts(text: str) -> Iterable[Concept]:
    latin: list[str] = []
    for run in _RUN.findall(text):
        if _HAN_RUN.match(run):
            yield from _chinese_concepts(run)
        else:
            latin.append(run)
    for run in latin:
        for concept in _word_concepts(run):
            (first, *_) = _stems(run)
            yield _with_synonyms(concept, glossary().alike.get(first, ()) if len(_stems(run)) == 1 else ())


def _with_synonyms(concept: Concept, others: Iterable[str]) -> Concept:
    sets = (frozenset(words(other)) for other in others)
    return replace(concept, synonyms=tuple(one for one in dict.fromkeys(sets) if one and one not in concept.ways))


def _chinese_concepts(run: str) -> Iterable[Concept]:
    """Glossary terms whole, so that no pair straddles two of them; pairs of characters between them."""
    known = glossary().to_english
    start = 0
    for place, term in _terms(run, known):
        if len(term) < 2 or _asks(term):
            continue  # the index holds pairs of characters
        yield from _pair_concepts(run[start:place])
        yield _with_synonyms(_concept(term), (*glossary().alike[term], *known[term]))
        start = place + len(term)
    yield from _pair_concepts(run[start:])


def _pair_concepts(run: str) -> Iterable[Concept]:
    for piece in _STOP_ZH.split(run):
        if len(piece) > 1:
            yield from map(_concept, _pairs(piece))


def _other_concepts(text: str, language: str) -> Iterable[Concept]:
    return _in_english(text) if language == "en" else _in_chinese(text)


def _in_english(text: str) -> Iterable[Concept]:
    for run in _RUN.findall(text):
        if not _HAN_RUN.match(run):
            yield from _word_concepts(run)
            continue
        for _, term in _terms(run, glossary().to_english):
            ways = [way for way in glossary().to_english[term] if not STOP_EN.issuperset(way.split())]
            if ways and not _asks(term):
                yield _concept(*ways)


def _asks(term: str) -> bool:
    """Whether a term only asks, 「怎么选」: worth a translation, but nothing that a passage holds."""
    match = _STOP_ZH.match(term)
    return match is not None and (len(match[0]) > 1 or match[0] == term)


def _in_chinese(text: str) -> Iterable[Concept]:
    """Longest glossary phrases first; words it lacks stand as they are, since Chinese keeps many English terms."""
    run = [word for word in _RUN.findall(text) if not _HAN_RUN.match(word)]
    stems = [_stems(word) for word in run]
    place = 0
    while place < len(run):
        for length in range(min(4, len(run) - place), 0, -1):
            phrase = " ".join(stem for part in stems[place : place + length] for stem in part)
            if ways := glossary().to_chinese.get(phrase):
                yield _concept(*ways, phrase)
                place += length
                break
        else:
            yield from _word_concepts(run[place])
            place += 1


def _word_concepts(run: str) -> Iterable[Concept]:
    if run in STOP_EN or len(run) == 1:
        return
    if any(character.isdigit() for character in run):
        yield _concept(run, *re.split(r"[\-_]", run)[:1])
        return
    for part in re.split(r"[\-_]", run):
        if part not in STOP_EN and len(part) > 1:
            yield _concept(part)


def _concept(*ways: str) -> Concept:
    sets = (frozenset(words(way)) for way in ways)
    named = any(character.isdigit() for character in ways[0])
    return Concept(tuple(one for one in dict.fromkeys(sets) if one), named)


def _terms(run: str, known: dict[str, tuple[str, ...]]) -> Iterable[tuple[int, str]]:
    """Glossary terms in a run of Han, longest first at each place."""
    place = 0
    while place < len(run):
        for length in range(min(8, len(run) - place), 0, -1):
            if run[place : place + length] in known:
                yield place, run[place : place + length]
                place += length
                break
        else:
            place += 1


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run] if run else []


def _stems(text: str) -> list[str]:
    return [_stem(part) for run in _RUN.findall(text) for part in re.split(r"[.\-_]", run) if part]


def _latin(run: str) -> list[str]:
    """A word and, when it is compound (80gb, multi-gpu, rtx-4090), the parts it is made of."""
    pieces = re.split(r"[\-_]", run)
    found = [_stem("".join(pieces))] if len(pieces) > 1 else []
    for piece in pieces:
        found.append(_stem(piece))
        parts = _PART.findall(piece)
        if len(parts) > 1:
            found.extend(_stem(part) for part in parts if len(part) > 1)
    return list(dict.fromkeys(found))


def _stem(word: str) -> str:
    """Fold plurals and British endings, the two variations that technical English has."""
    word = word.replace("isation", "ization").replace("isers", "izers").replace("iser", "izer").replace("ised", "ized")
    if len(word) > 3 and word.endswith("s") and (word.endswith("pus") or not word.endswith(("ss", "us", "is"))):
        return word[:-1]
    return word
