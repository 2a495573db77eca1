"""What may stand in nobody's words: active content, calls to everybody, formulas, our instructions, another script."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from assistant.grounding.wording.letters import foreign_words
from assistant.grounding.wording.statements import Statement, statements
from assistant.llm.prompts import SYSTEM
from assistant.understand.language import language_of

_TAGS = "script|iframe|img|object|svg|embed|link|meta|style|form|base|video|audio|math|input|button|template"
ACTIVE = re.compile(
    rf"<\s*(?:{_TAGS})\b|<\s*/\s*[a-z]|<[a-z][a-z0-9]*\s[^<>]{{0,200}}=|<!--|!\[|\b(?:javascript|vbscript)\s*:\s*\S"
    r"|\bdata\s*:\s*text/|&#\w{1,8};|\bon(?:error|load|click|mouseover|focus)\s*=",
    re.I,
)
CALL_OUT = re.compile(r"<[!@#]|@(?:everyone|here|channel|all)\b", re.I)
FORMULA = re.compile(r"(?:^|\|)[ \t]*(?:=[A-Za-z(]|@[A-Za-z]+\(|\+(?=[A-Za-z]+\()|-(?=[A-Za-z]+\())", re.M)
ADDRESS = re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,15}:)//\S+|\bwww\.\S+", re.I)
LINK = re.compile(r"\]\(\s*<?[^\s()]*(?::|/|\w\.\w)")
ROLE = re.compile(r"^[\s#>*_-]*(?:system|assistant|user)\s*[:：]|<\|?/?\s*(?:system|assistant|user|im_start)\b")
"""What marks somebody's turn in a conversation: an answer is nobody else's turn."""
RAW = re.compile(r"^\s*[\[{]+\s*[\"'][\w .-]{1,60}[\"']\s*:")
"""The beginning of a JSON object that is shown as it is."""
LOCAL = re.compile(r"//(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|<[\w-]+>|\$\{?\w+\}?|head|node\d*|master)\b")
CODE = re.compile(r"`[^`\n]{1,300}`")
"""What is shown as it is typed, where no address can be followed."""
QUOTED = re.compile(r"[“\"「《][^“”\"「」《》\n]{1,400}[”\"」》]")
"""Words of somebody else, in whatever language."""
SHARED_WORDS = 10
"""So many words in a row of our instructions are a quotation of them."""
HAN_MIN, HAN_MAX, LETTERS_MIN = 0.05, 0.3, 40
"""Share of Han among the letters that an answer in Chinese has at least, one in English at most; and from how many
letters on that is asked."""


def unfit_statements(text: str, language: str, known: Iterable[str] = ()) -> Iterator[tuple[Statement, str]]:
    """Statements that may not leave, with the reason; words of another script may, where a `known` text has them."""
    every = statements(text)
    texts = tuple(known)
    said = "Chinese" if language == "zh" else "English" if language == "en" else "the person's language"
    whole = _in_language(text, language)
    for one in every:
        if (reason := _reason(one)) is not None:
            yield one, reason
        elif one.kind != "code" and (
            not whole
            or (
                one.kind == "sentence" and not _in_language(QUOTED.sub("", CODE.sub("", one.text)), language, least=0.0)
            )
            or any(foreign_words(one.text, language, texts))
        ):
            yield one, f"the person writes {said}: write the whole answer in it"


def _reason(one: Statement) -> str | None:
    text = one.text
    if CALL_OUT.search(text):
        return "a call to everybody"
    if any(
        unicodedata.category(character) in {"Cf", "Co", "Cs"} and character not in "\u200d\ufe0f" for character in text
    ):
        return "invisible characters"
    if one.kind == "code":
        return "active content" if re.search(r"<\s*script\b", text, re.I) else None
    if ACTIVE.search(text):
        return "active content"
    if FORMULA.search(text):
        return "a spreadsheet formula"
    if ROLE.search(text) or RAW.match(text):
        return "a raw message of a conversation or a program: say it in your own words"
    if LINK.search(CODE.sub("", text)):
        return "a link: sources are put beside the answer"
    if any(not LOCAL.search(address[0]) for address in ADDRESS.finditer(CODE.sub("", text))):
        return "a web address: sources are put beside the answer"
    return "its instructions" if _quotes_instructions(text) else None


def _quotes_instructions(text: str) -> bool:
    said = text.lower().split()
    return any(tuple(said[place : place + SHARED_WORDS]) in _runs() for place in range(len(said) - SHARED_WORDS + 1))


def _runs() -> frozenset[tuple[str, ...]]:
    ours = SYSTEM.lower().split()
    return frozenset(tuple(ours[place : place + SHARED_WORDS]) for place in range(len(ours) - SHARED_WORDS + 1))


def _spoken(text: str) -> str:
    """A sentence less its code and what it quotes."""
    return QUOTED.sub("", CODE.sub("", text))


def _in_language(text: str, language: str, least: float = HAN_MIN) -> bool:
    """Whether a text is in a language; Chinese has at least such a share of Han, a sentence any at all."""
    prose = " ".join(one.text for one in statements(text) if one.kind != "code")
    letters = [character for character in prose if character.isalpha()]
    if len(letters) < LETTERS_MIN or language not in {"zh", "en"}:
        return True
    share = sum("一" <= character <= "鿿" for character in letters) / len(letters)
    if language == "zh":
        return share >= least and share > 0
    return share <= HAN_MAX and language_of(prose.lower()) in {"en", "zh"}
