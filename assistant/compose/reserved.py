"""Why more memory is shown as used than the model takes: what is reserved, what is needed, how to take less."""

import re

from assistant.compose import fit, names, numbers
from assistant.compose.arithmetic import arithmetic, cite, interval, total, workload
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.plan import reserved as planned
from kb.units import GIB

_OTHER = "LMDeploy"
_OF_OTHER = re.compile(r"lmdeploy|turbomind", re.I)
"""A server without a memory model of its own, which reserves as the others do."""


def reserved(material: Material) -> Section | None:
    """The cause first, what the model takes by itself, then the settings that make the reservation smaller."""
    if not material.estimates:
        return None
    say, main = material.say, material.estimates[0]
    wide = next((one for one in material.estimates[1:] if one.result.weight_format == "fp32"), None)
    section = Section("diagnosis", "", settled=True)
    if wide is not None:
        section.headline = say("reserved.wide", shown=_shown(material), total=total(wide)) + cite(material, wide)
        section.levers = [say("reserved.half", total=total(main))]
        section.body = [arithmetic(material, [main, wide])]
    else:
        engine = _OTHER if _OF_OTHER.search(material.text) else names.engine_name(main.result.engine)
        section.headline = _cause(material, main, engine)
        shares = say("reserved.shares", weights=numbers.gib(main.part("weights"), digits=1)) if main.gpus > 1 else ""
        section.body = [shares, arithmetic(material, [main])]
        section.levers = [say("reserved.share"), say("reserved.limits"), say("reserved.room")]
    if planned.asks_fit(material.text) and (main.fit or any(material.results("what_fits"))):
        section.body.insert(0, fit.can_it_run(material).headline)
    section.caveats = [line for line in caveats(material, main) if "nvidia-smi" not in line]
    section.assumptions = assumed(material, main)
    return section


def _cause(material: Material, main: Estimate, engine: str) -> str:
    """That it is the engine's share of the card; where what is shown is no more than the need, just the need."""
    shown = planned.shown_gb(material.text)
    per_gpu = main.result.per_gpu
    less = shown is not None and shown * GIB <= per_gpu.high_bytes
    key = "needed" if less else "cause"
    return material.say(
        f"reserved.{key}", engine=engine, what=workload(material, main), total=total(main), interval=interval(main)
    ) + cite(material, main)


def _shown(material: Material) -> str:
    return f"{planned.shown_gb(material.text):g}"
