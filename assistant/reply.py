"""What a language model's own words may not hold, whatever made it write them: an error, a document, a person."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from langchain_core.messages import AIMessage

from assistant.answer import Citation, Draft, ToolCallRecord
from assistant.ground import ground
from assistant.ground.quantities import PLAIN, quantities
from assistant.prompts import SYSTEM
from assistant.understand.language import language_of
from assistant.understand.numbers import HAN, WORDS, number
from kb.names import gpu_names, model_names

LONGEST_REPLY = 20_000
"""Characters."""
MOST_CALLS = 12
"""Tool calls in one reply."""
LONGEST_ARGUMENTS = 20_000
"""Characters of one call's arguments, written out."""
CUT = {"length", "max_tokens", "content_filter"}
"""Finish reasons of a reply that is not whole."""
SHARED_WORDS = 10
"""So many words in a row of our instructions are a quotation of them."""
HAN_MIN, HAN_MAX = 0.05, 0.3
"""Share of Han among the letters that an answer in Chinese has at least, one in English at most."""

_TAGS = "script|iframe|img|object|svg|embed|link|meta|style|form|base|video|audio|math|input|button|template"
SIZED = {"fits", "does_not_fit", "fits_with_changes", "recommendation", "estimate"}
"""Verdicts that rest on figures."""
ACTIVE = re.compile(
    rf"<\s*(?:{_TAGS})\b|<\s*[/!?]?\s*[a-z][^<>]{{0,300}}>|<!--|!\[|\b(?:javascript|vbscript|data)\s*:\s*\S|&#"
    r"|\bon\w{3,20}\s*=",
    re.I,
)
CALL_OUT = re.compile(r"<[!@#]|@(?:everyone|here|channel|all)\b", re.I)
FORMULA = re.compile(r"(?:^|\|)[ \t]*(?:=|@|\+(?=[A-Za-z])|-(?=[A-Za-z]+\())", re.M)
ADDRESS = re.compile(r"(?:\b[a-z][a-z0-9+.-]{1,15}:)?//([^\s/)\]>\"']{1,200})|\bwww\.([^\s/)\]>\"']{1,200})", re.I)
EXPONENT = re.compile(r"\d[eE][+-]?\d")
_WORD = "|".join(sorted((re.escape(word) for word in WORDS if word.isascii() and len(word) > 2), key=len, reverse=True))
_COUNTED = (
    r"(?:[KMGT]i?B(?:/s)?|gigabytes?|terabytes?|kW|watts?|dollars?|USD|cards?|gpus?|hours?|days?|percent"
    r"|张|块|卡|台|元|美元|瓦|小时|天)"
)
SPELT = re.compile(rf"(?<![A-Za-z])({_WORD})(?=[ -]{_COUNTED}\b)|({HAN})(?= ?{_COUNTED})", re.I)
UNITS_SPELT = (
    (re.compile(r"(?<=\d)[ -]?gigabytes?\b", re.I), " GB"),
    (re.compile(r"(?<=\d)[ -]?terabytes?\b", re.I), " TB"),
    (re.compile(r"(?<=\d)[ -]?(?:watts?)\b", re.I), " W"),
    (re.compile(r"(?<=\d)[ -]?dollars?\b", re.I), " USD"),
)
_YES = re.compile(r"\W*(?:yes\b|可以|能[,,。!,]|能(?:跑|用|放|装|够)|够)", re.I)
_NO = re.compile(r"\W*(?:no\b|not?\W+(?:it|possible)|不能|不行|不够|不可以|无法|跑不|装不|放不)", re.I)


def malformed(message: AIMessage) -> str | None:
    """Why a reply is none, whatever it says, or None."""
    if str(message.response_metadata.get("finish_reason") or "") in CUT:
        return "a reply that was cut short"
    if message.invalid_tool_calls and not message.tool_calls:
        return "malformed tool calls"
    if len(message.tool_calls) > MOST_CALLS:
        return "too many tool calls at once"
    identifiers = [call["id"] for call in message.tool_calls]
    if len(set(identifiers)) < len(identifiers):
        return "tool calls that share an id"
    if any(len(str(call["args"])) > LONGEST_ARGUMENTS for call in message.tool_calls):
        return "overlong arguments"
    if message.tool_calls:
        return None
    if not str(message.text).strip():
        return "an empty reply"
    return "an overlong reply" if len(str(message.text)) > LONGEST_REPLY else None


def unfit(text: str, language: str) -> str | None:
    """Why these words cannot be shown to a person who writes `language`, or None; numbers are checked elsewhere."""
    if ACTIVE.search(text):
        return "active content"
    if CALL_OUT.search(text):
        return "a call to everybody"
    if FORMULA.search(text):
        return "a spreadsheet formula"
    if any(unicodedata.category(character) in {"Cf", "Co", "Cs"} for character in text):
        return "invisible characters"
    if any(not c.isascii() and unicodedata.category(c) in {"Nd", "Nl", "No"} and c not in "²³" for c in text):
        return "digits that are none"
    if EXPONENT.search(text):
        return "numbers written as powers"
    if _quotes_instructions(text):
        return "its instructions"
    return None if _in_language(text, language) else "another language than the person's"


def untraced(
    text: str, records: Iterable[ToolCallRecord], words: Sequence[str], citations: Sequence[Citation]
) -> tuple[str, ...]:
    """Numbers, spelt ones too, and web addresses that nothing vouches for.

    Only calls about what the person, or the planner, spoke of count: a model that asks for another one gets true
    figures of the wrong thing.
    """
    numerals = SPELT.sub(_numeral, text)
    for spelt, written in UNITS_SPELT:
        numerals = spelt.sub(written, numerals)
    cited = " ".join([*words, *(citation.url or "" for citation in citations)]).lower()
    hosts = [(match[1] or match[2]).lower() for match in ADDRESS.finditer(text)]
    loose = ground(numerals, records, words, citations).ungrounded
    return (*loose, *(host[:60] for host in hosts if host not in cited))


def about(records: Iterable[ToolCallRecord], subjects: set[str]) -> list[ToolCallRecord]:
    """The calls that ask only for these GPUs and models."""
    return [record for record in records if named(_words_of(record.request)) <= subjects]


def subjects(words: Iterable[str], planned: Iterable[ToolCallRecord]) -> set[str]:
    """Ids of the GPUs and models that the person or the planner's own calls name."""
    requests = " \n ".join(_words_of(record.request) for record in planned)
    return named(" \n ".join(words)) | named(requests)


def contradicts(text: str, draft: Draft, words: Sequence[str]) -> str | None:
    """How a model's words depart from what the planner worked out, or None.

    A GPU or model that neither the planner's answer nor the person names is a recommendation of the model's own.
    """
    first = text.strip().lstrip("*_#> ")
    if draft.verdict == "fits" and _NO.match(first):
        return "a no where the tools say yes"
    if draft.verdict == "does_not_fit" and _YES.match(first):
        return "a yes where the tools say no"
    if draft.verdict in SIZED and _figures(text) < _figures(draft.answer):
        return "an answer without figures"
    ours = named(
        " \n ".join([draft.answer, *words, *(str(one.model_dump(mode="json")) for one in draft.configurations)])
    )
    own = sorted(named(text) - ours)
    return f"a recommendation of its own: {', '.join(own[:3])}" if own else None


def named(text: str) -> set[str]:
    """Ids of the GPUs and models that `text` names without doubt."""
    return {mention.ids[0] for names in (gpu_names(), model_names()) for mention in names.scan(text) if mention.exact}


def _figures(text: str) -> int:
    """What figures tell: 2 with a unit, 1 bare ones only (the number of a ticket or a citation), 0 none."""
    found = list(quantities(text))
    return 2 if any(quantity.kind != PLAIN for quantity in found) else min(len(found), 1)


def _words_of(value: object) -> str:
    if isinstance(value, dict):
        return " \n ".join(_words_of(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return " \n ".join(map(_words_of, value))
    return value if isinstance(value, str) else ""


def _numeral(match: re.Match[str]) -> str:
    value = number(match[0].lower())
    return match[0] if value is None else f"{value:g}"


def _quotes_instructions(text: str) -> bool:
    said, ours = text.lower().split(), SYSTEM.lower().split()
    runs = {tuple(ours[place : place + SHARED_WORDS]) for place in range(len(ours) - SHARED_WORDS + 1)}
    return any(tuple(said[place : place + SHARED_WORDS]) in runs for place in range(len(said) - SHARED_WORDS + 1))


def _in_language(text: str, language: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    if not letters or language not in {"zh", "en"}:
        return True
    share = sum("一" <= character <= "鿿" for character in letters) / len(letters)
    if language == "zh":
        return share >= HAN_MIN
    return share <= HAN_MAX and language_of(text.lower()) in {"en", "zh"}
