"""What the names in a rule stand for, of one unit of a set-up."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb.artifacts.artifact import Artifact
from kb.artifacts.setups.formats import common
from kb.artifacts.setups.written import Given, Setup, Unit
from kb.base import AdvisorError
from kb.catalog import model as catalog_model
from kb.lexicon.models.rules import ModelName, read_model
from kb.records.model import Model
from tools.check_setup import predicates, seen
from tools.check_setup.expression import listed
from tools.check_setup.machine import Machine
from tools.check_setup.room import Room

BOXES = ("docker", "compose", "pod", "helm")
JOBS = ("slurm",)
LAUNCHERS = ("torchrun", "accelerate-launch", "deepspeed")
SPACES: Mapping[str, tuple[str, ...]] = {"box": BOXES, "job": JOBS, "step": ("srun", "mpirun"), "launcher": LAUNCHERS}
BESIDE = {"ds": "deepspeed-config", "accel": "accelerate-config", "launched": "accelerate-launch"}
_IMAGE = re.compile(r":(?:v|server-cuda-b)?(\d+\.\d+(?:\.\d+)?)")
_PIP = re.compile(r"(vllm|sglang|deepspeed|transformers|torch)\s*==\s*(\d+(?:\.\d+)+)")


@dataclass
class View:
    """One unit, what starts it, what lies beside it, and the machine."""

    setup: Setup
    unit: Unit
    machine: Machine
    others: Sequence[Unit] = ()
    """All units of the text and of the files beside it."""
    stated_model: str | None = None
    shape: Model | None = None
    """The model that a config.json beside it describes."""
    table: Artifact | None = None
    """Of a machine as it stands: what was printed."""
    logged: Mapping[str, Any] = field(default_factory=dict)
    """What logs beside it state."""
    kept: dict[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """Of a name, worked out once."""
        if name not in self.kept:
            self.kept[name] = None  # a name that rests on itself is not stated
            self.kept[name] = self._value(name)
        return self.kept[name]

    def _value(self, name: str) -> Any:
        space, dot, rest = name.partition(".")
        if dot:
            return self._spaced(space, rest)
        one = self.given(name)
        if one is not None:
            return one.value
        derived = getattr(self, f"_{name}", None)
        if derived is not None and name in DERIVED:
            return derived()
        if name in seen.SHOWN:
            return seen.SHOWN[name](self.table)
        predicate = predicates.NAMED.get(name)
        return predicate(self) if predicate else None

    def given(self, name: str) -> Given | None:
        """The setting of a name, by the program's own or the rules' common one."""
        space, dot, rest = name.partition(".")
        if dot:
            unit = self._unit_of(space)
            if space == "env":
                return next((one.env[rest] for one in self.unit.chain() if rest in one.env), None)
            return unit.given.get(rest) if unit else None
        for native in common().get(name, {}).get(self.unit.program, (name,)):
            if native.startswith("@"):
                index = int(native[1:])
                if index < len(self.unit.words):
                    return self.unit.words[index]
            elif native in self.unit.given:
                return self.unit.given[native]
        return None

    def native(self, name: str) -> str:
        """What the program calls a name: as written, else the first of its names."""
        known = common().get(name, {}).get(self.unit.program, (name,))
        return next((one for one in known if one in self.unit.given), known[0])

    def _unit_of(self, space: str) -> Unit | None:
        if space in SPACES:
            wanted = SPACES[space]
            return next((one for one in self.unit.chain() if one.program in wanted), None)
        if space in BESIDE:
            return next((one for one in self.others if one.program == BESIDE[space]), None)
        return None

    def _spaced(self, space: str, rest: str) -> Any:
        if space == "machine":
            return self.machine.value(rest)
        if space == "model":
            return self._of_model(rest)
        if space == "seen":
            return self.logged.get(rest)
        if space == "room":
            return self.room.value(rest)
        if space in SPACES and rest == "there":
            return self._unit_of(space) is not None
        one = self.given(f"{space}.{rest}")
        return one.value if one else None

    @property
    def room(self) -> Room:
        """What the memory solvers say of it."""
        if "__room" not in self.kept:
            self.kept["__room"] = Room(self)
        found: Room = self.kept["__room"]
        return found

    @property
    def named(self) -> ModelName | None:
        """The model that the unit names, where the catalog knows it."""
        if "__named" not in self.kept:
            written = self.given("model_name")
            text = self.stated_model or (str(written.value) if written else "")
            self.kept["__named"] = _named(text)
        found: ModelName | None = self.kept["__named"]
        return found

    @property
    def model(self) -> Model | None:
        """Its record."""
        return self.shape or (catalog_model(self.named.model) if self.named else None)

    def _of_model(self, name: str) -> Any:
        model = self.model
        if name == "text":
            one = self.given("model_name")
            return str(one.value) if one else self.stated_model
        if name == "format":
            return self.named.weight_format or (model.native_format if model else None) if self.named else None
        if name == "said_format":
            return self.named.said_format if self.named else None
        if model is None:
            return None
        if name in {"experts", "experts_per_token", "expert_width"}:
            field_name = {"expert_width": "expert_intermediate_size"}.get(name, name)
            return getattr(model.experts, field_name) if model.experts else None
        if name == "latent":
            return model.latent is not None
        if name == "kv":
            return 1 if model.latent is not None else model.kv_heads
        return getattr(model, name, None)

    # What follows from several settings. ------------------------------------------------------------------

    def _program(self) -> str:
        return self.unit.program

    def _release(self) -> str | None:
        """The release that an image's tag or a pin in the text names."""
        box = next((one for one in self.unit.chain() if "image" in one.given), None)
        found = _IMAGE.search(str(box.given["image"].value)) if box else None
        if found:
            return found[1]
        pins = dict(_PIP.findall(self.setup.text))
        return pins.get(self.unit.program)

    def _visible(self) -> int | None:
        """Cards that the environment shows the program."""
        for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"):
            one = self.given(f"env.{name}")
            if one is not None and re.fullmatch(r"[\d,\s]+", str(one.value)):
                return len(listed(one.value))
        return None

    def _boxed(self) -> int | None:
        """Cards that the container or the job gives it."""
        box = self._unit_of("box")
        if box is not None:
            one = box.given.get("gpus")
            if one is not None:
                return _card_count(one.value)
        job = self._unit_of("job")
        for unit in (self._unit_of("step"), job):
            if unit is None:
                continue
            for key in ("gres", "gpus_per_node", "gpus_per_task", "gpus"):
                one = unit.given.get(key)
                found = re.search(r"(\d+)\s*(?:\(|$)", str(one.value)) if one else None
                if found and key != "gpus_per_task":
                    return int(found[1]) // (self._machines() or 1 if key == "gpus" else 1)
        return None

    def _cards(self) -> int | None:
        """Cards of one machine that the program can use."""
        known = [one for one in (self._visible(), self._boxed(), self.machine.count) if one is not None]
        return min(known) if known else None

    def _machines(self) -> int | None:
        """Machines it runs on."""
        launcher = self._unit_of("launcher")
        for unit in (launcher, self._unit_of("step"), self._unit_of("job")):
            for key in ("nnodes", "num_nodes", "num_machines", "nodes"):
                one = unit.given.get(key) if unit else None
                if one is not None and isinstance(one.value, int):
                    return one.value
        own = self.unit.given.get("nnodes") or self.unit.given.get("num_machines") or self.unit.given.get("num_nodes")
        return own.value if own and isinstance(own.value, int) else self.machine.nodes

    def _ranks(self) -> int | None:
        """Processes of a training over all machines."""
        for unit in (self.unit, self._unit_of("launcher"), self._unit_of("accel")):
            if unit is None:
                continue
            if (one := unit.given.get("num_processes")) is not None and isinstance(one.value, int):
                return one.value
            per = unit.given.get("nproc_per_node") or unit.given.get("num_gpus")
            if per is not None and isinstance(per.value, int):
                return per.value * (self._machines() or 1)
            if unit.program == "torchrun" and per is None:
                return self._machines() or 1
        nodes = self.machine.nodes or self._machines() or 1
        cards = self._cards()
        return cards * nodes if cards else None

    def _per_machine(self) -> int | None:
        """Processes that a launcher starts on one machine."""
        for unit in (self.unit, self._unit_of("launcher")):
            if unit is not None:
                per = unit.given.get("nproc_per_node") or unit.given.get("num_gpus")
                if per is not None and isinstance(per.value, int):
                    return per.value
                total = unit.given.get("num_processes")
                if total is not None and isinstance(total.value, int):
                    return total.value // max(self._machines() or 1, 1)
        return None

    def _world(self) -> int | None:
        """Cards that a server's own layout takes: tensor · pipeline · data; where a layout is written at all."""
        tp, pp, dp = (self.value(one) for one in ("tp", "pp", "dp"))
        if not any(isinstance(one, int) for one in (tp, pp, dp)):
            return None
        if any(one is not None and not isinstance(one, int) for one in (tp, pp, dp)):
            return None
        copies = 1 if self.unit.program == "sglang" and self.value("enable_dp_attention") else (dp or 1)
        return int((tp or 1) * (pp or 1) * copies)

    def _unknown_option(self) -> str | None:
        return self.unit.unknown[0].name if self.unit.unknown else None


DERIVED = {"program", "release", "visible", "boxed", "cards", "machines", "ranks", "per_machine", "world",
           "unknown_option"}  # fmt: skip


def _card_count(value: object) -> int | None:
    """Cards of `--gpus 2`, `--gpus '"device=0,1"'`, or of a limit; None for all."""
    text = str(value).strip("'\" ")
    if "device=" in text:
        return len(listed(text.split("device=", 1)[1].split(";")[0].strip("\"'")))
    return int(text) if text.isdigit() else None


_PARTS = re.compile(r"[a-z]+|\d+(?:\.\d+)*")
_SAYS_NOTHING = {
    "instruct", "chat", "it", "base", "hf", "awq", "gptq", "gguf", "int", "fp", "bf", "nf", "nvfp", "mxfp", "w", "a",
    "b",
    "q", "k", "m", "s", "l", "xl", "xs", "iq", "ud", "bnb", "bit", "dynamic", "quantized", "thinking", "meta",
    "unsloth",
    "g", "mlx", "exl", "v", "marlin", "safetensors", "model", "models", "f", "tp", "preview", "compressed", "channel",
}  # fmt: skip
"""Parts of a name that tell no other model: kinds of training and of quantisation."""


def _named(text: str) -> ModelName | None:
    """The catalog's model of a name; None where the name says more than the catalog's does, and so may mean another."""
    if not text or "$" in text or text in {"True", "."}:
        return None
    tail = text.rstrip("/").split("/")
    for written in (text, "/".join(tail[-2:]), tail[-1].removesuffix(".gguf")):
        try:
            found = read_model(written)
        except AdvisorError:
            continue
        return found if _says_it_all(tail[-1], found.model) else None
    return None


def _says_it_all(written: str, model: str) -> bool:
    """Whether nothing in a name tells another model than the catalog's: "OLMo-hybrid-7B" is not OLMo 7B."""
    record = catalog_model(model)
    known = set(_PARTS.findall(f"{record.id} {record.name} {record.family} {record.chat_id or ''}".lower()))
    rest = [part for part in _PARTS.findall(written.lower()) if part not in known and part not in _SAYS_NOTHING]
    return all(part[0].isdigit() for part in rest)
