"""Cards of the kind in hand that would be added to it: "a second one", "another 3090", "two more", 「再加一张」."""

from assistant.understand.numbers import count
from assistant.understand.quantities import GPU, MODEL
from assistant.understand.text import grammar

_CARD = rf"(?:{GPU}{{1,60}}|one|ones|cards?|gpus?|of (?:them|those|these|the same))(?![a-z])"
_KIND = r"(?:(?:used|identical|same|matching|such|second-?hand) ){0,2}"
_MAKER = r"(?:(?:nvidia|geforce|rtx|tesla|quadro|amd|radeon) ){0,2}"
_FURTHER = grammar(
    rf"(?<![a-z])(?:a |the |my )?(?:second|2nd|third|3rd|fourth|4th|another|extra|additional) {_KIND}{_MAKER}{_CARD}"
    rf"|(?<![a-z])one more(?: {_KIND}{_MAKER}{_CARD})?"
    rf"|(?<![a-z0-9.])(?P<n>\d|two|three|four|five|six) (?:more|additional|extra|further)(?: {_KIND}{_MAKER}{_CARD})?"
    r"|(?:再|多|又)(?:加|买|添|来|配|插|入手?|收)(?:上|了)?(?P<han>[一二两三四五六七]|\d)(?:张|块|片|个)"
    rf"(?:同样的|一样的|同款的?|一模一样的)?\s?(?:{GPU}{{1,60}}|显卡|卡)?(?![a-z])"
)
_NOT_CARDS = grammar(
    rf"\s?{MODEL}|\s?(?:[^,。;?!\n]{{0,6}}(?:模型|服务|向量|嵌入|重排|语音|任务|人|用户|并发)|embedding|rerank|asr|tts|ocr|llm)"
    r"|\s?(?:user|request|day|hour|machine|server|node|question|model|thing|time|step|epoch|week|month)"
)


def further(masked: str) -> tuple[int, tuple[int, int]] | None:
    """How many more of the same are spoken of, and where; None when none are."""
    for match in _FURTHER.finditer(masked):
        if _NOT_CARDS.match(masked, match.end()):
            continue
        more = count(match["n"] or match["han"] or "1")
        return (more, match.span()) if more else None
    return None
