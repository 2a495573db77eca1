"""What the facts say against a document, in the asker's language: composed from the parts of the dispute."""

import re

from assistant.compose.material import Material
from kb.records.passage import Dispute, Passage

_IN_CHINESE: tuple[tuple[str, str], ...] = (
    (r"no NVLink, (PCIe [\d.]+)(?: x16)? only", r"没有 NVLink，只走 \1"),
    (r"has NVLink(?: at (.+))?", r"有 NVLink \1"),
    (r"at most ([\d,.]+ GB) \((.+)\)", r"最多 \1（\2）"),
    (r"at most (\d+) GPUs", r"最多 \1 张卡"),
    (r"up to (\d+) of: (.+)", r"最多 \1 张，可选 \2"),
    (r"([\d,.]+ \w+) dense; ([\d,.]+ \w+) only with structured sparsity", r"稠密 \1，\2 是结构化稀疏的数字"),
    (r"([\d,.]+ \w+) dense; ([\d,.]+ \w+) is its (\w+) rate", r"稠密 \1，\2 是 \3 算力"),
    (r"([\d,.]+ \w+) dense", r"稠密 \1"),
    (r"has ECC memory.*", "有 ECC 显存"),
    (r"no ECC memory.*", "没有 ECC 显存"),
    (r"MIG, up to (\d+) parts", r"MIG 最多切成 \1 份"),
    (r"no MIG", "不支持 MIG"),
    (r"no tensor cores", "没有张量核心"),
    (r"tensor cores", "有张量核心"),
    (r"([\d.]+[BT]) parameters", r"\1"),
    (r"(\S+) weights alone: ([\d,.]+ GB); ([\d,.]+ GB) are there", r"\1 光权重就要 \2，只有 \3"),
    (
        r"([\d.]+[BT]) parameters × (\d+) bytes = ([\d,.]+ GB) before activations; ([\d,.]+ GB) are there.*",
        r"\1 × \2 字节 = \3，还没算激活，只有 \4",
    ),
    (
        (
            r"(?:published in (\w+): ([\d,.]+ GB) of weights; )?weights alone: ([\d,.]+ GB) at 16 bits, "
            r"([\d,.]+ GB) at 4 bits; cache and buffers come on top"
        ),
        r"光权重 16 位就要 \3、4 位要 \4，缓存和缓冲区另计",
    ),
    (
        r"full training with Adam holds about (\d+) bytes a parameter: (.+ GB)",
        r"用 Adam 全参训练每个参数约 \1 字节，合计 \2",
    ),
    (r"([\d.]+) to ([\d.]+) times.*", r"\1 到 \2 倍"),
    (r"([\d.]+) times", r"\1 倍"),
    (r"air-cooled servers take it: (.+)", r"有风冷服务器可装：\1"),
    (r"cooling: air", "风冷"),
    (r"(.+) has been out since (\d{4})", r"\1 在 \2 年就已发布"),
    (r"NVLink at (.+) inside the node; InfiniBand joins nodes", r"机内用 NVLink（\1），InfiniBand 用在机间"),
)
"""The claim check's own wordings; what none of them matches is left unsaid in Chinese unless it is figures alone."""
_ENGLISH = re.compile(r"\b[a-z]{3,}\b")


def corrections(material: Material, passage: Passage) -> list[str]:
    """One sentence for each claim of the passage that the facts speak against."""
    if passage.disputed:
        return [_sentence(material, one) for one in passage.disputed]
    if material.say.language == "en":
        return list(passage.disputes)
    return [one if re.search("[一-鿿]", one) else _plain(material, one) for one in passage.disputes]


def _plain(material: Material, dispute: str) -> str:
    """A dispute known only as an English sentence: what it is about."""
    subject = dispute.split(":", 1)[0] if ":" in dispute else ""
    correct = material.say("guidance.contradicted").lstrip("，; ")
    return f"{subject} {correct}。".strip() if subject else f"{correct}。"


def _sentence(material: Material, one: Dispute) -> str:
    say = material.say
    right = one.correct if say.language == "en" else _chinese(one.correct)
    otherwise = say("guidance.outdated" if one.verdict == "outdated" else "guidance.contradicted")
    return say(
        "guidance.claim",
        subject=one.subject,
        attribute=say.get(f"attribute.{one.attribute.replace(' ', '_')}") or _attribute(material, one.attribute),
        claimed=one.claimed,
        correct=say("guidance.correct", correct=right) if right else otherwise,
    )


def _attribute(material: Material, attribute: str) -> str:
    """An attribute without a translation: as it is in English, the plain word for it in Chinese."""
    if attribute.endswith(" rate") and material.say.language == "zh":
        return f"{attribute.removesuffix(' rate')} 算力"
    neutral = material.say.language == "en" or not _ENGLISH.search(attribute)
    return attribute if neutral else material.say("attribute.other")


def _chinese(correct: str | None) -> str | None:
    """The right value in Chinese; None when there is no wording for it."""
    if correct is None:
        return None
    for pattern, wording in _IN_CHINESE:
        match = re.fullmatch(pattern, correct)
        if match:
            return match.expand(wording).strip()
    return None if _ENGLISH.search(correct) else correct
