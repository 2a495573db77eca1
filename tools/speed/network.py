"""What joins the machines that hold one copy of a model: their cards, the rate of each, and the wait of a message."""

from functools import lru_cache
from typing import NamedTuple

from kb.constants.speed_constants import constants
from kb.machines.links import Transport, networks
from kb.records.gpu import Gpu

NODE = 8


class Network(NamedTuple):
    """Machines of `node` cards each."""

    node: int
    bytes_per_s: float
    """Of each card to other machines, as collectives reach it."""
    wait_s: float
    """A small message from one machine to another."""
    doubted: Transport | None = None
    """The slower transport that the same cable carries where RDMA was not set up; null = it is known."""

    def of(self, cards: int) -> "Network":
        """The same where so many cards of each machine take part, which share its ports."""
        return self._replace(node=cards, bytes_per_s=self.bytes_per_s * self.node / cards)

    def hands_on_s(self, size_bytes: float) -> float:
        """Handing `size_bytes` on to the next stage of a pipeline in another machine."""
        return size_bytes / (self.bytes_per_s * self.node) + self.wait_s

    def over_sockets(self) -> "Network":
        """The same cable without RDMA."""
        if self.doubted is None:
            return self
        slower = self.doubted.wait_s
        cap = self.doubted.most_bytes_per_s or self.bytes_per_s * self.node
        return Network(self.node, min(self.bytes_per_s, cap / self.node), slower)


def node_cards(gpu: Gpu) -> int:
    """Cards on one fast link: eight, or those of a rack that one switch joins."""
    return _domain(gpu.id)


@lru_cache(maxsize=1024)
def _domain(identity: str) -> int:
    domains = constants().training.domains
    return next((size for start, size in domains.items() if identity.startswith(start)), NODE)


def ethernet(bytes_per_s: float, node: int) -> Network:
    """Machines of `node` cards with Ethernet of so many bytes a second each: RDMA where it is fast, else sockets."""
    known = networks()
    if bytes_per_s < known.rdma_from_bytes_per_s:
        return Network(node, known.sockets.reaches(bytes_per_s) / node, known.sockets.wait_s)
    return Network(node, known.rdma.reaches(bytes_per_s) / node, known.rdma.wait_s, known.sockets)


def infiniband(bytes_per_s: float, node: int) -> Network:
    """Machines whose every card has an InfiniBand port of so many bytes a second beside it."""
    known = networks()
    return Network(node, known.rdma.reaches(bytes_per_s), known.rdma.wait_s)
