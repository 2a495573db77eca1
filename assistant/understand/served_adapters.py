"""LoRA adapters that a server holds beside one model: "50 adapters of rank 16", 「一个底座挂 20 个 LoRA」."""

from assistant.understand.numbers import DIGITS, HAN, number
from assistant.understand.text import Found, grammar

_LORA = r"(?:q?-?lora(?: ?adapters?| weights| modules)?s?|adapters?|适配器|lora ?适配器)"
_SAID = (
    grammar(
        rf"(?<![a-z0-9.])(?P<n>{DIGITS}|{HAN}|two|three|four|five|six|eight|ten|twenty|fifty)\s?(?:多)?(?:个|组|份|种|套)?\s?"
        rf"(?:different |separate |distinct |simultaneous |concurrent |rank[- ]?\d{{1,4}} |r=\d{{1,4}} |不同的?)?"
        rf"{_LORA}(?![a-z])"
    ),
    grammar(rf"(?:max[-_ ]loras\s?[=:： ]|{_LORA}\s?[=:：])\s?(?P<n>\d{{1,5}})(?![\d.])"),
    grammar(
        rf"batch(?: size)? (?:of )?(?P<n>\d{{1,5}})[^.?!\n]{{0,60}}?(?:own|different|its|each)[^.?!\n]{{0,24}}?{_LORA}"
        rf"|(?:each|every)[^.?!\n]{{0,40}}?batch (?:of )?(?P<m>\d{{1,5}})[^.?!\n]{{0,24}}?(?:own|different)"
        rf"[^.?!\n]{{0,16}}?{_LORA}"
    ),
)
_TRAINED = grammar(
    r"(?<![a-z])(?:train(?:s|ing|ed)?|fine-?tun\w{1,3}|finetun\w{1,3}|tuning|epochs?|dataset|learning rate)(?![a-z])"
    r"|训练|微调|训|数据集|轮"
)
_SERVED = grammar(
    r"(?<![a-z])(?:serv\w{1,3}|host\w{0,3}|deploy\w{0,4}|inference|vllm|sglang|lorax|load\w{0,3}|multi-?lora|requests?|vram|memory"
    r"|run\w{0,4}|fits?|hold)(?![a-z])|部署|服务|推理|加载|挂|线上|显存|并发|放"
)
_MOST = 100_000


def find_served_adapters(text: str) -> Found[int] | None:
    """How many adapters are served; None where none is, or where they are trained."""
    if _TRAINED.search(text) or not _SERVED.search(text):
        return None
    for rule in _SAID:
        for match in rule.finditer(text):
            said = match.groupdict()
            value = number(said["n"] or said.get("m") or "")
            if value and 1 <= value <= _MOST and value == int(value):
                return Found(int(value), match.start(), match.end())
    return None


_BARE = grammar(
    rf"\s*(?:and |what about |how about |with |那|换成?|改成?)*\s*(?P<n>\d{{1,5}})\s?"
    rf"(?:of them|of those|{_LORA}|个|呢|个呢)?\s*[?？。.]?\s*"
)


def bare_adapters(plain: str) -> int | None:
    """Another number of adapters, where a turn says nothing but a number."""
    said = _BARE.fullmatch(plain)
    return int(said["n"]) or None if said else None
