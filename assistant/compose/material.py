"""What there is to compose from: the reading, the wording, and the tool results as typed records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose.before import Before
from assistant.compose.citations import Citations
from assistant.phrases import Phrases, phrases
from assistant.plan import requests
from assistant.plan.growing import of_today
from assistant.plan.intents import intents
from assistant.plan.preferred import preferred
from assistant.plan.provisional import provisional
from assistant.understanding import Understanding
from kb.records.passage import Passage
from kb.records.source import Source
from kb.units import GIB
from tools.configuration import Configuration
from tools.memory.result import Fit, MemoryEstimate, MinimumGpus, PartName
from tools.need import Intent, Need


@dataclass(frozen=True)
class Estimate:
    """A memory estimate together with what was asked of the calculator."""

    request: dict[str, Any]
    result: MemoryEstimate

    @property
    def task(self) -> str:
        """inference, lora …"""
        return self.result.task

    @property
    def gpu(self) -> str | None:
        """The card it was fitted on."""
        return self.result.fit.gpu if self.result.fit else None

    @property
    def gpus(self) -> int:
        """Cards it is spread over."""
        return self.result.gpus

    @property
    def fit(self) -> Fit | None:
        """How it fits, when a card was given."""
        return self.result.fit

    @property
    def fits(self) -> bool:
        """Whether it fits at all, be it tightly."""
        return self.fit is not None and self.fit.verdict != "no"

    @property
    def placed(self) -> Fit:
        """How it fits its card.

        Raises:
            LookupError: no card was given; ask `fit` first.
        """
        if self.fit is None:
            raise LookupError("this estimate was made without a card")
        return self.fit

    def part(self, *names: PartName) -> int:
        """Bytes of some parts on one GPU, together."""
        return sum(part.bytes for part in self.result.per_gpu.parts if part.name in names)

    def minimum(self, gpu: str) -> MinimumGpus | None:
        """Fewest cards of `gpu` that hold it, when that was worked out."""
        return next((row for row in self.result.minimum_gpus if row.gpu == gpu), None)


def _is_of(one: Estimate, configuration: Configuration) -> bool:
    """Whether it is the memory of this configuration."""
    requested, used = one.request.get("weight_format"), one.result.weight_format
    same_format = configuration.weight_format in {None, requested, used}
    return one.request.get("gpu") == configuration.gpu and (one.task != "inference" or same_format)


@dataclass(frozen=True)
class Material:
    """Everything a renderer may draw on; it never computes a number of its own."""

    understanding: Understanding
    calls: Sequence[ToolCallRecord]
    cites: Citations = field(default_factory=Citations)
    before: Before = field(default_factory=Before)
    """What the answer before told; nothing reads it from the Need."""

    @cached_property
    def need(self) -> Need:
        """The Need, with ambiguous names provisionally settled, and the model that was taken for a purpose."""
        need = provisional(self.understanding)
        return need.model_copy(update={"model": self.stand_in}) if self.stand_in else need

    @cached_property
    def stand_in(self) -> str | None:
        """The model that the configurator took for the purpose, where none was named."""
        need = self.understanding.need
        if need.purpose is None or requests.sized(need):
            return None
        return next((result["model"] for result in self.results("configure") if result["configurations"]), None)

    @cached_property
    def say(self) -> Phrases:
        """The wording in the asker's language."""
        return phrases(self.understanding.language)

    @cached_property
    def intents(self) -> list[Intent]:
        """What is asked, main question first."""
        return intents(self.understanding)

    @property
    def text(self) -> str:
        """The asker's own words, lower case."""
        return self.understanding.text.lower()

    def results(self, tool: str) -> Iterator[dict[str, Any]]:
        """The results of `tool` that are no errors."""
        return (call.result for call in self.calls if call.tool == tool and "error" not in call.result)

    def records(self, tool: str) -> Iterator[ToolCallRecord]:
        """The calls of `tool` that succeeded."""
        return (call for call in self.calls if call.tool == tool and "error" not in call.result)

    def errors(self, tool: str | None = None) -> Iterator[dict[str, Any]]:
        """What tools refused, as data."""
        for call in self.calls:
            if "error" in call.result and tool in {None, call.tool}:
                yield call.result["error"]

    @cached_property
    def estimates(self) -> list[Estimate]:
        """The memory estimates, in the order they were asked for."""
        found = [
            Estimate(call.request, MemoryEstimate.model_validate(call.result))
            for call in self.records("estimate_memory")
        ]
        return [one if one.fit else self._on_nameless(one) for one in found]

    def _on_nameless(self, one: Estimate) -> Estimate:
        """The estimate held against a card known only by its memory, when the question has one."""
        if self.need.memory_bytes_per_gpu is None or self.understanding.need.gpus_owned or self.need.gpus_asked:
            return one
        for result in self.results("what_fits"):
            usable, per_gpu = result["usable_bytes_per_gpu"], one.result.per_gpu
            verdict = "yes" if per_gpu.high_bytes <= usable else "tight" if per_gpu.total_bytes <= usable else "no"
            name = self.say("capacity.card", size=f"{self.need.memory_bytes_per_gpu / GIB:g}")
            fit = Fit.model_validate(
                {
                    "gpu": name,
                    "usable_bytes": usable,
                    "verdict": verdict,
                    "headroom_bytes": usable - per_gpu.total_bytes,
                }
            )
            return replace(one, result=one.result.model_copy(update={"fit": fit}))
        return one

    @cached_property
    def configurations(self) -> list[Configuration]:
        """The configurations that answer the question, best first, each once."""
        return preferred(self.found, self.text, self.need)

    @cached_property
    def found(self) -> list[Configuration]:
        """All configurations that were found for the first way of working that any were found for, each once."""
        found: list[Configuration] = []
        records = [record for record in self.records("configure") if not of_today(self.understanding, record)]
        first = next((record for record in records if record.result["configurations"]), None)
        for record in records:
            if first is None or record.request.get("task") != first.request.get("task"):
                continue
            for row in record.result["configurations"]:
                configuration = Configuration.model_validate(row)
                if configuration not in found:
                    found.append(configuration)
        return found

    @cached_property
    def found_today(self) -> list[Configuration]:
        """What was found for the load there is now, where a larger one is to come."""
        records = (record for record in self.records("configure") if of_today(self.understanding, record))
        return [Configuration.model_validate(row) for record in records for row in record.result["configurations"]]

    @cached_property
    def recommended(self) -> Estimate | None:
        """The memory of the configuration recommended first, when it was worked out as it is laid out."""
        best = next(iter(self.configurations), None)
        if best is None:
            return None
        return next((one for one in self.estimates if one.gpus == best.gpu_count and _is_of(one, best)), None)

    @cached_property
    def lighter_task(self) -> str | None:
        """The lighter way to fine-tune that hardware was found for, when there was none for the way asked about."""
        records = list(self.records("configure"))
        found = next((record for record in records if record.result["configurations"]), None)
        if found is None or not records or found.request.get("task") == records[0].request.get("task"):
            return None
        return found.request.get("task")

    @cached_property
    def passages(self) -> list[Passage]:
        """What the documents say, closest first."""
        return [Passage.model_validate(row) for result in self.results("search_guidance") for row in result["passages"]]

    @cached_property
    def sources(self) -> dict[str, Source]:
        """Every source a result names, by id."""
        return {
            row["id"]: Source.model_validate(row)
            for call in self.calls
            if "error" not in call.result
            for row in call.result.get("sources") or ()
        }
