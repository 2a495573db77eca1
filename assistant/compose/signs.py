"""What the asker tells of how it went wrong, and the cause that goes with it, where no message proves another."""

from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.orders import headings
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from kb.oom import Sign, Work, compiled, oom_facts
from tools.oom.quantities import folded

FAILED = "oom"
"""Signs of memory that ran out belong to that question alone; the others tell why something is slow."""
OUTSIDE = "host_fills"
"""The sign that what the card holds is not what fails, whatever it holds."""
SPILLED = "spilled"
"""The sign that steps are slow by themselves, which says nothing where one card is set against several."""
IDLE = "idle"
SLOW = (IDLE, "on_cpu", SPILLED, "unpacking", "fp8_unpacked")


def work_of(material: Material) -> tuple[Work, ...]:
    """Kinds of work that the question is of."""
    kind, task = model_kind(material.need), material.need.task
    if kind in ("embedding", "reranker") or task == "embedding":
        return ("embedding",)
    if kind == "video":
        return ("clips",)
    if requests.is_training(material.need) or task == "vision":
        return ("training",)
    if kind == "diffusion" or task == "diffusion":
        return ("pictures",)
    return ("serving", "any")


def sign(material: Material) -> Sign | None:
    """The first sign that the question tells of; of slowness also where memory did not run out.

    A step of a language model over many accumulated batches may well take a quarter of a minute.
    """
    text, work = folded(material.text), set(work_of(material))
    failed = FAILED in material.intents
    spread = material.intents[0] == "interconnect" and not failed
    steps = model_kind(material.need) == "llm"
    return next(
        (
            one
            for one in oom_facts().signs
            if work & set(one.work)
            and (one.id in SLOW) is not failed
            and not ((spread or steps) and one.id == SPILLED)
            and compiled(one.pattern).search(text)
        ),
        None,
    )


def told(material: Material, one: Sign) -> str:
    """The cause that goes with the sign, and what to do about it."""
    source = oom_facts().sources[one.source]
    marker = material.cites.cite("catalog", source.title, one.id, one.quote, url=source.url, date=source.date)
    return material.say(f"sign.{one.id}") + joined([marker])


def led(material: Material, section: Section, *, proven: bool) -> Section:
    """The section with the sign first, or after a cause that is proven."""
    found = sign(material)
    if found is None:
        return section
    if proven and found.id != OUTSIDE:
        section.body.insert(0, told(material, found))
        return section
    unasked = material.say("oom.when_it_fits"), *headings(material.say)
    section.body = [section.headline, *(block for block in section.body if block and not block.startswith(unasked))]
    section.headline, section.settled = told(material, found), True
    return section


def slow(material: Material, section: Section) -> Section:
    """The section with what slows the work down, where the asker tells of a sign of that."""
    found = sign(material)
    if found is None or found.id not in SLOW or section.verdict == "clarification":
        return section
    if found.id != "on_cpu":
        section = led(material, section, proven=False)
        if found.id == IDLE:  # a card that waits for data is as slow whatever it could do
            section.body, section.assumptions, section.caveats = [], [], []
        return section
    if any(one.fits for one in material.estimates[:1]):
        section.body.insert(0, told(material, found))
    return section
