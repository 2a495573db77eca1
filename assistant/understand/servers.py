"""Servers that are named: 「2 台 DGX H100」 is sixteen H100s."""

from dataclasses import replace
from functools import lru_cache

from assistant.understand.named import NamedGpu
from assistant.understand.numbers import HAN, count
from assistant.understand.text import grammar
from kb.catalog import conventional, servers
from kb.naming.names import Mention, Names

_BEFORE = grammar(
    rf"(?<![a-z0-9.])(\d{{1,4}}|{HAN}|one|two|three|four|eight)\s?(?:台|套|个|节点|x|×|\*)?\s?(?:nvidia |英伟达)?$"
)
_MACHINES = grammar(
    rf"(?<![a-z0-9.])(\d{{1,3}}|{HAN}|one|two|three|four|five|six|eight)\s?(?:台(?:机器|服务器)?|个?节点"
    r"|nodes?|servers?|machines?|boxes|[x×])\s?(?:with|of|each with|,|的|各)?\s?$"
)
"""Machines before the cards of each: "two servers with 8 H200", 「4 台 8 卡 H20」."""
_HGX = grammar(r"(?:hgx|dgx)[- ]?(?:服务器)?\s?$")
_HGX_GPUS = 8
"""GPUs on an HGX baseboard of the kinds sold as servers."""


@lru_cache(maxsize=1)
def _server_names() -> Names:
    rows = [row for row in servers().values() if row.gpus and row.max_gpus > 1 and any(c.isdigit() for c in row.name)]
    return Names("server", {row.id: (row.name, *row.aliases) for row in rows})


def with_servers(plain: str, hidden: str, named: list[NamedGpu]) -> list[NamedGpu]:
    """The GPUs with those that named servers hold; one whose number is not said is taken full."""
    for mention in _server_names().scan(plain):
        if len(mention.ids) == 1 and mention.exact:
            named = _filled(plain, mention, named)
    named = [_on_baseboard(hidden, gpu) for gpu in named]
    return [_in_machines(hidden, gpu) for gpu in named] if len({gpu.gpu for gpu in named}) > 1 else named


def _filled(plain: str, mention: Mention, named: list[NamedGpu]) -> list[NamedGpu]:
    server = servers()[mention.ids[0]]
    before = _BEFORE.search(plain[max(0, mention.start - 16) : mention.start])
    machines = (count(before[1]) if before else None) or 1
    start = mention.start - (len(before[0]) if before else 0)
    inside = [gpu for gpu in named if gpu.start < mention.end and mention.start < gpu.end]
    held = inside or [gpu for gpu in named if set(gpu.ids) & set(server.gpus)]
    if not held:
        gpu = conventional(server.gpus)
        return [
            *named,
            NamedGpu(
                gpu, (gpu,), mention.start, mention.end, machines * server.takes(gpu), start, mention.end, whole=True
            ),
        ]
    return [
        replace(
            gpu,
            count=machines * (server.takes(gpu.gpu) or server.max_gpus),
            counted_from=min(start, gpu.start),
            whole=True,
        )
        if gpu in held and (gpu.count is None or gpu in inside)
        else gpu
        for gpu in named
    ]


def _in_machines(hidden: str, gpu: NamedGpu) -> NamedGpu:
    """All cards of the machines that are told right before those of one, where several kinds are weighed."""
    before = _MACHINES.search(hidden[max(0, gpu.counted_from - 24) : gpu.counted_from])
    machines = count(before[1]) if before and not gpu.whole else None
    if before is None or not machines or not gpu.count:
        return gpu
    start = gpu.counted_from - len(before[0])
    return replace(gpu, count=machines * gpu.count, counted_from=start, whole=True)


def _on_baseboard(hidden: str, gpu: NamedGpu) -> NamedGpu:
    before = _HGX.search(hidden[max(0, gpu.start - 10) : gpu.start])
    if gpu.whole or gpu.count or before is None:
        return gpu
    return replace(gpu, count=_HGX_GPUS)
