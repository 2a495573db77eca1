"""The first word of a verdict, as the question was put: "will it run out" is answered by no where it fits."""

import re

from assistant.answer import AnswerVerdict
from assistant.compose import compatibility
from assistant.compose.material import Estimate, Material

_STYLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "overflow",
        re.compile(
            r"会不会[^，。,?？]{0,12}?(?:爆|炸|oom|溢出|不够|放不下|超)"
            r"|会(?:不会)?[^，。,?？不]{0,6}?(?:爆|炸|oom|溢出)[^，。,?？]{0,4}?(?:吗|么|嘛)"
            r"|爆不爆|(?:会|要|得)(?:爆|炸|oom)(?:显存|掉)?\s?(?:吧|$|[?？])"
            r"|\b(?:will|would|does|do|going to|gonna)\b[^.?!]{0,40}?\b(?:oom|run out|overflow|blow up)\b[^.!]{0,30}\?",
            re.I,
        ),
    ),
    (
        "more",
        re.compile(
            r"\b(?:need|require|want) (?:anything |something |much )?(?:more|bigger|better|larger|stronger) than\b"
            r"|\b(?:bigger|better|larger|stronger) (?:card|gpu) than\b[^.?!]{0,40}\b(?:needed|required|necessary)\b"
            r"|(?:需要|要不要|得|必须)(?:换|买|上)?(?:个|张|块)?(?:比[^，。?？]{1,16})?更(?:好|大|强|贵)的?",
            re.I,
        ),
    ),
    ("enough", re.compile(r"够不够|够(?:用|跑|使)?(?:吗|么|嘛)|够没")),
    ("fine", re.compile(r"行不行|(?<!进)(?<!运)行(?:吗|么|嘛)|中不中")),
    ("may", re.compile(r"可不可以|可以(?:吗|么|嘛|不)")),
)
"""Ways to ask whether it fits, of which one wants the opposite word."""


def opened(material: Material, text: str, verdict: AnswerVerdict, main: Estimate) -> str:
    """The verdict `text` with the opening that answers the words of the question; a follow-up tells what changed."""
    style = next((name for name, words in _STYLES if words.search(material.text)), None)
    if not material.understanding.follow_up and compatibility.refusal(material):
        style = "instead"  # what was asked after does not go: the yes is to what stands in for it
    if style is None or material.understanding.follow_up:
        return text
    word: str = "but" if verdict == "fits_with_changes" else main.placed.verdict
    word = "but_training" if word == "but" and main.task != "inference" else word
    plain = material.say(f"opening.plain_{word}")
    return material.say(f"opening.{style}_{word}") + text.removeprefix(plain) if text.startswith(plain) else text
