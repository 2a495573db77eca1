"""A refusal in the asker's language: what is wrong, with which field, and what would do."""

import re

from assistant.understand.language import language_of
from kb.base import (
    AdvisorError,
    AmbiguousName,
    BadInput,
    ClosedModel,
    ConversationBusy,
    IndexUnavailable,
    ModelFailed,
    UnknownName,
)
from ui.web.slots import slot_name

KINDS = {"model": "模型", "GPU": "显卡", "gpu": "显卡", "provider": "云厂商", "engine": "引擎", "server": "服务器"}
_REASONS = (
    (re.compile(r"is empty\.?"), "还没有填写。"),
    (re.compile(r"is ([\d,]+) characters long; at most ([\d,]+) are read\.?"), r"有 \1 个字符，最多读 \2 个。"),
    (re.compile(r"is not a number\.?"), "不是数字。"),
    (re.compile(r"must lie between (.+) and (.+?)\.?"), r"必须在 \1 到 \2 之间。"),
    (re.compile(r"Input should be greater than (?:or equal to )?([\d.]+)\.?"), r"必须大于 \1。"),
    (re.compile(r"Input should be less than (?:or equal to )?([\d.]+)\.?"), r"必须小于 \1。"),
    (re.compile(r"Input should be a valid (?:integer|number).*"), "不是可用的数字。"),
    (re.compile(r"is not something that can be corrected\.?"), "不能这样更正。"),
    (re.compile(r"corrects a conversation that has no turn yet\.?"), "这段对话还没有内容可以更正。"),
)
"""Our own reasons in Chinese; one that is not here is told in English rather than not at all."""


def told(error: AdvisorError, asked: str) -> str:
    """The message of an error for whoever wrote `asked`."""
    if language_of(asked.lower()) != "zh":
        return str(error)
    if isinstance(error, ClosedModel):
        instead = f"可以换成开放权重的：{'、'.join(error.close)}。" if error.close else ""
        return f"“{error.name[:80]}”是 {error.maker} 的闭源模型，权重没有公开，无法自己部署。{instead}"
    if isinstance(error, UnknownName):
        hint = f"是不是想说：{'、'.join(error.close)}？" if error.close else "请换个写法，或给出参数量。"
        return f"没有找到叫“{error.name[:80]}”的{KINDS.get(error.kind, error.kind)}。{hint}"
    if isinstance(error, AmbiguousName):
        return f"“{error.name[:80]}”可能是：{'、'.join(error.candidates)}。请说明是哪一个。"
    if isinstance(error, BadInput):
        return f"{slot_name(error.field, 'zh')}：{_reason(error.reason)}"
    if isinstance(error, ConversationBusy):
        return "这段对话的上一个问题还在处理，请稍候再发。"
    if isinstance(error, ModelFailed):
        return "这里出了错，已经记入日志。请再发一次；若仍不行，请联系管理员。"
    if isinstance(error, IndexUnavailable):
        return "资料库暂时打不开，请稍后再试。"
    return str(error)


def _reason(reason: str) -> str:
    for pattern, chinese in _REASONS:
        if match := pattern.fullmatch(reason.strip()):
            return match.expand(chinese)
    return reason
