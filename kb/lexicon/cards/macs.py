"""Macs, named by machine, chip and memory in any order: "m4 mac mini 24gb", "512GB Mac Studio"."""

import re
from functools import lru_cache

from kb.catalog import gpus
from kb.lexicon.cards.unified import of_memory
from kb.lexicon.text import grammar
from kb.naming.names import Mention
from kb.records.gpu import Gpu

_TOKEN = grammar(
    r"(?<![a-z0-9.])(?:(?P<machine>mac ?mini|mac ?studio|mac ?book(?: ?(?P<book>air|pro))?|苹果(?:笔记本|电脑)|mbp|mba)"
    r"|(?:apple |苹果 ?)?(?P<chip>m[1-9])(?: ?(?P<grade>ultra|max|pro))?(?: ?芯片| chip| ?air(?![a-z]))?"
    r"(?:[ -](?P<bare>16|18|24|32|36|48|64|96|128|192|256|512)"
    r"(?=\s*(?:跑|能|上|可以|带|run|can|for|with|is(?![a-z])|$|[,，?？:：])))?"
    r"|(?P<size>\d{1,3}) ?gb?(?: ?(?:的)?(?:统一)?(?:内存|memory|ram|unified(?: memory| ram)?))?)(?![a-z0-9])"
)
_JOIN = grammar(r"[\s,(/|-]{0,3}(?:with|w/|的|带|版|配|丐版|\d{1,2}[- ]core)?[\s,()的]{0,2}")
"""What may stand between the words for one machine."""
_OR = grammar(r"\s?(?:版|的)?\s?(?:vs\.?|or|versus|还是|或者?|跟|和|与|/|、|对比)\s?(?:the |an? )?")
"""What stands between two memories of one machine: "16GB vs 24GB"."""
_FORMS = {"macmini": "Mac mini", "macstudio": "Mac Studio", "air": "MacBook Air", "pro": "MacBook Pro"}
_BARE_FORMS = ("Mac mini", "Mac Studio")
"""Machines that are spoken of as what a model runs on, with neither chip nor memory said."""


def mac_mentions(text: str, named: list[Mention]) -> list[Mention]:
    """`named`, and the Macs that no name of the catalog covers; a machine alone only where nothing else is named."""
    found: list[Mention] = []
    tokens = list(_TOKEN.finditer(text))
    start = 0
    while start < len(tokens):
        end = start + 1
        while end < len(tokens) and _JOIN.fullmatch(text, tokens[end - 1].end(), tokens[end].start()):
            if _repeated(tokens[start:end], tokens[end]):
                break
            end += 1
        group = tokens[start:end]
        ids = _ids(group, bare=not named and len(tokens) == 1)
        if ids:
            found.append(_mention(ids, text, group[0].start(), group[-1].end()))
            if end < len(tokens) and (other := _other(text, group, tokens[end])):
                found.append(_mention(other, text, tokens[end].start(), tokens[end].end()))
                end += 1
        start = end
    kept = [one for one in named if not any(m.start < one.end and one.start < m.end for m in found)]
    return sorted([*kept, *found], key=lambda one: one.start)


def _repeated(group: list[re.Match[str]], token: re.Match[str]) -> bool:
    """Whether the word says again what the group has: the next machine."""
    return any(one[kind] and token[kind] for one in group for kind in ("machine", "chip", "size"))


def _ids(group: list[re.Match[str]], *, bare: bool) -> tuple[str, ...]:
    """The Macs a group of words fits; those of the newest chip where no chip is said."""
    said = {kind: next((one[kind] for one in group if one[kind]), None) for kind in ("machine", "chip", "size")}
    sized = any(one["bare"] for one in group)
    if not (said["machine"] or said["chip"]) or (len(group) < 2 and not bare and not sized):
        return ()
    form = _form(said["machine"], next((one["book"] for one in group if one["book"]), None))
    if len(group) < 2 and form not in _BARE_FORMS and not sized:
        return ()
    grade = next((one["grade"] for one in group if one["grade"]), None)
    macs = [card for card in _macs() if said["chip"] is None or _has_chip(card, said["chip"], grade)]
    size = said["size"] or next((one["bare"] for one in group if one["bare"]), None)
    if size:
        fitting = of_memory([card.id for card in macs], int(size))
        macs = [card for card in macs if card.id in fitting]
    if form and any(form in card.form_factor for card in macs):
        macs = [card for card in macs if form in card.form_factor]
    if said["chip"] is None and macs:
        newest = max(card.year or 0 for card in macs)
        macs = [card for card in macs if (card.year or 0) == newest]
    return tuple(card.id for card in macs)


def _form(machine: str | None, book: str | None) -> str | None:
    if machine is None:
        return None
    short = {"mbp": "pro", "mba": "air"}.get(machine)
    return _FORMS.get(short or book or machine.replace(" ", ""))


def _has_chip(card: Gpu, chip: str, grade: str | None) -> bool:
    """Whether the card is this chip, of this grade or of none."""
    return re.fullmatch(rf"apple-{chip}{f'-{grade}' if grade else ''}-\d+gb", card.id) is not None


def _other(text: str, group: list[re.Match[str]], token: re.Match[str]) -> tuple[str, ...]:
    """The same machine with another memory."""
    if not token["size"] or not any(one["size"] for one in group):
        return ()
    if not _OR.fullmatch(text, group[-1].end(), token.start()):
        return ()
    return _ids([*(one for one in group if not one["size"]), token], bare=False)


def _mention(ids: tuple[str, ...], text: str, start: int, end: int) -> Mention:
    return Mention("GPU", ids, start, end, text[start:end], exact=True)


@lru_cache(maxsize=1)
def _macs() -> tuple[Gpu, ...]:
    return tuple(card for card in gpus().values() if card.vendor == "Apple")
