"""A refusal in the asker's language: what is wrong, with which field, and what would do.

The code refuses in English; `assets/refusals.yaml` holds each of its sentences in Chinese. A sentence is found by its
fixed words, and what the code put between them is carried over.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import cast

from kb.base import (
    AdvisorError,
    AmbiguousName,
    BadDocument,
    BadInput,
    ClosedModel,
    ConversationBusy,
    IndexUnavailable,
    ModelFailed,
    NothingFits,
    Overloaded,
    StateUnavailable,
    UnknownName,
    UnsupportedAttention,
)
from kb.snapshot import parse_yaml
from ui.assets import asset
from ui.words.slots import slot_name

KINDS = {
    "model": "模型",
    "GPU": "显卡",
    "gpu": "显卡",
    "provider": "云厂商",
    "engine": "引擎",
    "server": "服务器",
    "tool": "工具",
    "instance": "云实例",
    "currency": "货币",
    "component": "配件",
    "catalog": "目录",
    "option": "选项",
    "key": "密钥",
}
HOLE = "{}"
PLACE = re.compile(r"\{(\d)\}")
OF_A_RULE = "Value error, "
"""How pydantic begins what one of our own rules says."""
_Sentence = tuple[re.Pattern[str], str]


def told(error: AdvisorError, language: str) -> str:
    """The message of an error, in Chinese for `zh` and in English otherwise."""
    if language != "zh":
        return str(error)
    kind = next((kind for kind in type(error).__mro__ if kind in _CHINESE), None)
    return _CHINESE[kind](error) if kind else str(error)


def reason(text: str) -> str:
    """Our own sentence in Chinese; one that is not known is given as it is rather than not at all."""
    return _chinese(text, "reasons")


def remedy(text: str) -> str:
    """What would help, in Chinese."""
    return _chinese(text, "remedies")


@lru_cache(maxsize=1)
def sentences() -> dict[str, dict[str, str]]:
    """Reasons and remedies: English with holes → Chinese with numbered places."""
    return cast(dict[str, dict[str, str]], parse_yaml(asset("refusals.yaml")))


def _chinese(text: str, of: str) -> str:
    text = text.strip().removeprefix(OF_A_RULE)
    for pattern, chinese in _patterns(of):
        if match := pattern.fullmatch(text):
            return PLACE.sub(lambda place: match[int(place[1]) + 1], chinese)
    return text


@lru_cache(maxsize=2)
def _patterns(of: str) -> tuple[_Sentence, ...]:
    """Every sentence as a pattern; the one with most words of its own is tried first."""
    by_words = sorted(sentences()[of].items(), key=lambda row: -len(row[0].replace(HOLE, "")))
    return tuple(
        (re.compile("(.*?)".join(map(re.escape, english.split(HOLE))), re.DOTALL), chinese)
        for english, chinese in by_words
    )


def _closed(error: ClosedModel) -> str:
    instead = f"可以换成开放权重的：{'、'.join(error.close)}。" if error.close else ""
    return f"“{error.name[:80]}”是 {error.maker} 的闭源模型，权重没有公开，无法自己部署。{instead}"


def _unknown(error: UnknownName) -> str:
    fallback = "请换个写法，或给出参数量。" if error.kind == "model" else "请换个写法。"
    hint = f"是不是想说：{'、'.join(error.close)}？" if error.close else fallback
    return f"没有找到叫“{error.name[:80]}”的{KINDS.get(error.kind, error.kind)}。{hint}"


def _ambiguous(error: AmbiguousName) -> str:
    return f"“{error.name[:80]}”可能是：{'、'.join(error.candidates)}。请说明是哪一个。"


def _input(error: BadInput) -> str:
    return f"{slot_name(error.field, 'zh')}：{reason(error.reason)}{remedy(error.remedy) if error.remedy else ''}"


def _document(error: BadDocument) -> str:
    return f"{error.path}：{reason(error.reason)}"


def _fits(error: NothingFits) -> str:
    closest = f"最接近的：{'；'.join(error.closest)}。" if error.closest else ""
    return f"{reason(error.reason)}{closest}"


def _attention(error: UnsupportedAttention) -> str:
    return reason(str(error))


_CHINESE: dict[type, Callable[..., str]] = {
    ClosedModel: _closed,
    UnknownName: _unknown,
    AmbiguousName: _ambiguous,
    BadInput: _input,
    BadDocument: _document,
    NothingFits: _fits,
    UnsupportedAttention: _attention,
    ConversationBusy: lambda error: "这段对话的上一个问题还在处理，请稍候再发。",
    Overloaded: lambda error: "现在提问的人太多，请过一会儿再发。",
    ModelFailed: lambda error: "这里出了错，已经记入日志。请再发一次；若仍不行，请联系管理员。",
    IndexUnavailable: lambda error: "资料库暂时打不开，请稍后再试。",
    StateUnavailable: lambda error: "对话暂时读不了也存不了，请稍后再试。",
}
