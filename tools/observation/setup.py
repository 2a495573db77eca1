"""The set-up that was told, with flags applied and defaults resolved, and what may be otherwise about the machine."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from kb.catalog import model
from kb.lexicon import Link
from kb.machines.links import pcie_bytes_per_s
from kb.observation import observation_facts
from kb.programs.engines import Program, engine_note, program
from kb.records.gpu import Gpu
from tools.memory.formats import canonical, weight_format
from tools.memory.request import MemoryRequest
from tools.memory.shape import shape_of
from tools.model_fields import ModelFields
from tools.named import read_card
from tools.observation.request import CPU, MemoryAt, ObservationRequest, Seen
from tools.speed.allreduce import node_cards
from tools.speed.speech import generates

Kind = Literal["serving", "training", "pictures", "other"]
ESTIMATED_AS = {
    "ollama": "llama.cpp", "lm-studio": "llama.cpp", "koboldcpp": "llama.cpp", "text-generation-webui": "transformers",
    "exllamav2": "vllm",
}  # fmt: skip
"""Programs and the engine whose constants stand for them."""
RESERVING = ("vllm", "sglang")
"""Engines that take a share of the card when they start, whatever the model needs."""
DRAWN = ("diffusion", "video")
LANGUAGE = ("llm", "vlm")
SPILLING = ("llama.cpp", "transformers")
"""Engines that leave to the host what the cards do not hold."""
NARROWER = ("int8", "int4")
SHARING = ("apu", "module")
"""Markets of chips that share the host's memory."""
OF_A_MACHINE = ("pcie", "nvlink", "thunderbolt")
SLOWEST_LANE = 1e9
"""Bytes a second of one lane of PCI Express 3.0: what is slower is a network."""
ROOM_RATIO = 0.95
"""Share of the cards that weights may take where they ran: the rest is cache and work space."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the machine does otherwise than its specification: every field leaves it as specified by default."""

    host_share: float | None = None
    """Share of the weights that the processor reads and multiplies; null = as much as does not fit."""
    clock_ratio: float = 1.0
    """Clock of the card over the usual one."""
    bandwidth_ratio: float = 1.0
    """Memory bandwidth of the card over the stated one."""
    link_ratio: float = 1.0
    """Bandwidth between cards, and to the host, over that of sixteen lanes or of the link."""
    host_ratio: float = 1.0
    """Bandwidth of the host's memory over what was taken."""
    waiting_ratio: float = 0.0
    """Share of the time in which the card waits for something else."""
    paged_bytes: float = 0.0
    """Memory of the card that the driver keeps in the host's, and moves over PCIe whenever it is used."""
    accepted: float = 1.0
    """Tokens a step gives (speculative decoding)."""
    streamed_bytes: float = 0.0
    """Weights that a program itself moves from the host at every step."""
    floor_ratio: float = 1.0
    """Time of launching kernels over the usual one."""
    half_ratio: float | None = None
    """Rate of FP16 over that of FP32, where the program computes in FP16; null = as the estimator takes it."""
    prefill_share: float = 0.0
    """Share of the steps that also read a piece of another request's prompt."""
    extra_bytes: float = 0.0
    """Memory that something else holds on the card."""
    extra_ratio: float = 0.0
    """Memory that is held but not used, over what is."""
    exchange_s: float = 0.0
    """Seconds that every exchange of a layer between machines takes more."""
    only: str = ""
    """The one part of the memory that is counted: weights, tensors, needed."""


@dataclass(frozen=True)
class Setup:
    """A set-up that estimates can be made of."""

    request: ObservationRequest
    """With what flags set; nothing of what was seen."""
    at: MemoryAt | None = None
    """When memory was read."""
    said: tuple[str, ...] = field(default=(), compare=False)
    ran: bool = True
    """Whether it ran at all: what memory was too small for is taken as published, not as what would have fitted."""

    def changed(self, fields: dict[str, Any]) -> "Setup":
        """The same with these fields otherwise."""
        return replace(self, request=self.request.model_copy(update=fields))

    @cached_property
    def card(self) -> Gpu | None:
        """The card; of several kinds the one with the least bandwidth, which the others wait for."""
        named = [read_card(one.gpu)[0] for one in self.request.cards if one.gpu and one.gpu != CPU]
        return min(named, key=lambda card: card.bandwidth_bytes_per_s or 0) if named else None

    @property
    def on_cpu(self) -> bool:
        """Whether there is no card at all."""
        return bool(self.request.cards) and all(one.gpu == CPU for one in self.request.cards)

    @property
    def cards(self) -> int:
        """Cards in all."""
        return max(sum(one.count for one in self.request.cards if one.gpu != CPU), 1)

    @property
    def nodes(self) -> int:
        """Machines: as told, or as many as the cards fill, by those on one fast link; a chip that shares its host's
        memory is a machine by itself."""
        if self.request.nodes:
            return self.request.nodes
        if self.card is not None and shares_memory(self.card):
            return self.cards
        return 1 if self.card is None else -(-self.cards // node_cards(self.card))

    @property
    def card_memory(self) -> int | None:
        """Memory of a card that programs see, also of one that is known by its memory alone."""
        if self.card is not None:
            return self.card.usable_bytes
        return next((one.memory_bytes for one in self.request.cards if one.memory_bytes), None)

    @property
    def mixed(self) -> bool:
        """Whether the cards are of several kinds."""
        return len({one.gpu for one in self.request.cards}) > 1

    @property
    def kind(self) -> Kind:
        """What kind of work it is."""
        if self.request.task != "inference":
            return "training"
        if self.request.model is None or self.request.params is not None:
            return "serving"
        found = model(self.request.model).kind
        return "pictures" if found in DRAWN else "serving" if found not in ("vision", "speech") else "other"

    @property
    def model_kind(self) -> str | None:
        """The catalog's kind of the model; null where it is known by its size alone, or not at all."""
        return None if self.request.model is None or self.request.params is not None else model(self.request.model).kind

    @property
    def speaks(self) -> bool:
        """Whether the model makes speech instead of listening."""
        return self.model_kind == "speech" and self.request.model is not None and generates(model(self.request.model))

    @property
    def of_experts(self) -> bool:
        """Whether the model is known to be a mixture of experts."""
        return bool(self.named and self.request.params is None and shape_of(self._shaped).experts)

    @property
    def _shaped(self) -> MemoryRequest:
        """What is known of the model's shape."""
        given = self.request.model_dump(include=set(ModelFields.model_fields), exclude_none=True)
        return MemoryRequest(**given)

    @cached_property
    def machine(self) -> Machine:
        """The machine as it was told: the link between its cards, and an engine without CUDA graphs."""
        eager = self.request.cuda_graphs is False
        floors = float(observation_facts().settings["eager_floor_ratio"]) if eager else 1.0
        return Machine(
            link_ratio=link_ratio(self.request.link, self.card), floor_ratio=floors, clock_ratio=self._clock_ratio
        )

    @property
    def _clock_ratio(self) -> float:
        """Clock under the power limit that was told: (limit / board power) ^ p, p from cards that were swept."""
        limit, whole = self.request.power_limit_w, self.card.tdp_w if self.card else None
        if limit is None or whole is None or limit >= whole:
            return 1.0
        return float((limit / whole) ** float(observation_facts().settings["clock_of_power"]))

    @property
    def named(self) -> bool:
        """Whether there is a model."""
        return bool(self.request.model or self.request.params)

    @property
    def program(self) -> str | None:
        """What runs it, as it was said."""
        return self.request.engine

    @property
    def said_program(self) -> str:
        """The program as it was named, in small letters; empty where none was."""
        return (self.request.engine_said or self.request.engine or "").strip().lower()

    @cached_property
    def stood_in(self) -> Program | None:
        """The program that was named where another engine stands for it."""
        found = program(self.said_program) if self.said_program else None
        return None if found is None or self.request.engine == found.id else found

    @property
    def workings(self) -> frozenset[str]:
        """Programs whose own faults it may have: itself, and the engine that it is made of."""
        own = self.stood_in is not None and self.stood_in.own_workings
        names = {self.said_program, self.said_program.replace(" ", "-"), *(() if own else (self.program, self.engine))}
        return frozenset(name for name in names if name)

    @property
    def ruled_as(self) -> str | None:
        """The engine by whose rules of compatibility it is judged: itself where it has kernels of its own."""
        if self.stood_in is not None and self.stood_in.own_workings:
            return self.stood_in.id.lower()
        return (self.engine or "").lower() or None

    @property
    def engine(self) -> str | None:
        """The engine that estimates are made of; null = as the estimator takes it."""
        said = self.request.engine
        if said is None:
            return "llama.cpp" if (self.request.weight_format or "").lower().startswith(("gguf", "q")) else None
        return ESTIMATED_AS.get(said, said)

    @property
    def weight_format(self) -> str | None:
        """The format of the weights: as told, else what the program is usually given."""
        stated = self.request.weight_format
        if stated is None and self.kind == "serving" and self.engine == "llama.cpp":
            usual = str(observation_facts().settings["usual_file"])
            return self._published_narrow(usual) or usual
        return stated or self._narrowed

    def _published_narrow(self, usual: str) -> str | None:
        """The published format where it is no wider than the usual file: such a model is passed on as it is."""
        if self.request.model is None or self.request.params is not None:
            return None
        form = canonical(shape_of(self._shaped).native_format)
        return form if weight_format(form).body_bits <= weight_format(usual).body_bits else None

    @cached_property
    def _narrowed(self) -> str | None:
        """The widest usual format that the cards hold, where they cannot hold what is published; null where they can.

        What ran did fit: a figure seen on cards that the published weights exceed is of narrower ones.
        """
        if not self.ran or self.kind != "serving" or self.card is None or not self.named or self.engine in SPILLING:
            return None
        shape = shape_of(self._shaped)
        if shape.kind not in LANGUAGE:
            return None
        room = ROOM_RATIO * self.card.usable_bytes * self.cards

        def fits(name: str) -> bool:
            return shape.params * weight_format(name).body_bits / 8 <= room

        if fits(canonical(shape.native_format)):
            return None
        return next((name for name in NARROWER if fits(name)), None)

    @property
    def also_likely(self) -> tuple[str, ...]:
        """Formats as likely as the one that was taken, where it was guessed: every narrower usual one."""
        if self.request.weight_format or self._narrowed is None:
            return ()
        return NARROWER[NARROWER.index(self._narrowed) + 1 :]

    @property
    def memory_channels(self) -> int | None:
        """Memory channels of the host, as told by themselves or with its memory."""
        asked = self.request
        return asked.memory_channels or (asked.host_memory.channels if asked.host_memory else None)

    @property
    def host_bytes(self) -> int | None:
        """The host's own memory; null where it was not said."""
        asked = self.request
        return asked.host_memory_bytes or (asked.host_memory.bytes if asked.host_memory else None)

    @property
    def reserves(self) -> bool:
        """Whether the program takes its share of the card when it starts."""
        return self.kind == "serving" and self.engine in RESERVING

    def assumptions(self) -> list[str]:
        """What was taken for granted about the set-up."""
        said = [*self.said, *engine_note(self.request.engine_said, self.request.engine)]
        for one in self.request.cards:
            said += one.assumptions
            if one.gpu and one.gpu != CPU:
                said += read_card(one.gpu)[1]
        if self.mixed and self.card is not None:
            said.append(f"Cards of several kinds: reckoned as {self.cards} × {self.card.name}, the slowest of them.")
        if self.request.engine in ESTIMATED_AS:
            said.append(f"{self.request.engine} is reckoned as {self.engine}.")
        if self.weight_format and not self.request.weight_format:
            why = " The published weights exceed the cards." if self._narrowed == self.weight_format else ""
            if self.also_likely:
                why += f" {', '.join(self.also_likely)} is as likely: ranges reach from the one to the other."
            said.append(f"weight_format not stated: {self.weight_format}.{why}")
        return said


def shares_memory(card: Gpu) -> bool:
    """Whether the card's memory is the host's: nothing can be moved from the one to the other."""
    return card.market in SHARING


def network_told(setup: Setup) -> bool:
    """Whether several cards were said to be joined by a network, or by something as slow as one."""
    link = setup.request.link
    if link is None or setup.cards < 2:
        return False
    return link.kind not in OF_A_MACHINE or bool(link.bytes_per_s and link.bytes_per_s < SLOWEST_LANE)


def link_ratio(link: Link | None, card: Gpu | None) -> float:
    """Bandwidth of the PCI Express that was told over sixteen lanes of the card's own generation.

    lanes / 16 · 2^(generation - the card's); 1 for other links, which are the card's own or a network.
    """
    if link is None or card is None or link.kind not in ("pcie", "thunderbolt"):
        return 1.0
    whole = pcie_bytes_per_s(card)
    if link.bytes_per_s and whole:
        return min(link.bytes_per_s / (whole / 2), 1.0)
    own = int((card.pcie or "4").split(".")[0])
    return (link.lanes or 16) / 16 * 2.0 ** (min(link.generation or own, own) - own)


def bare(request: ObservationRequest, fields: dict[str, Any]) -> ObservationRequest:
    """The set-up alone, with `fields` from a command line; a field that was stated itself is kept."""
    new = {name: value for name, value in fields.items() if name not in request.model_fields_set}
    empty = {"seen": Seen(), "expected_by_person": Seen(), "error_text": None, "flags": None, "symptom": None}
    return request.model_copy(update=new | empty)
