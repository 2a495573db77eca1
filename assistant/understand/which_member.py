"""Whether it is asked which member of a family of models cards run, rather than how one of them does."""

from assistant.understand.quantities import MODEL
from assistant.understand.text import grammar

_OTHER_THING = (
    r"(?:quants?|quanti[sz]ation|formats?|files?|ggufs?|engine|context|cards?|gpus?|speeds?|throughput|performance|settings?"
    r"|latency|price|precision|tokens?|batch)(?![a-z])"
)
"""Things of a model that "which" may ask for instead."""
_THING = r"(?:显?卡|gpu|显存|内存|框架|引擎|量化|格式|精度|上下文|batch|云|平台|机器|配置|服务器|好|更|快|便宜|划算)"
_WHICH = grammar(
    r"(?:which|what)(?:'s| is| are)?(?: (?:of|the|sizes?|version|variant|kind|model|best|biggest|largest|newest))*"
    rf" {MODEL}{{1,60}}(?!s? {_OTHER_THING})"
    rf"|{MODEL}{{1,60}}(?: model)? (?:size|version|variant|model)s?"
    r"(?= (?:can|could|should|would|fits?|runs?|is|works?)(?![a-z]))"
    rf"|(?:biggest|largest|smartest|strongest) (?:model of )?(?:the )?{MODEL}"
    rf"|(?:哪一?(?:个|款|种|些|档)|什么|啥|多大的?|几b的?)\s?(?:尺寸|大小|版本|规格|型号|参数量)?的?\s?{MODEL}{{1,60}}"
    rf"(?!\s?的?{_THING})"
    rf"|{MODEL}{{1,60}}[^,。?!;]{{0,10}}?(?:哪一?(?:个|款|种|些|档)|什么|多大|几b)(?!\s?的?(?:[^,。?!;]{{0,2}}){_THING})"
)


def asks_member(masked: str) -> bool:
    """Whether the text, names masked, asks for one of a family: "which Qwen3 fits", 「能跑哪个 Qwen3」."""
    return _WHICH.search(masked) is not None
