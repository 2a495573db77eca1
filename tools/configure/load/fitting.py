"""What every GPU holds in every layout: memory once a layout and class of card, compared with each card's own."""

from collections.abc import Iterator
from dataclasses import dataclass

from kb.base import BadInput, UnsupportedAttention
from kb.records.gpu import Gpu
from tools.configure.load.cut import Cut, Cuts, Floor, cuts_of
from tools.configure.load.layout import Layout, layouts
from tools.configure.load.served import Form, ServedCuts
from tools.configure.load.workload import Variant, Workload
from tools.configure.market.suitable import scales_out
from tools.memory.fit import verdict_of
from tools.memory.result import Verdict
from tools.memory.workload import NODE, is_large, over_pcie

FLOATS = {"fp8": "fp8_flops", "nvfp4": "fp4_flops"}
"""Weight format → the rate a card must have to compute in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A variant laid out, with what its fullest GPU holds."""

    variant: Variant
    layout: Layout
    cut: Cut

    @property
    def total_bytes(self) -> int:
        """The estimate."""
        return self.cut.total_bytes

    @property
    def high_bytes(self) -> int:
        """Upper end of its interval."""
        return self.cut.high_bytes

    @property
    def weight_format(self) -> str:
        """The format the estimate used."""
        return self.cut.weight_format

    @property
    def engine(self) -> str:
        """The engine it was estimated for."""
        return self.cut.engine

    @property
    def form(self) -> Form | None:
        """What is served, where the solver of ways weighs it."""
        return self.variant.form

    def verdict(self, gpu: Gpu) -> Verdict:
        """yes: the upper end of the interval fits the card; tight: only the estimate does; no: neither."""
        return verdict_of(self.cut.total_bytes, self.cut.high_bytes, gpu.usable_bytes)


class Table:
    """Every variant in every layout of as many GPUs as somebody asks about, each worked out once."""

    def __init__(self, load: Workload) -> None:
        self.load = load
        self._cuts: dict[int, Cuts | ServedCuts] = {id(variant): _cuts_of(load, variant) for variant in load.variants}
        self._arranged: dict[tuple[int, int, int, bool], tuple[tuple[Layout, float], ...]] = {}
        self._layouts: dict[tuple[int, int], tuple[Layout, ...]] = {}
        self._held: dict[tuple[int, bool, bool, int], tuple[Layout, Held | None]] = {}
        self.examined = 0

    def fitting(self, gpu: Gpu, count: int, machine: int, variant: Variant) -> tuple[Held, ...]:
        """Layouts of a variant over `count` of this card, in machines of `machine`, whose estimate fits.

        What must be held whatever the engine adds rules most layouts of too few cards out without an estimate.
        """
        usable, large = gpu.usable_bytes, is_large(gpu)
        found = []
        for layout, least in self.arranged(count, machine, variant, linked=scales_out(gpu)):
            if least <= usable:
                boards = over_pcie(gpu, min(layout.tensor_parallel, machine))
                held = self.held(variant, layout, large=large, boards=boards)
                if held is not None and held.cut.total_bytes <= usable and not self._needless(gpu, variant, layout):
                    found.append(held)
        return tuple(found)

    def _needless(self, gpu: Gpu, variant: Variant, layout: Layout) -> bool:
        """Whether a single sequence is surely held by a shorter pipeline: cards that take turns do it no faster."""
        served, stages = self.load.serving, layout.pipeline_parallel
        if served is None or served.load.sequences > 1 or stages == 1 or variant.file:
            return False
        shorter = Layout(layout.tensor_parallel * (stages - 1), layout.tensor_parallel, stages - 1)
        cut = self._cuts[id(variant)].cut(
            shorter, large=is_large(gpu), boards=over_pcie(gpu, min(layout.tensor_parallel, NODE))
        )
        return cut.high_bytes <= gpu.usable_bytes

    def floor(self, variant: Variant) -> Floor:
        """What every layout of a variant holds at least, whatever the engine adds."""
        return self._cuts[id(variant)].floor

    def arranged(self, count: int, machine: int, variant: Variant, *, linked: bool) -> tuple[tuple[Layout, float], ...]:
        """Layouts that work in machines of `machine` cards, each with the least its fullest GPU can hold."""
        linked = linked and not variant.file  # llama.cpp deals layers out whatever joins the cards
        key = (count, machine, id(variant), linked)
        if key not in self._arranged:
            cuts = self._cuts[id(variant)]
            training = self.load.training and not self.load.one_gpu  # of these every card runs an experiment of its own
            self._arranged[key] = tuple(
                (layout, cuts.least(layout))
                for layout in self._laid_out(count, variant)
                if arrangeable(layout, machine, linked=linked, training=training)
                and (not variant.file or layout.gpus <= machine)  # llama.cpp deals layers out within a machine
            )
        return self._arranged[key]

    def held(self, variant: Variant, layout: Layout, *, large: bool, boards: bool = False) -> Held | None:
        """One layout's estimate; null where no engine runs it.

        `large` cards make vLLM reserve for more sequences, `boards` over PCIe for fewer buffers of their peers.
        """
        serves = not self.load.training
        boards = boards and serves and layout.tensor_parallel > 1
        key = (id(variant), large and serves, boards, id(layout))  # a layout stays the same object
        known = self._held.get(key)
        if known is None:
            known = self._held[key] = layout, self._estimated(variant, layout, large=key[1], boards=boards)
        return known[1]

    def rows(self, count: int, variant: Variant, gpu: Gpu | None = None) -> Iterator[Held]:
        """What one GPU holds in each layout over `count`, whatever the machine."""
        large = gpu is not None and is_large(gpu)
        for layout in self._laid_out(count, variant):
            boards = gpu is not None and over_pcie(gpu, min(layout.tensor_parallel, NODE))
            held = self.held(variant, layout, large=large, boards=boards)
            if held is not None:
                yield held

    def format_of(self, variant: Variant) -> str | None:
        """The weight format of a variant; null for a model no formula covers."""
        return next((held.weight_format for held in self.rows(1, variant)), None)

    def _laid_out(self, count: int, variant: Variant) -> tuple[Layout, ...]:
        key = (count, id(variant))
        if key not in self._layouts:
            cuts = self._cuts[id(variant)]
            self._layouts[key] = (
                cuts.layouts(count) if isinstance(cuts, ServedCuts) else layouts(variant.request, count)
            )
            self.examined += len(self._layouts[key])
        return self._layouts[key]

    def _estimated(self, variant: Variant, layout: Layout, *, large: bool, boards: bool) -> Held | None:
        try:
            return Held(variant, layout, self._cuts[id(variant)].cut(layout, large=large, boards=boards))
        except UnsupportedAttention:
            return None
        except BadInput:
            if layout.gpus == 1:
                raise  # not the layout's fault: the request itself is nonsense
            return None


def _cuts_of(load: Workload, variant: Variant) -> Cuts | ServedCuts:
    if load.serving is not None and variant.form is not None:
        return load.serving.cuts(variant.form)
    return cuts_of(variant.request)


def runs(gpu: Gpu, weight_format: str) -> bool:
    """Whether the card computes in the format (weight-only 4- and 8-bit integers run anywhere)."""
    if weight_format in FLOATS:
        return getattr(gpu, FLOATS[weight_format]) is not None
    if weight_format == "bf16":
        return gpu.bf16_flops is not None or gpu.fp16_flops is not None
    return True


def arrangeable(layout: Layout, machine: int, *, linked: bool, training: bool) -> bool:
    """Whether the layout works in machines of `machine` cards.

    Inside one machine anything does, but that linked cards share layers (tensor parallel) rather than take turns.
    Over several: whole machines, and what exchanges data all the time (training
    ranks, stages of a copy) only between machines whose cards are linked inside; separate copies anywhere.
    """
    if linked and not training and layout.pipeline_parallel > 1 and layout.copy <= machine:
        return False
    if layout.expert_parallel > 1 and not training and not linked:
        return False  # every token goes to experts on other cards and back
    if layout.gpus <= machine:
        return True
    if layout.gpus % machine:
        return False
    if layout.tensor_parallel > machine or machine % layout.tensor_parallel:
        return False
    apart = layout.group <= machine and machine % layout.group == 0 and not training
    return apart or (linked and machine >= 4)


def nearest_miss(table: Table, gpu: Gpu, count: int) -> Held | None:
    """What comes closest to fitting `count` of this card."""
    rows = [
        held
        for variant in table.load.offered(gpu)
        for held in table.rows(count, variant, gpu)
        if variant.form is not None or runs(gpu, held.weight_format)
    ]
    return min(rows, key=lambda held: held.total_bytes, default=None)
