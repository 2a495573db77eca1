"""Tokens that look like a GPU or a model but that no catalog name covers: never silently dropped."""

import re

from assistant.understand.text import Text, grammar

_GPU = grammar(
    r"(?<![a-z0-9])(?:"
    r"(?:nvidia |geforce |tesla |quadro )?(?:rtx|gtx)[- ]?(?:pro )?a?\d{3,4}(?: ?(?:ti|super|ada|d))?"
    r"|(?:nvidia |geforce )?[2-9]0[5-9]0[- ]?(?:ti[- ]?)?super"
    r"|(?:radeon )?rx[- ]?\d{3,5}(?: ?(?:xtx|xt|gre))?"
    r"|(?:nvidia |tesla )[a-z]{1,2}\d{1,4}[a-z]?"
    r"|(?:instinct )?mi\d{2,3}[a-z]?"
    r"|[abhlr][1-9]00s?(?![a-z0-9.]| ?[km%])"
    r"|gb[1-9]00"
    r"|(?:arc )[ab]\d{3}"
    r"|mtt ?[sx]\d{2,5}|摩尔线程 ?[a-z]\d{2,5}|(?:昇腾|ascend) ?\d{3}[a-z]?\d?|寒武纪 ?(?:mlu)?\d{3}|沐曦 ?c\d{3}"
    r"|[4-9]0[5-9]0 ?(?:ti|super|d)?(?= ?(?:显卡|卡|gpu|card|能|可以|跑|怎么|好|值|上))"
    r")(?:[- ]?(?:ada|ultra|max-q))?(?![a-z0-9])"
)
_BARE = grammar(
    r"(?:(?<![a-z])(?:an?|my|single|old|one|used|two)|(?<![a-z0-9.])\d{1,2} ?gb?|[张块用有卡的])\s?"
    r"((?:9[5-8]0|1[06][3-8]0|[2-9]0[3-9]0)(?: ?(?:ti|super|d))?)s?(?![a-z0-9.%]"
    r"|\s?(?:个|位|名|用户|元|块钱|年|tokens?|步|条|人|users?|steps?|w(?![a-z])|瓦))"
)
"""A GeForce by its number alone, where the word before it counts or owns: "on a 1080"."""
_MODEL = grammar(
    r"(?<![a-z0-9/.\-])(?:[a-z][a-z0-9_.]{0,24}/)?([a-z][a-z0-9.]{0,24}(?:[-_][a-z0-9.]{1,16}){0,4}?)"
    r"([- _]?)(v?\d(?:\.\d)? )?(\d{1,2}x)?(\d{1,4}(?:\.\d{1,2})?)b(?:-?a\d{1,3}(?:\.\d{1,2})?b)?"
    r"(?:-[a-z0-9.]{1,16}){0,4}(?![a-z0-9]|\s?(?:training )?(?:tokens?|toks?)(?![a-z]))"
)
_ORDINARY = grammar(
    r"(?:^|[- _])(?:a|an|the|of|for|run|train|tune|tuning|finetune|fine|serve|deploy|host|model|models"
    r"|about|than|with|on|in|to|and|or|is|full|how|any|size|at"
    r"|parameter|only|chat|llm|lora|qlora|dense|moe|int4|int8|fp16|q4|params?|x|my|like|from|up|use"
    r"|using|do|ppo|dpo|grpo|sft|rl|even|small|big|bigger|larger|smaller|what|can|i"
    r"|actually|same|this|that|vs|gguf|awq|gptq|bit|4bit|8bit|not|just|no|are|tokens?|dataset|pretrain"
    r"|pretraining|training|inference|needs?|another|one|two|it|b|m|t|k|s|g|gb|tb|by|if|but|via|per|new"
    r"|old|total|active|instruct|un|une|ein|eine|einen|uma|um|de|du|por|para|el|la|le|les|für|mit|con"
    r"|avec|sur|como|modelo|mod[eè]le|modell|serving|deploying|running|hosting|vram|gpu|gpus|zero|stage"
    r"|cuda|rtx|(?:tp|pp|dp|ep)\d{0,2}|max|min|need|want|got|had|have|has|was|were|be|used|uses|wanna|gonna|try|trying"
    r"|quantized|pretrained|tuned|finetuned|base|coder|reasoning|vision|language)[- _]?$"
)


def unknown_gpus(hidden: str) -> list[tuple[int, int]]:
    """Spans of GPU-like tokens in the masked text."""
    found = [(match.start(), match.end()) for match in _GPU.finditer(hidden)]
    bare = [(match.start(1), match.end(1)) for match in _BARE.finditer(hidden)]
    return found + [span for span in bare if not any(span[0] < end and start < span[1] for start, end in found)]


def unknown_models(text: Text, hidden: str) -> list[tuple[int, int, int]]:
    """(parameters, start, end) of model-like tokens: a name that is no ordinary word, joined to a size.

    Across a space only what is written like a name counts: with a capital or a digit.
    """
    found = []
    for match in _MODEL.finditer(hidden):
        name = match[1].rstrip("-_.")
        words = text.original[text.offsets[match.start(1)] : text.offsets[match.end(1)]]
        if not name or _ORDINARY.search(name) or (match[2] == " " and not re.search(r"[A-Z\d]", words)):
            continue
        experts = int(match[4][:-1]) if match[4] else 1
        params = round(float(match[5]) * 1e9 * experts)
        if 0 < params <= 10**15:
            found.append((params, match.start(), match.end()))
    return found
