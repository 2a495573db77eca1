"""Products that a text names: cards and models, where they stand, and nothing that only looks like one."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from kb.catalog import gpus
from kb.models import models
from kb.naming.name_index import Mention, Names
from kb.naming.names import gpu_names, model_names, normalise

Dimension = str
"""`card` or `model`; or a dimension of how things run, see `ways`."""
SOFTWARE = re.compile(
    r"(?<![A-Za-z])(?:o?llama(?:[.-]cpp|-server|-cli|-bench|-swap|-quantize|[- ]?factory|-run)|llama-?cpp|llamafile)",
    re.I,
)
"""Programs whose names begin as a model's does."""
CAPACITY = re.compile(r"\d\s?(?:GB?|GiB|T)\b", re.I)
CAPACITY_END = re.compile(r"-\d+gb$")
SIZED = re.compile(r"\d(?:\.\d+)?\s?[BMT]\b", re.I)
"""A model's name that tells its size."""
ACTIVE = re.compile(r"(?<![A-Za-z0-9])A\d{1,3}(?:\.\d)?B(?![A-Za-z])", re.I)
"""Parameters at work for a token, in the name of a mixture of experts: "122B-A10B" holds no A10."""
PLURAL = re.compile(r"\ds\Z")
PLURAL_TAIL = re.compile(r"(?<=\d)\s?(?:Ti|XTX?|GRE|Super|SUPER|Max|Ultra|Duo|Ada|GB|G)(?P<many>s)\b")
"""Several of a card whose name ends in letters: "two 2080 Tis"."""
MOBILE = re.compile(r"(?<![A-Za-z])(?:laptop|notebook|mobile)(?:'s)?\s\Z", re.I)
"""What makes the name behind it that of the card in a laptop: "a laptop 4060"."""
KEY = re.compile(
    r"\[{1,2}R\d{1,4}[^\[\]\n]{0,60}\]{1,2}|\{\{[^{}\n]{0,160}\}\}|(?-i:(?<![\w-])R\d{1,4}(?:\.[a-z_]+|\[\d+\])+)", re.I
)
"""The key of a result, also with a path behind it, which is no DeepSeek-R1."""
BARE_SIZE = re.compile(r"\d{1,4}(?:\.\d+)?B", re.I)
MULTIPLIED, MULTIPLIES = re.compile(r"[×*÷/·x]\s?\Z"), re.compile(r"\s?[×*÷·=≈]")
"""Around a size that is a term of a sum, and no name: "2 B × 671B ≈ 1.34 TB"."""
NUMBERED_MORE = re.compile(r"[-_]v?\d{1,2}(?:\.\d{1,2})?(?![\w.]*\d|\s?[GT]i?B|%)", re.I)
"""What a name goes on with that the catalog does not know: the "-1.5" of LLaVA-1.5."""
UNIT_BEHIND = re.compile(r"\s?(?:[GTMK]i?B(?:/s)?|tok(?:en)?s?|t/s|W|瓦|元|%|USD|CNY)(?![A-Za-z])")
"""What makes digits an amount: "5060 GiB" names no RTX 5060."""
CHIPS = re.compile(r"\b(?:Two|Four|Eight) (?P<name>[A-Z][\w ]{2,30}?) chips\b")
"""Where notes of a board name what it is made of."""
MOBILE_MAX = 16
GLUED, GLUED_MAX = re.compile(r"(?<![A-Za-z0-9.-])(?:[A-Za-z][A-Za-z0-9.]*-){1,3}\Z"), 40
"""What is joined to the beginning of a name and makes it a longer one."""
BRACKET_INSIDE = re.compile(r"[(（)）,;，；/]")
FORMATS = re.compile(
    r"\b(?:I?Q\d(?:_[A-Z0-9]{1,3})*|(?:NV|MX)?(?:FP|INT|BF|NF|F|W|A)\d{1,2}(?:A\d{1,2})?"
    r"|[2-8](?:\.\d+)?[ -]?(?:bits?|bpw)"
    r"|(?:16|32)[ -]?bits?|x(?:1|2|4|8|16|64|86)|24/7|ZeRO[- ]?\d|TP ?=? ?\d+|PP ?=? ?\d+|DP ?=? ?\d+|EP ?=? ?\d+)\b"
    r"|(?:[2-8]|16|32) ?(?:位|比特|ビット)|\b\d{1,2}[ -]?pin\b",
    re.I,
)
"""Formats and layouts, whose digits are names."""
ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\d.])")
"""The address of a machine."""
MODULES = re.compile(r"\b(?:LP)?DDR\d[xX]?[- ]\d{4,5}\b", re.I)
"""Kinds of memory, whose speed is in their name."""
SERIES = re.compile(
    r"\b\d{1,4}[ -]?(?:series\b|系列?(?!统|数))|"
    r"(?<=GeForce )\d0(?=[ -](?:cards?|GPUs?)\b)|(?<=[RG]TX )\d0(?=[ -]?(?:cards?|GPUs?|显?卡))|"
    r"\b\d{1,3}(?:\.\d{1,3})*\.[xX]\b|\b\d{1,3}-core\b|\b\d{1,3} ?核(?=版|的)"
    r"|\b(?:3\.3|5|12|24|48|54) ?V(?=[- ](?:(?:power|supply|main) )?"
    r"(?:rails?|lines?|cables?|connectors?|plugs?|feeds?|wires?|bus)\b)"
    r"|(?<![\d.])(?:3\.3|5|12|24|48|54) ?V(?= ?(?:供电|供電|线|線|接口|输出|輸出|母线))"
    r"|\b(?:3\.3|5|12|24|48|54)V-\dx\d\b|\bAbove 4G\b|\b\d{3,4}[pi]\b|\b\d{2,3} ?V(?:,? | ?/ ?|[，、])\d{1,3} ?A\b"
    r"|\b(?:GPU|CPU|NUMA|rank|node|cu|sm_?|p)\d{1,3}(?:[-–/,]\d{1,3})*\b|(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?![\d:])"
    r"|(?<![\d.,$¥€£])\d{1,2}(?:,\d{1,2}){1,7}(?!,?\d|\s?%|\.\d)"
    r"|\b\d{1,4}B\+(?=[- ](?:class )?models?)|(?<![\d.])\d{1,4}B(?=\s?(?:以上|以下|级|級|左右|[- ]class))"
    r"|\b(?:NEMA|IEC|CEE|EN|ISO|DIN|IEEE|RFC|UL)[ -]?[A-Z]?\d{1,5}(?:-\d{1,4})?(?:/\d{1,4})?[PR]?(?!\w)"
)
"""Names by number: of a series of products, of any release of one ("11.x"), of plugs, standards ("NEMA 5-15"), the
rails of a supply ("12 V rail"), circuits ("120 V, 20 A"), devices ("GPU0-1"), heights of pictures ("480p"), times of
the day, parts that are listed without blanks ("13,35"), and classes of models ("a 100B+ model")."""
BY_NUMBER = (MODULES, ADDRESS, SERIES)
REMEMBERED, REMEMBERED_LENGTH = 1024, 4000


@dataclass(frozen=True, slots=True)
class Product:
    """A card or model that is named."""

    dimension: Dimension
    ids: frozenset[str]
    """Catalog ids that the name may mean."""
    start: int
    end: int
    text: str


def products(text: str) -> tuple[Product, ...]:
    """Cards and models named in `text` without doubt, in the order they stand."""
    return _remembered(text) if len(text) <= REMEMBERED_LENGTH else _products(text)


def _products(text: str) -> tuple[Product, ...]:
    masked = KEY.sub(lambda key: " " * len(key[0]), SOFTWARE.sub(lambda program: " " * len(program[0]), text))
    masked = PLURAL_TAIL.sub(lambda several: several[0][:-1] + " ", masked)
    active = list(ACTIVE.finditer(masked))
    found = [
        _product("card" if names is gpu_names() else "model", one, masked)
        for names in (gpu_names(), model_names())
        for one in _scanned(names, masked)
        if one.exact
        and not (one.text.isdigit() and UNIT_BEHIND.match(text, one.end))
        and not (one.start and text[one.start - 1].isdigit())
        and not _is_term(text, one)
        and not (names is gpu_names() and any(each.start() <= one.start < each.end() for each in active))
    ]
    return tuple(sorted(found, key=lambda one: one.start))


def _is_term(text: str, one: Mention) -> bool:
    """Whether a size stands beside a sign of arithmetic, and is the number itself."""
    if not BARE_SIZE.fullmatch(one.text):
        return False
    return bool(MULTIPLIED.search(text[: one.start]) or MULTIPLIES.match(text, one.end))


def _scanned(names: Names, text: str) -> Iterator[Mention]:
    """Names without brackets; of one with a bracket inside, what stands before that: "DGX Spark (GB10)"."""
    for one in names.scan(text):
        bracket = BRACKET_INSIDE.search(one.text)
        if bracket is None:
            yield one
        elif bracket[0] in "(（":
            for each in names.scan(one.text[: bracket.start()]):
                yield replace(each, start=one.start + each.start, end=one.start + each.end)


def _product(dimension: Dimension, one: Mention, text: str) -> Product:
    """A mention with every product that it may mean: "H20" is of either memory, "Kimi" any of the family."""
    ids = frozenset(one.ids)
    if dimension == "card" and PLURAL.search(one.text):  # "two V100s" are no V100S
        ids |= frozenset(key for each in gpu_names().scan(one.text[:-1]) if each.exact for key in each.ids)
    if dimension == "card" and not CAPACITY.search(one.text):
        ids |= frozenset(key for stem in map(_stem, ids) for key in _of_stem().get(stem, ()))
    if dimension == "card":
        ids |= frozenset(board for key in ids for board in _boards().get(key, ()))
    if dimension == "model" and not SIZED.search(one.text):
        ids |= _of_family(normalise(one.text))
    if dimension == "card" and MOBILE.search(text, max(0, one.start - MOBILE_MAX), one.start):
        ids = frozenset(key for each in ids for key in _in_laptops(_stem(each))) or ids
    tail = NUMBERED_MORE.match(text, one.end) if dimension == "model" and one.text[-1:].isalpha() else None
    if tail is not None:
        one = replace(one, end=tail.end(), text=text[one.start : tail.end()])
    more = GLUED.search(text, max(0, one.start - GLUED_MAX), one.start) if dimension == "model" else None
    if more is not None and (longer := _ending(normalise(text[more.start() : one.end]))):
        return Product(dimension, longer, more.start(), one.end, text[more.start() : one.end])
    return Product(dimension, ids, one.start, one.end, one.text)


def _stem(key: str) -> str:
    return CAPACITY_END.sub("", key)


@lru_cache(maxsize=512)
def _in_laptops(stem: str) -> tuple[str, ...]:
    """The laptop cards that bear the name of a card."""
    return tuple(key for key in gpus() if key.startswith(f"{stem}-laptop-"))


@lru_cache(maxsize=1)
def _of_stem() -> dict[str, tuple[str, ...]]:
    """Cards whose ids differ by their memory alone."""
    found: dict[str, tuple[str, ...]] = {}
    for key in gpus():
        found[_stem(key)] = (*found.get(_stem(key), ()), key)
    return found


@lru_cache(maxsize=1)
def _boards() -> dict[str, frozenset[str]]:
    """Boards of several chips that the catalog knows as cards too, by each chip: people say either name."""
    found: dict[str, frozenset[str]] = {}
    for key, card in gpus().items():
        if card.devices > 1 and (chips := CHIPS.search(card.notes or "")):
            for one in gpu_names().scan(chips["name"]):
                for chip in one.ids if one.exact else ():
                    found[chip] = found.get(chip, frozenset()) | {key}
    return found


@lru_cache(maxsize=512)
def _of_family(name: str) -> frozenset[str]:
    """Models whose ids begin with a family's name, whoever publishes them."""
    letters = re.sub(r"[^a-z0-9]", "", name)
    return frozenset(
        key for key in models() if re.sub(r"[^a-z0-9]", "", key.split("/")[-1].lower()).startswith(letters)
    )


@lru_cache(maxsize=512)
def _ending(name: str) -> frozenset[str]:
    """Models whose ids end with a name that is more than a publisher's: "Distill-Llama-70B"."""
    letters = re.sub(r"[^a-z0-9]", "", name)
    return frozenset(key for key in models() if re.sub(r"[^a-z0-9]", "", key.lower()).endswith(letters))


_remembered = lru_cache(maxsize=REMEMBERED)(_products)


def ids_of(found: Iterable[Product], dimension: Dimension) -> frozenset[str]:
    """Every id that these products of one dimension may mean."""
    return frozenset().union(*(one.ids for one in found if one.dimension == dimension))


def mentions_of(found: Iterable[Product]) -> list[Mention]:
    """Cards as the reader of counts takes them."""
    return [
        Mention("GPU", tuple(one.ids), one.start, one.end, one.text, True) for one in found if one.dimension == "card"
    ]
