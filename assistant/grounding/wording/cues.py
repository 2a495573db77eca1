"""The words of `cues.yaml`: what a figure is of, and what a sentence does."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from kb.snapshot import parse_yaml

BEFORE, AFTER = 30, 22
"""Characters around a figure in which the words stand that say what it is of."""
FIGURE = re.compile(r"(?<![A-Za-z_\d.])\d[\d.,]*")
OF = re.compile(r"\s?(?:(?:of|in|for|的)\s?(?:the\s)?)?(?:(?:[A-Za-z]{1,5}\d\w{0,6}|\d{1,2}-bit)\s)?")
BESIDE = re.compile(
    r"(?:\b(?:with|including|plus|besides?|beyond|without|to)\s|含|包括|加上?|算上|计入|连同|除了?)"
    r"(?:\s?\d+\s?[GT](?:i?B)?\s?)?(?:[a-z][\w.]*\s|和|与|、){0,3}\Z",
    re.I,
)
"""Before a word that says what goes along with a figure, or where, and not what it is of."""
COUNTED = "count"
"""The group of roles that bare numbers have: of tokens, of users, of layers."""
LINK = re.compile(r"\s?(?:长度|长|length)?\s?(?:of|about|约|为|是|最长|=|:)?\s?")
"""Between a noun and its number: "rank 16", 「序列长度 2048」, "a context of 4,096"."""
HEADED_BY = re.compile(r"(?P<head>[^,，;；。:：()（）\d]{1,40})[:：][^;；。:：]{0,40}\Z")
"""What a clause is headed by: 「涨得最快的是 logits：32k 时占 27.3 GiB」."""
OF_SO_MANY = re.compile(
    r"(?:\d|\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen|single)|[一两兩每单單])\s?(?:[个個路份条條]|[x×])?\s?\Z",
    re.I,
)
"""Before the length of each of those that are counted: "8 32k requests", 「8 個 32k 請求」."""
THOUSANDS = re.compile(r"\d\s?[kK]\Z")
MEASURE = re.compile(r"\s?[个個名位条條份]\s?")
"""Between a number and its noun: 「11 个并发请求」."""
OF_A_NUMBER = re.compile(r"\d[\d,.]*\s?[kK]?[\s-]?\Z")
"""Before a noun of a head that has a number of its own: "Pairs per device at 2,048 tokens"."""
AT_AN_END = re.compile(r"\s?(?:端|处|處|侧|側|口)|\s?(?:side|end)\b")
FROM_IT = re.compile(r"\b(?:at|from) the\s\Z", re.I)
"""Around a word that says where something is measured: "at the outlet", 「插座端」."""
SUMMED = re.compile(r"[+＋=＝]")
FORMATTED = re.compile(
    r"\A[- ]?(?:bits?|位)\s?-?\Z|"
    r"(?:\b(?:\d{1,2}[- ]?bit|FP\d{1,2}|BF16|INT\d|Q\d\w*)|\d{1,2} ?位)\s?-?\Z",
    re.I,
)
"""Before the word for the cache where its format is told, and with it how all is run."""
RUN_WITH = re.compile(r"光|时|時|下|的话|的話|大?模型|整机|整機")
"""Behind a cache whose format is told, where something else is spoken of: 「16 bit 缓存光大模型就要 46 GiB」."""
SHARERS, OF_EACH = "requests", re.compile(r"\s(?:of|at|with)\s(?:up to\s|about\s)?|\s?(?:各|每个|每個)\s?")
"""Those of whom each has the number behind: "34 requests of 8k at once"."""
PLACED = "draw"
"""The group whose words also say where something is measured."""
EACH = re.compile(r"(?:每个?|每個?|[单單双雙]|\b(?:per|each|every|an?)\s)\Z", re.I)
"""Before a noun that its number is shared out to: 「每路 32k」."""
ATTACHED = re.compile(
    r"\s?(?:双向|雙向|bidirectional|both ways|约|大约|大概|总共|一共|也|只|还|about|will|would|only)?\s?"
)
"""Between the word that says what memory is of and the one that says how it stands: 「内存约需」."""
HEADED = ("share", "period", "memory", "wait", "draw", "pace")
"""Groups of roles that the heads of a table tell for its cells."""
"""What ties a figure to the word behind it: "31.4 GiB of RAM"."""
OPENED, CLOSED = re.compile(r"[(（]\s?(?:about\s|约\s?|[~≈])?\Z"), re.compile(r"\s?[)）]")
"""Around a figure that is alone in its bracket."""
CLAUSE = re.compile(r"[,，;；。:：|（(、=≈+＋−]|\s(?:and|but|plus|while|vs\.?|against)\s|而|但")


@lru_cache(maxsize=1)
def _cues() -> Any:
    return parse_yaml((Path(__file__).parent / "cues.yaml").read_text(encoding="utf-8"))


def says(name: str, text: str) -> bool:
    """Whether a text holds one of the words of `name` (`recommends`, `cheapest`, …), in either language."""
    return _pattern(name).search(text) is not None


def roles_near(text: str, start: int, end: int) -> dict[str, str]:
    """What the words beside the figure at `start:end` say it is of, by group: `{"share": "per_user"}`.

    The nearest word of a group within the clause counts, where no other figure stands between.
    """
    window = text[max(0, start - BEFORE) : start]
    before, after = _beside(text, start, end)
    alone = _beside(text, start, end, bracket=False)
    own = len(alone[0]) < len(window) and window[: len(window) - len(alone[0])][-1:].isdigit()
    cut = len(window) - len(before)
    found: dict[str, str] = {}
    for group, pattern in _role_patterns().items():
        later = pattern.search(after)
        if group == COUNTED:
            each = THOUSANDS.search(text[start:end]) and OF_SO_MANY.search(text[:start])
            found |= {} if each else _noun(*alone, pattern, own=own)
            continue
        earlier = [
            one
            for one in pattern.finditer(before)
            if not BESIDE.search(window[: cut + one.start()])
            and not (FORMATTED.search(before, 0, one.start()) and RUN_WITH.match(before, one.end()))
            and not (AT_AN_END.match(before, one.end()) or (group == PLACED and FROM_IT.search(before, 0, one.start())))
        ]
        nearest = min([(later.start(), later)] if later else [], default=None, key=lambda one: one[0])
        if (
            later
            and earlier
            and OF.fullmatch(after, 0, later.start())
            and goes_with_any(group, str(earlier[-1].lastgroup))
        ):
            found[group] = str(later.lastgroup)
        elif earlier and (nearest is None or len(before) - earlier[-1].end() < nearest[0]):
            found[group] = _narrowest(group, before, earlier)
        elif nearest is not None:
            found[group] = str(nearest[1].lastgroup)
    return found


def _beside(text: str, start: int, end: int, *, bracket: bool = True) -> tuple[str, str]:
    """The words before and behind a figure, within its clause and as far as other figures.

    Alone in a bracket it is of what stands before that, and nothing behind it: "a 16-bit cache (8.6 GiB) needs".

    Args:
        bracket: whether that is so; what a number counts stands in the bracket itself.
    """
    window, behind = text[max(0, start - BEFORE) : start], text[end : end + AFTER]
    if bracket and (opened := OPENED.search(window)) is not None and CLOSED.match(behind):
        return FIGURE.split(CLAUSE.split(window[: opened.start()])[-1])[-1] + " " * len(opened[0]), ""
    return FIGURE.split(CLAUSE.split(window)[-1])[-1], FIGURE.split(CLAUSE.split(behind)[0])[0]


def roles_in_clause(text: str, start: int, end: int) -> frozenset[str]:
    """Every role of memory or power that the clause of a figure says, as far as other figures: 「主机内存仍需 9 GiB」.

    What is needed and what needs it stand in one clause; the nearest word alone does not tell them apart.
    """
    before, after = _beside(text, start, end)
    head = HEADED_BY.search(text, 0, start)
    parts = (before, after, head["head"] if head else "")
    patterns = (_role_patterns()["memory"], _role_patterns()[PLACED])
    return frozenset(str(one.lastgroup) for part in parts for pattern in patterns for one in pattern.finditer(part))


def _noun(before: str, after: str, pattern: re.Pattern[str], *, own: bool) -> dict[str, str]:
    """What a bare number counts: the noun behind it, else the one right before it.

    Args:
        own: whether `before` begins right behind another number, which its first noun is of: 「20 路 4k」.
    """
    if any(one.lastgroup == SHARERS and OF_EACH.fullmatch(before, one.end()) for one in pattern.finditer(before)):
        return {}
    behind = pattern.match(MEASURE.sub("", after, count=1).lstrip())
    if behind and behind.lastgroup == SHARERS and own and _heads_with(pattern, before):
        return {}  # the length of each of those counted right before: 「11 路 8K 并发」
    earlier = [
        one
        for one in pattern.finditer(before)
        if LINK.fullmatch(before, one.end())
        and not EACH.search(before[: one.start()])
        and not (own and one.lastgroup == SHARERS and not before[: one.start()].strip())
    ]
    one = behind or (earlier[-1] if earlier else None)
    return {COUNTED: str(one.lastgroup)} if one else {}


def _heads_with(pattern: re.Pattern[str], before: str) -> bool:
    """Whether words begin with a noun of those who are answered, which another number counts."""
    first = pattern.match(before.lstrip())
    return first is not None and first.lastgroup == SHARERS


def _narrowest(group: str, before: str, earlier: list[re.Match[str]]) -> str:
    """The last role that words before a figure say; of one that goes with any, that of the word it is attached to."""
    last = earlier[-1]
    if len(earlier) > 1 and goes_with_any(group, str(last.lastgroup)):
        other = earlier[-2]
        if ATTACHED.fullmatch(before, other.end(), last.start()):
            return str(other.lastgroup)
    return str(last.lastgroup)


def goes_with_any(group: str, role: str) -> bool:
    """Whether a role says how a figure stands and not of what it is."""
    return role in _cues()["with_any"].get(group, ())


def roles_of_head(head: str) -> dict[str, str]:
    """What the head of a column or row says its figures are of; nothing of a group of which it names two."""
    found: dict[str, str] = {}
    for group in HEADED if not SUMMED.search(head) else ():
        pattern = _role_patterns()[group]
        said = {str(one.lastgroup) for one in pattern.finditer(head) if not FORMATTED.search(head, 0, one.start())}
        said = {one for one in said if not goes_with_any(group, one)} or said
        if len(said) == 1:
            found[group] = said.pop()
    return found


def counts_of_head(head: str) -> str | None:
    """What the head of a column or row says its bare numbers count; nothing where it names two things."""
    found = _role_patterns()[COUNTED].finditer(head)
    said = {
        str(one.lastgroup)
        for one in found
        if not OF_A_NUMBER.search(head, 0, one.start()) and head[one.end() : one.end() + 1] != "/"
    }
    return said.pop() if len(said) == 1 else None


def period_at(behind: str) -> str | None:
    """The time that the words right behind an amount say it by: "/h", " a month"."""
    one = _role_patterns()["period"].match(behind.lstrip())
    return str(one.lastgroup) if one else None


def parts_named(text: str) -> frozenset[str]:
    """Every role of memory that a text says."""
    return frozenset(str(one.lastgroup) for one in _role_patterns()["memory"].finditer(text))


def says_role(role: str, text: str) -> bool:
    """Whether a text holds a word of a role, wherever it stands."""
    return any(one.lastgroup == role for pattern in _role_patterns().values() for one in pattern.finditer(text))


def roles_of_key(path: str) -> dict[str, str]:
    """What the name of a field says its figure is of: `tokens_per_s_per_user` → `{"share": "per_user"}`."""
    return {
        group: role
        for group, roles in _cues()["roles"].items()
        for role, words in roles.items()
        if any(key in path for key in words["keys"])
    }


@lru_cache(maxsize=1)
def currency_words() -> dict[str, tuple[str, ...]]:
    """ISO 4217 codes and the words for each, of letters also with a capital."""
    return {
        code: tuple(dict.fromkeys(each for word in words for each in (word, word.capitalize(), word.upper())))
        for code, words in _cues()["currencies"].items()
    }


def unit_of_key(name: str) -> str | None:
    """The unit that the name of a field says its bare numbers are in: `hours_per_month` → `hours`."""
    told: dict[str, str] = _cues()["units_of_keys"]
    if name in told:
        return told[name]
    return next((told[word] for word in name.split("_per_")[0].split("_") if word in told), None)


@lru_cache(maxsize=1024)
def length_told(name: str) -> str:
    """The time that the name of a field tells in words, in digits: `ten_ms` → "10 ms"; empty where it tells none."""
    number, _, unit = name.partition("_")
    digits = _cues()["numbers_of_keys"].get(number)
    return f"{digits} {unit}" if digits and unit in _cues()["units_of_keys"] else ""


@lru_cache(maxsize=1)
def lookalikes() -> dict[str, str]:
    """Letters of other scripts and the Latin ones that they look like."""
    return {str(letter): str(latin) for letter, latin in _cues()["lookalikes"].items()}


@lru_cache(maxsize=1)
def amounts() -> re.Pattern[str]:
    """Units in words, one group a unit; the longest word first."""
    words = [(str(word), unit) for unit, told in _cues()["amounts"].items() for word in told]
    words.sort(key=lambda one: -len(one[0]))
    groups: dict[str, list[str]] = {}
    for word, unit in words:
        groups.setdefault(unit, []).append(re.escape(word) + ("(?![a-z])" if word[-1].isascii() else "(?![卡显])"))
    return re.compile("|".join(f"(?P<{unit}>{'|'.join(told)})" for unit, told in groups.items()))


def is_bare(name: str, text: str) -> bool:
    """Whether a text is one of the words of `name` and nothing else but punctuation."""
    said = " ".join(re.sub(r"[^\w'’]+", " ", text).replace("’", "'").lower().split())
    return said in {*_cues()[name]["en"], *_cues()[name]["zh"]}


@lru_cache(maxsize=1)
def _role_patterns() -> dict[str, re.Pattern[str]]:
    return {
        group: re.compile("|".join(f"(?P<{role}>{_either(words)})" for role, words in roles.items()), re.I)
        for group, roles in _cues()["roles"].items()
    }


@lru_cache(maxsize=32)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_either(_cues()[name]), re.I)


def _either(words: dict[str, list[str]]) -> str:
    """Any of the words; those of letters stand alone."""
    told = sorted((*words["en"], *words["zh"]), key=len, reverse=True)
    return "|".join(
        rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" if word[0].isascii() and word[0].isalpha() else re.escape(word)
        for word in told
    )
