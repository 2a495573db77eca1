"""A first token wanted sooner than any card gives one: that comes first, with the least time that any takes."""

from assistant.compose import names, numbers
from assistant.compose.arithmetic import subject
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section


def lead(material: Material, main: Section) -> None:
    """Say so before everything else, in place of hardware that is said not to be found."""
    record = next(material.records("configure"), None)  # later ones look among fewer cards and formats
    if record is None or not record.result.get("least_first_s"):
        return
    say, result = material.say, record.result
    step, asked = result["derivation"][0], record.request.get("gpus_asked") or ()
    figure, unit = numbers.duration(result["least_first_s"])
    what = subject(material, material.estimates[0]) if material.estimates else say("shop.this")
    quote = f"{step['label']}: {step['formula']}; {step['inputs']}"
    cards = say.listed([names.gpu_name(one) for one in asked], conjunction="or")
    told = say(
        "too_soon.cards" if asked else "too_soon.told", what=what, cards=cards, least=f"{figure} {say(f'unit.{unit}')}"
    )
    told += joined([material.cites.cite("calculation", say("too_soon.cite"), "configure · least_first_s", quote)])
    if material.configurations or main.verdict != "does_not_fit":
        main.body.insert(0, say("too_soon.otherwise") + main.headline)
    main.headline = told
