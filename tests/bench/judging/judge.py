"""Which rule speaks to a claim, and which rulings say the same as an expert's verdict."""

import re

from judging.cards import (
    by_architecture,
    by_field,
    by_generation,
    by_line_up,
    by_nvlink,
    by_precisions,
    by_price,
)
from judging.groups import GROUPS
from judging.machines import by_machine
from judging.offers import by_existence, by_instance
from judging.parts import by_part
from judging.ruling import Ruling
from judging.software import by_model, by_software

from kb.base import AdvisorError, UnknownName

RIGHT: dict[str, set[str]] = {
    "true": {"holds"},
    "false": {"contradicted", "unsupported"},
    "misleading": {"partly", "contradicted", "outdated"},
    "outdated": {"outdated", "contradicted"},
    "unsupported": {"unsupported", "contradicted"},
    "opinion": {"holds", "partly", "outdated", "unknown"},
}
"""Verdict of a claim → rulings that say the same of it."""

CHINESE = {
    "显存": "vram", "统一内存": "memory", "内存": "memory",
    "显存带宽": "memory bandwidth", "内存带宽": "memory bandwidth",
    "显存位宽": "memory bus", "显存类型": "memory type", "功耗": "tdp", "算力": "fp16 tflops",
    "架构": "architecture", "核心数": "cores", "价格": "price", "散热": "cooling", "数量": "gpu count",
    "gpu 数量": "gpu count", "参数量": "parameters", "参数": "parameters", "激活参数": "active parameters",
    "上下文": "context", "上下文长度": "context", "context length": "context", "许可证": "licence",
    "许可": "licence", "license": "licence", "运行于": "runs on", "通道数": "memory channels",
    "互联": "interconnect", "高度": "height", "首发价": "msrp", "建议零售价": "msrp", "cuda 核心": "cuda cores",
    "cuda 核心数": "cuda cores", "nvlink 带宽": "nvlink bandwidth", "总参数": "parameters", "卡数": "gpu count",
    "网络": "network", "驱动": "driver", "显卡": "gpu", "内存通道": "memory channels", "发布年份": "launch year",
}  # fmt: skip
"""Attributes as Chinese documents name them, and second names of English ones."""
FORMAT = re.compile(r"(fp\d{1,2}|bf16|tf32|int8)\s*(?:算力|性能|峰值)")


def plainly(attribute: str) -> str:
    """The attribute in the words that the rules know."""
    said = attribute.strip().lower()
    rate = FORMAT.fullmatch(said)
    if rate:
        return f"{rate[1]} {'tops' if rate[1] == 'int8' else 'tflops'}"
    return CHINESE.get(said, said)


def by_group(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Claims about kinds of things."""
    for rule in GROUPS:
        ruling = rule(subject, attribute, value)
        if ruling is not None:
            return ruling
    return None


RULES = (
    by_group, by_generation, by_existence, by_machine, by_nvlink, by_precisions, by_line_up, by_software, by_instance,
    by_model, by_part, by_price, by_field, by_architecture,
)  # fmt: skip


def judge(subject: str, attribute: str, value: str, claim: str = "") -> Ruling:
    """Rule on one claim; `claim` is the sentence, for claims about a whole line-up."""
    attribute = plainly(attribute)
    try:
        for rule in RULES:
            ruling = rule(subject.strip(), attribute, value.strip(), claim)
            if ruling is not None:
                return ruling
    except UnknownName as unknown:
        return Ruling("unsupported", str(unknown))
    except AdvisorError as error:
        return Ruling("unknown", str(error))
    return Ruling("unknown", "no tool asks this")
