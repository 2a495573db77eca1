"""Say every question of tests/cases another way and count how often the verdict changes.

    .venv/bin/python tests/bench/perturb.py                    every way of writing
    .venv/bin/python tests/bench/perturb.py --sample 80 --wrong

A way of writing changes nothing an expert would answer differently: case, blanks, full-width characters, units,
courtesy, names of cards with and without their maker, traditional characters, Chinese numerals, punctuation, slips of
the keyboard in ordinary words. Compared are the verdict and what was understood: cards, model, format, amounts, intent.
Prints, for each way, how many questions it applies to and the share whose verdict, and whose whole reading, stays.
"""

import argparse
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from expectations import FILES, load, turns

ROOT = Path(__file__).parents[2]
HAN = r"[一-鿿]"
_DIGITS = "零一二三四五六七八九"
_TRADITIONAL = str.maketrans(
    "显张块训练调参数万亿预两够吗这么还换买价钱云后与应该样点电机们务实并发单双让种类说请问会来记忆体为什严长时间节带宽选择题难",
    "顯張塊訓練調參數萬億預兩夠嗎這麼還換買價錢雲後與應該樣點電機們務實並發單雙讓種類說請問會來記憶體為甚嚴長時間節帶寬選擇題難",
)
_ENTITY = re.compile(r"[A-Za-z]*\d[\w.\-]*|[A-Z]{2,}\w*|[A-Z][a-z]+[A-Z]\w*")
_ORDINARY = {
    "enough", "should", "would", "could", "running", "memory", "inference", "training", "finetune", "context",
    "concurrent", "requests", "possible", "number", "server", "workstation", "budget", "compare", "difference",
    "recommend", "serving", "deploy", "throughput", "hardware", "machine", "estimate", "expected", "minimum",
    "maximum", "quantized", "quantization", "support", "supported", "cheapest", "electricity", "realistic",
}  # fmt: skip
"""Words of the trade in which a slip of the keyboard is tried: never a name, never an amount."""


def chinese(text: str) -> bool:
    """Whether the text is Chinese enough for a Chinese way of writing."""
    return len(re.findall(HAN, text)) >= 4


def swapped(text: str) -> str:
    """Two neighbouring letters in the middle of the longest ordinary word change places."""
    words = [word for word in re.findall(r"[A-Za-z]+", text) if word.lower() in _ORDINARY]
    if not words:
        return text
    word = max(words, key=len)
    middle = len(word) // 2
    return text.replace(word, word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :], 1)


def dropped(text: str) -> str:
    """A letter is missing in the longest ordinary word."""
    words = [word for word in re.findall(r"[A-Za-z]+", text) if word.lower() in _ORDINARY and len(word) > 6]
    if not words:
        return text
    word = max(words, key=len)
    return text.replace(word, word[: len(word) // 2] + word[len(word) // 2 + 1 :], 1)


def _numeral(match: re.Match[str]) -> str:
    return _DIGITS[int(match[1])].replace("二", "两") + match[2]


def geforce(prefix: str) -> Callable[[str], str]:
    """Every bare GeForce number with `prefix` before it."""
    bare = re.compile(
        r"(?<![A-Za-z0-9.$¥€£\-])(?<!rtx )(?<!RTX )(?<!gtx )(?<!GTX )(?<!TX)([345]0[5-9]0)"
        r"(?=\s?(?:ti|Ti|super|s\b|D\b|d\b)?"
        r"(?:[\s,，。?？!！*×]|显卡|卡|$|[一-鿿]))(?!\s?(?:token|users|人|个))"
    )
    return lambda text: bare.sub(rf"{prefix}\1", text)


WAYS: dict[str, Callable[[str], str]] = {
    "lower case": str.lower,
    "upper case": str.upper,
    "full-width digits": lambda t: "".join(chr(ord(c) + 0xFEE0) if c in "0123456789" else c for c in t),
    "full-width letters": lambda t: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in t),
    "blanks beside Han": lambda t: re.sub(rf"(?<={HAN})(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?={HAN})", " ", t),
    "no blanks beside Han": lambda t: re.sub(rf"(?<={HAN}) (?=\S)|(?<=\S) (?={HAN})", "", t),
    "double blanks": lambda t: t.replace(" ", "  "),
    "rtx before": geforce("rtx "),
    "RTX joined": geforce("RTX"),
    "GeForce RTX before": geforce("GeForce RTX "),
    "GB as G": lambda t: re.sub(r"(\d)\s?GB\b", r"\1G", t),
    "G as GB": lambda t: re.sub(r"(?<![\w.])(\d+)[Gg](?![A-Za-z0-9])", r"\1 GB", t),
    "GB as gigs": lambda t: re.sub(r"(\d)\s?GB\b", r"\1 gigs", t) if not chinese(t) else t,
    "hyphens as blanks": lambda t: re.sub(r"(?<=[A-Za-z])-(?=\d)", " ", t) if "--" not in t and "/" not in t else t,
    "blanks as hyphens": lambda t: re.sub(r"(?<=[A-Za-z0-9.]) (?=\d{1,3}(?:\.\d)?[bB]\b)", "-", t),
    "x as *": lambda t: re.sub(r"(?<![A-Za-z0-9.\-])(\d{1,2})\s?[x×]\s?(?=[A-Za-z]|\d{4})", r"\1*", t),
    "traditional": lambda t: t.translate(_TRADITIONAL),
    "Chinese numerals": lambda t: re.sub(r"(?<![\d.*×x])([1-9]) ?([张块卡台])", _numeral, t) if chinese(t) else t,
    "Arabic numerals": lambda t: re.sub(
        r"([一二两三四五六七八九])([张块台])(?=[A-Za-z0-9 ])",
        lambda m: str(_DIGITS.replace("二", "两").index(m[1].replace("二", "两"))) + m[2],
        t,
    ),
    "please before": lambda t: (
        ("各位大佬好，想请教个问题：" if chinese(t) else "Hey everyone, sorry if this was asked before. ") + t
    ),
    "thanks after": lambda t: t + ("，先谢过各位了" if chinese(t) else " Thanks in advance!"),
    "newbie before": lambda t: ("小白一枚，" if chinese(t) else "Newbie here, ") + t,
    "no punctuation at the end": lambda t: re.sub(r"[?？。.!！]+$", "", t),
    "many marks": lambda t: re.sub(r"[?？]$", "？？？" if chinese(t) else "???", t),
    "commas as blanks": lambda t: re.sub(r"[，,](?!\d)\s?", " ", t) if "\n" not in t else t,
    "letters swapped": swapped,
    "letter dropped": dropped,
    "curly quotes": lambda t: t.replace("'", "’").replace('"', "”"),
    "emoji": lambda t: t + " 😂🙏",
}
"""Ways of writing; each returns the text as it is where it does not apply."""


def outcome(answer: Any, need: Any) -> tuple[Any, ...]:
    """What must not change: the verdict, then the reading."""
    cards = sorted((card.gpu, card.count) for card in need.gpus_owned)
    slots = need.model_dump(exclude={"model_text", "gpus_owned", "gpus_proposed", "intent", "gpus_asked"})
    return answer.verdict, (cards, sorted(need.gpus_asked), slots, need.intent)


def main() -> int:
    """Run, print, and fail below the share of verdicts that has to stay."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="only so many questions, drawn always the same")
    parser.add_argument("--way", action="append", help="only this way of writing")
    parser.add_argument("--wrong", action="store_true", help="list what changed")
    parser.add_argument("--least", type=float, default=0.97, help="share of verdicts that must stay")
    options = parser.parse_args()
    questions = [text for case in load(FILES) for text in turns(case)[:1]]
    if options.sample:
        questions = random.Random(1).sample(questions, options.sample)
    with tempfile.TemporaryDirectory() as home:
        os.environ["GPU_ADVISOR_HOME"] = home
        sys.path.insert(0, str(ROOT))
        from assistant.understand import understand
        from ui.serving.service import advisor

        def asked(text: str) -> tuple[Any, ...]:
            return outcome(advisor().ask(text), understand(text).need)

        plain = {text: asked(text) for text in questions}
        total = kept = 0
        print(f"{'':28}{'n':>5}{'verdict':>10}{'reading':>10}")
        for name in options.way or WAYS:
            pairs = [(text, WAYS[name](text)) for text in questions if WAYS[name](text) != text]
            results = [(text, other, asked(other)) for text, other in pairs]
            same = sum(result[0] == plain[text][0] for text, _, result in results)
            alike = sum(result == plain[text] for text, _, result in results)
            total, kept = total + len(results), kept + same
            if results:
                print(f"{name:28}{len(results):5d}{same / len(results):10.1%}{alike / len(results):10.1%}")
            if options.wrong:
                for text, other, result in results:
                    if result != plain[text]:
                        print(f"    {other[:150]!r}: {changes(plain[text], result)}")
        print(f"{'all':28}{total:5d}{kept / total:10.1%}")
        return int(kept / total < options.least)


def changes(before: tuple[Any, ...], after: tuple[Any, ...]) -> str:
    """What became of what."""
    parts = [] if before[0] == after[0] else [f"VERDICT {before[0]} → {after[0]}"]
    (cards, asked, slots, intent), (cards2, asked2, slots2, intent2) = before[1], after[1]
    pairs = {"cards": (cards, cards2), "asked": (asked, asked2), "intent": (intent, intent2)}
    pairs |= {key: (slots[key], slots2[key]) for key in slots}
    return "; ".join([*parts, *(f"{key} {one} → {two}" for key, (one, two) in pairs.items() if one != two)])


if __name__ == "__main__":
    sys.exit(main())
