"""The memory of a machine: how much, over how many channels, and how fast that makes it."""

import re
from functools import lru_cache

from kb.base import BadInput, Frozen
from kb.lexicon.memory.rules import amounts, whole
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary
from kb.machines.processors import ProcessorFamily, family_in
from kb.units import GIB

BYTES_PER_TRANSFER = 8
"""A channel is 64 bits wide (JEDEC)."""
USUAL_RATES = {"3": 1600, "4": 3200, "5": 5600}
"""Million transfers a second of ordinary modules by generation, where their speed is not said."""
DESKTOP_CHANNELS, SERVER_CHANNELS = 2, 8
DESKTOP_MOST_BYTES = 256 * GIB
"""Memory that a desktop takes at the most: four modules of 64 GB on two channels."""
MOST_CHANNELS = 12
"""Of one socket."""
_MODULE = grammar(r"(?<![a-z])(?:lp)?ddr([345])x?(?:[- ]?(\d{4,5})(?! ?(?:gb|gi|mb|g(?![a-z]))))?")
_KIND = grammar(r"(?<![a-z])(?:mcr|mr|lr|r|u|cu|so-?|c?so)?dimms?[- ]?(\d{4,5})(?! ?(?:gb|gi|mb|g(?![a-z])))")
"""A speed behind the kind of module: MRDIMM-8800, RDIMM 4800."""
_RATE = grammar(r"(?<![\d.])(\d{4,5}) ?(?:mt/?s|mhz)")
_BARE_RATE = grammar(
    r"(?<![\d.])(2133|2400|2666|2933|3[026]00|4[048]00|5[26]00|6[04]00|6800|7200|8000|8533)(?! ?(?:g|m|t)i?b)(?!\d)"
)
_STATED = grammar(r"(?<![\d.])(\d{2,4}(?:\.\d)?) ?gi?b(?:/s|ps)")
_CORES = grammar(r"(?<![\d.])(\d{2,3})[- ]?(?:(?:cpu|physical|processor)[- ])?(?:cores?(?![a-z])|核)")
DESKTOP_MOST_CORES = 24
"""Of a processor for desktops (Core i9-14900K: 8 + 16); processors with more are for workstations and servers."""
_NUMBERED = grammar(r"(?<!\d)(\d{1,2})[- ]?(?:memory[- ])?(?:channels?|ch(?![a-z])|通道)")


class HostMemory(Frozen):
    """The memory beside the processor."""

    bytes: int
    """All of it, binary: 128 GB on the box is 128·2³⁰."""
    channels: int | None = None
    """Memory channels in use; null = neither said nor known from the processor or the modules."""
    bandwidth_bytes_per_s: float | None = None
    """Peak rate over those channels; null = neither it nor the kind of module was said."""
    modules: int | None = None
    """Modules; null = not said."""
    assumptions: tuple[str, ...] = ()
    """What was taken for granted in reading it."""


def read_host_memory(text: str, field: str = "host_memory") -> HostMemory:
    """The memory of a machine: "128GB ddr5-6000 dual channel", "12x64GB DDR5-4800", 「256G 八通道 ddr4 3200」.

        bandwidth = channels · 8 bytes · transfers a second

    Raises:
        BadInput: no amount, or several.
    """
    words = plain(text)
    amount = whole(text, amounts(words), field)
    modules = amount.modules if amount.modules > 1 else None
    family = family_in(words)
    channels, assumed = _channels(words, modules, family)
    bandwidth, further = _bandwidth(words, amount.total_bytes, channels, family)
    return HostMemory(
        bytes=amount.total_bytes,
        channels=channels,
        bandwidth_bytes_per_s=bandwidth,
        modules=modules,
        assumptions=(*assumed, *further),
    )


def read_memory_channels(text: str, field: str = "memory_channels") -> int:
    """How many memory channels `text` says: "dual channel", "8-channel", 「十二通道」, "8".

    Raises:
        BadInput: it says none, or more than two sockets have.
    """
    words = plain(text)
    found = int(words) if re.fullmatch(r"\d{1,2}", words) else _said(words)
    if found is None or not 0 < found <= 2 * MOST_CHANNELS:
        raise BadInput(field, f"“{text[:60]}” is no number of memory channels.", 'Give e.g. "dual channel" or "8".')
    return found


def _said(words: str) -> int | None:
    if numbered := _NUMBERED.search(words):
        return int(numbered[1])
    spelled = _spelled().search(words)
    return int(meaning("memory", "channels", spelled[1])) if spelled else None


@lru_cache(maxsize=1)
def _spelled() -> re.Pattern[str]:
    return grammar(rf"({any_of(vocabulary('memory', 'channels'))})[- ]?(?:channels?|通道)")


@lru_cache(maxsize=1)
def _server() -> re.Pattern[str]:
    return grammar(any_of(vocabulary("memory", "server_words")))


def _channels(words: str, modules: int | None, family: ProcessorFamily | None) -> tuple[int | None, tuple[str, ...]]:
    """The channels and what was assumed: as said, as the processor has (no more than modules), or by the modules."""
    if (said := _said(words)) is not None:
        return _of_one_socket(said)
    if family is not None:
        filled = min(family.memory_channels, modules or family.memory_channels)
        return filled, (f"{family.family} has {family.memory_channels} memory channels a socket; {filled} are filled.",)
    if modules is None:
        cores = max(map(int, _CORES.findall(words)), default=0)
        if cores <= DESKTOP_MOST_CORES:
            return None, ()
        taken = f"{cores} cores are no desktop's: {SERVER_CHANNELS} memory channels a socket are taken, as servers have"
        return SERVER_CHANNELS, (f"{taken}; state memory_channels for another.",)
    if modules <= 4 and not _server().search(words):
        filled = min(modules, DESKTOP_CHANNELS)
        note = f"{modules} modules are read as {filled} memory channels, as on a desktop board; state memory_channels."
        return filled, (note,)
    filled = next((modules // each for each in (1, 2, 4) if modules // each <= MOST_CHANNELS), MOST_CHANNELS)
    each = f"{modules} modules are read as up to {filled} memory channels, {modules // filled} a channel"
    return filled, (f"{each}; a board with fewer channels is slower: state memory_channels.",)


def _of_one_socket(channels: int) -> tuple[int, tuple[str, ...]]:
    """More channels than a socket has are those of two, of which one's are read at a time."""
    if channels <= MOST_CHANNELS:
        return channels, ()
    one = channels // 2
    said = f"{channels} memory channels are those of two sockets: the {one} of one are taken, since without programs"
    return one, (f"{said} that place data by socket a second one adds capacity and hardly speed.",)


def _bandwidth(
    words: str, size_bytes: int, channels: int | None, family: ProcessorFamily | None
) -> tuple[float | None, tuple[str, ...]]:
    """The rate said, or that of the channels with the modules' own speed or the usual one of their generation."""
    if said := _STATED.search(words):
        return float(said[1]) * 1e9, ()
    module, rate = _MODULE.search(words), _RATE.search(words) or _KIND.search(words) or _BARE_RATE.search(words)
    if not (module or family or (rate and rate.re is not _BARE_RATE)):
        return None, ()
    assumed: list[str] = []
    if channels is None:
        server = size_bytes > DESKTOP_MOST_BYTES or _server().search(words) is not None
        channels = SERVER_CHANNELS if server else DESKTOP_CHANNELS
        board = "Eight memory channels are taken, as one socket of a server" if server else (
            "Two memory channels are taken, as on a desktop board"
        )  # fmt: skip
        assumed.append(f"{board}; state memory_channels for another.")
    if module and module[2]:
        transfers = int(module[2])
    elif rate:
        transfers = int(rate[1])
    elif family and family.transfers_per_s:
        transfers = family.transfers_per_s // 10**6
        assumed.append(f"Modules of {transfers} MT/s are taken, the fastest that {family.family} takes.")
    else:
        generation = module[1] if module else family.memory_type[-1] if family else "5"
        transfers = USUAL_RATES[generation]
        assumed.append(f"DDR{generation}-{transfers} is taken, as no speed of the modules was said.")
    return channels * BYTES_PER_TRANSFER * transfers * 1e6, tuple(assumed)
