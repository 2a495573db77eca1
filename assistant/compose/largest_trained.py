"""The largest models other than of language that a card trains, for each way to train them."""

from assistant.compose import names, numbers
from assistant.compose.arithmetic import cite, total
from assistant.compose.assume import assumed
from assistant.compose.clarify import ambiguous_names
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import largest_trained as planned
from assistant.plan import requests
from kb.catalog import gpu


def largest_trained(material: Material) -> Section | None:
    """The largest of each way in a sentence, the next ones in a table; None where nothing was worked out."""
    one, text, say = planned.card(material.need), material.understanding.text, material.say
    if one is None:
        return None
    card = names.cards(one.gpu, 1)
    usable = numbers.gib(gpu(one.gpu).usable_bytes, digits=1)
    rows, first = [], []
    for kind in planned.kinds(text):
        of_kind = [est for est in material.estimates if est.request.get("model") in kind.models]
        for method in kind.methods:
            found = [est for est in of_kind if est.task == method]
            if not found:
                continue
            best = found[0]
            key = "best" if len(kind.methods) > 1 else "plain"
            told = say(f"trained_most.{key}", way=_way(material, method, kind), model=_name(best), total=total(best))
            first.append(told + cite(material, best))
            rows += [[_way(material, method, kind), _name(est), total(est), _verdict(material, est)] for est in found]
    if not first:
        kinds = say.listed([say(f"trained_most.{kind.name}") for kind in planned.kinds(text)])
        return Section("does_not_fit", say("trained_most.none", card=card, usable=usable, kinds=kinds), settled=True)
    headline = say("trained_most.headline", card=card, usable=usable, found=say.listed(first))
    head = [say("trained_most.way"), say("trained_most.model"), say("table.gib", column=say("table.per_gpu")),
            say("table.fits")]  # fmt: skip
    section = Section("estimate", headline, [table(head, rows)], settled=True)
    section.assumptions = _assumed(material)
    if not requests.cards(material.need):
        section.assumptions.append(say("trained_most.stand_in", card=names.gpu_name(one.gpu)))
    section.assumptions += [line for line in ambiguous_names(material) if line not in section.assumptions]
    if any(kind.name == "vlm" for kind in planned.kinds(text)):
        section.levers = [say("trained_most.larger")]
    return section


def _assumed(material: Material) -> list[str]:
    """What was taken for the first of each kind, without the lines on formats."""
    found: list[str] = [material.say("trained_most.taken")]
    found += [line for line in assumed(material, material.estimates[0]) if "LoRA" in line]
    return found


def _way(material: Material, method: str, kind: planned.Kind) -> str:
    """ "QLoRA", "full training"; with the kind where two are told."""
    way = names.task_name(method, material.say, model_id=kind.models[0])
    if len(planned.kinds(material.understanding.text)) == 1:
        return way
    return material.say("trained_most.of_kind", way=way, kind=material.say(f"trained_most.{kind.name}"))


def _name(est: Estimate) -> str:
    return names.model_name(str(est.request["model"]))


def _verdict(material: Material, est: Estimate) -> str:
    return material.say(f"mark.{est.placed.verdict}")
