"""How much there is to train on: tokens said as such, bytes of text, steps of a batch, samples and their length."""

import re

from assistant.understand.numbers import AMOUNT, DIGITS, HAN, SCALE, scaled
from assistant.understand.text import Found, grammar
from kb.datasets import tokens_named
from kb.units import GB, KB, MB, TB
from tools.training_time.request import SAMPLE_TOKENS

_DATASET = grammar(
    rf"(?<![a-z0-9.])(?P<n>{AMOUNT})\s?(?P<s>{SCALE})?\s?(?:个|的)?\s?(?:training )?(?:tokens?|词元"
    rf"|tok)(?![a-z/])(?!\s?(?:/|每秒|per|a second|上下文|的?上下文|context|长度|window|long|左右就"
    rf"|prompts?|input|output|each))"
)
_DATA_BYTES = grammar(
    r"(?:数据(?:集)?|语料|(?<![a-z])(?:dataset|corpus|data|text))\s?(?:集|量|大小|有|约|共|of|is|大概"
    r"|:)?\s?(?P<n>\d{1,6}(?:\.\d{1,3})?)\s?(?P<u>k(?=b)|[mgt])b?(?![a-z0-9]|\s?(?:\w{1,14} )?(?:samples?"
    r"|examples?|rows|pairs|instructions?|conversations?|dialogs?|dialogues?|records|tokens?|images?|documents?|docs))"
    r"|(?P<n2>\d{1,6}(?:\.\d{1,3})?)\s?(?P<u2>k(?=b)|[mgt])b?(?![a-z])\s?(?:的)?\s?(?:of )?(?:文本|语料|数据"
    r"|text|dataset|corpus|training data|data|tokens? data)"
)
_SAMPLES = grammar(
    rf"(?<![a-z0-9.])(?P<n>{AMOUNT})\s?(?P<s>{SCALE})?\s?(?:条|(?:[a-z]{{2,12}} )?samples?|examples?|rows|对话"
    rf"|instructions?|pairs|样本|句)"
)
_STEPS_OF = grammar(
    rf"(?<![a-z0-9.])(?P<n>{DIGITS}|{HAN})\s?(?P<s>{SCALE})?\s?(?:training )?(?:steps|步|iterations)(?![a-z])"
)
_BATCH_OF = grammar(r"(?<![a-z])(?:global[- ])?(?:batch(?:[-_ ]?size)?|bs)\s?(?:of|=|:|为|是)?\s?(\d{1,6})(?![\d.])")
_SEQUENCE_OF = grammar(
    r"(?<![a-z])(?:seq(?:uence)?(?:[-_ ]?len(?:gth)?)?|max_seq_length|长度|context)"
    r"\s?(?:of|=|:|为|是)?\s?(\d{2,6})(?![\d.k])"
    r"|(\d{2,6})[- ]tokens? (?:sequences|samples)"
)
"""Steps, sequences of a step and tokens of a sequence: together all the tokens of a training."""
_PER_SAMPLE = grammar(
    rf"(?:平均|每条|每个|单条|avg|averag\w{{1,3}}|each|mean|(?:samples|examples|rows"
    rf"|pairs) of)(?:(?!{HAN}\s?(?:k|千|万|百)?\s?个?(?:tokens?|字|词))[^\d,;。?!]){{0,12}}"
    rf"(?P<n>\d{{1,7}}|{HAN})\s?(?P<s>k|千|万|百)?\s?(?P<u>tokens?|个?token|个?字|词)?"
    rf"|(?P<n2>\d{{1,7}}|{HAN})\s?(?P<s2>k|千|万|百)?\s?(?:个)?(?P<u2>tokens?|字|词)"
    rf"\s?(?:each|per (?:sample|example|row|pair|conversation)|一条|每条|/条)"
)
_LONG = grammar(
    rf"\s?(?:数据|样本|的|,|，|、|长度|约|大概|平均|最长|不超过|of|at|with|length|x|×|\*|~|about|around|up to){{0,4}}"
    rf"\s?(?P<n>{DIGITS})\s?(?P<s>k|千|万)?\s?(?:个)?\s?(?P<u>tokens?|tok(?![a-z])|字|词|长|seq(?![a-z])|length|上下文|(?<=k))"
)
"""What makes a number right behind the samples their length: 「5 万条 2k 长度」, "20k samples x 1k"."""
_OF_LENGTH = grammar(
    rf"(?P<most>(?:max\w{{0,4}}|longest|cut-?off|context|block|up to|最大|最长|最多|上下文|截断)"
    rf"(?:的|[-_ ](?:model[-_ ])?)?)?"
    rf"(?:seq(?:uence)?s?[-_ ]?len(?:gth)?|seq(?:uence)?s?|length|len|长度|句长|序列长度?)(?![a-z])"
    rf"\s?(?:of|is|at|about|around|up to|=|:|~|为|是|约|大概|都是|统一){{0,2}}\s?"
    rf"(?P<n>{DIGITS})\s?(?P<s>k|千)?(?![\d.a-z])\s?(?P<u>tokens?|个?字)?"
)
"""How long the samples are, said anywhere beside their number: 「10 万条，长度 128」, "100k rows, seq len 256"."""
_BYTES = {"k": KB, "m": MB, "g": GB, "t": TB}
BYTES_PER_TOKEN = 3.5
"""Of plain text; Qwen's documentation: a token is 3–4 letters of English or 1.5–1.8 Han characters."""
HAN_PER_TOKEN = 1.65
"""The middle of the same documentation's range."""


def find_dataset(text: str) -> Found[int] | None:
    """Tokens of training data: said, or from bytes of text, from samples and their length, or by the name of a text."""
    for match in _DATASET.finditer(text):
        value = scaled(match["n"].strip(), match["s"])
        if value and 200_000 <= value <= 10**17:
            return Found(int(value), match.start(), match.end())
    for match in _DATA_BYTES.finditer(text):
        value = float(match["n"] or match["n2"]) * _BYTES[match["u"] or match["u2"]] / BYTES_PER_TOKEN
        if value >= 1000:
            return Found(int(value), match.start(), match.end())
    if run := _of_steps(text):
        return run
    samples = _SAMPLES.search(text)
    each = (_PER_SAMPLE.search(text) or _LONG.match(text, samples.end()) or _of_length(text)) if samples else None
    if samples and each:
        value = (scaled(samples["n"].strip(), samples["s"]) or 0) * _length_of(each)
        if 1000 <= value <= 10**17:
            return Found(int(value), samples.start(), samples.end())
    named = tokens_named(text)
    return Found(named.tokens, named.start, named.end) if named else None


def _of_length(text: str) -> re.Match[str] | None:
    """The length of the samples; the longest allowed tells theirs only where the usual length would exceed it."""
    match = _OF_LENGTH.search(text)
    return match if match and (not match["most"] or _length_of(match) <= SAMPLE_TOKENS) else None


def _of_steps(text: str) -> Found[int] | None:
    """Tokens of so many steps of a batch of sequences, where all three are said."""
    steps, batch, length = _STEPS_OF.search(text), _BATCH_OF.search(text), _SEQUENCE_OF.search(text)
    if not (steps and batch and length):
        return None
    value = (scaled(steps["n"].strip(), steps["s"]) or 0) * int(batch[1]) * int(length[1] or length[2])
    return Found(int(value), steps.start(), steps.end()) if 10**6 <= value <= 10**17 else None


def _length_of(each: re.Match[str]) -> float:
    """Tokens of one sample; Han characters are fewer tokens than characters."""
    said = each.groupdict()
    length = scaled(each["n"] or said["n2"], each["s"] or said.get("s2")) or 0
    return length / HAN_PER_TOKEN if (each["u"] or said.get("u2") or "").endswith("字") else length
