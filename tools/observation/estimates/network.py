"""What exchanging between machines takes, by the network that was told."""

import math

from kb.observation import observation_facts
from tools.observation.setup import Machine, Setup
from tools.speed.allreduce import network_bytes_per_s, node_cards
from tools.speed.work import Work

NETWORKS = ("ethernet", "infiniband")
BYTES = 2
"""Of a value that is exchanged: 16 bits."""


def exchange_s(setup: Setup, machine: Machine, work: Work) -> float:
    """Seconds that a token takes more over the network that was told than over the one that estimates take.

        partial sums of k machines, twice a layer:   2(k-1)/k · bytes · (1/told - 1/taken) + 2·log₂ k · wait
        stages handed on, once between machines:     bytes/told + wait

    `wait` is a message's time through the kernel's sockets, of Ethernet without RDMA alone. 0 within one machine; what
    a cause supposes (`machine.exchange_s`) comes on top, twice a layer.
    """
    if setup.card is None or setup.nodes < 2:
        return 0.0
    layers, layout = work.arch.layers, work.layout
    supposed = 2 * layers * machine.exchange_s
    link = setup.request.link
    if link is None or link.kind not in NETWORKS or not link.bytes_per_s:
        return supposed
    batch = max(work.sequences / layout.pipeline, 1.0)
    size = BYTES * batch * work.arch.hidden
    wait = float(observation_facts().settings["socket_wait_s"]) if link.kind == "ethernet" else 0.0
    inside = min(node_cards(setup.card), -(-setup.cards // setup.nodes))
    nodes = math.ceil(layout.tensor / inside)
    if nodes < 2:
        handed = min(layout.pipeline, setup.nodes) - 1
        return supposed + max(handed, 0) * (size / link.bytes_per_s + wait)
    taken = network_bytes_per_s(setup.card) * inside
    moving = 2 * (nodes - 1) / nodes * size * max(1 / link.bytes_per_s - 1 / taken, 0.0)
    return supposed + 2 * layers * (moving + 2 * math.log2(nodes) * wait)
