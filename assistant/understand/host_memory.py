"""The bandwidth of a machine's own memory, from the modules, channels or processor that are named."""

import re

from kb.machines.processors import family_in

BYTES_PER_TRANSFER = 8
"""A channel is 64 bits wide (JEDEC)."""
USUAL_RATES = {"3": 1600, "4": 3200, "5": 5600}
"""Million transfers a second of ordinary modules by generation, where their speed is not said."""
_MODULE = re.compile(r"\b(?:lp)?ddr([345])x?(?:[- ]?(\d{4,5})(?!\s?(?:gb|gi|mb)))?", re.I)
_RATE = re.compile(
    r"(?<![\d.])(2133|2400|2666|2933|3[026]00|4[048]00|5[26]00|6[04]00|6800|7200|8000|8533)(?:\s?(?:mt/?s|mhz))?(?!\d)",
    re.I,
)
_CHANNELS = re.compile(
    r"(?<!\d)(\d{1,2})[- ]?(?:memory[- ])?(?:channels?|ch\b|通道)"
    r"|(single|dual|quad|octa|单|双|四|六|八|十二)[- ]?(?:channels?|通道)",
    re.I,
)
_WORDS = {"single": 1, "dual": 2, "quad": 4, "octa": 8, "单": 1, "双": 2, "四": 4, "六": 6, "八": 8, "十二": 12}
_STATED = re.compile(r"(?<![\d.])(\d{2,4})\s?gb/s", re.I)


def bandwidth_bytes_per_s(text: str, usual_channels: int | None = 2) -> float | None:
    """channels · 8 bytes · transfers a second of one socket; None where nothing of it is said.

    Without `usual_channels` also None where only the modules are named: how many channels they fill is unknown then.
    """
    if said := _STATED.search(text):
        return float(said[1]) * 1e9
    known = family_in(text)
    module, named = _MODULE.search(text), _CHANNELS.search(text)
    rate = _RATE.search(text)
    if not (known or module or named or rate):
        return None
    channels = _channels(named) if named else known.memory_channels if known else usual_channels
    if channels is None:
        return None
    if module and module[2]:
        transfers = int(module[2])
    elif rate and (module or named):
        transfers = int(rate[1])
    elif known and known.transfers_per_s:
        transfers = known.transfers_per_s // 10**6
    else:
        transfers = USUAL_RATES[known.memory_type[-1] if known else module[1] if module else "5"]
    return channels * BYTES_PER_TRANSFER * transfers * 1e6


def _channels(named: re.Match[str]) -> int:
    return int(named[1]) if named[1] else _WORDS[named[2].lower()]
