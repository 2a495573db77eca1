"""What a card is comparable to, figure by figure."""

from collections.abc import Iterator

from assistant.compose import clarify, compatibility, facts, makers, names
from assistant.compose.aspects import BY_KEY, COMPARED
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import alike as plan
from tools.gpu_row import GpuRow


def alike(material: Material) -> Section | None:
    """The nearest card by memory, bandwidth and arithmetic, and the figures of the nearest few."""
    rows = facts.cards(material)
    if len(rows) < 2:
        return None
    own, *others = rows
    if (pair := plan.replaced(material.understanding)) is not None:
        return _replaced(material, rows, *pair)
    if plan.domestic(material.understanding):
        return _domestic(material, rows)
    headline = material.say("alike.nearest", card=names.gpu_name(own.id), other=names.gpu_name(others[0].id))
    section = Section("fact", headline, [facts.facts_table(material, rows, [BY_KEY[key] for key in COMPARED])])
    section.settled, section.assumptions = True, clarify.ambiguous_names(material)
    section.caveats.append(material.say("alike.software"))
    return section


def _replaced(material: Material, rows: list[GpuRow], card: str, nearest: tuple[str, ...]) -> Section:
    """Which of the makers' cards comes nearest to the one it is to stand in for."""
    say, by_id = material.say, {row.id: row for row in rows}
    first, *rest = (names.gpu_name(key) for key in nearest)
    then = say("alike.then", others=say.listed(rest)) if rest else ""
    against = [
        say("alike.figure", what=say(f"aspect.{key}"), own=mine, other=theirs)
        for key in ("memory", "bandwidth", "bf16")
        if (mine := BY_KEY[key].value(by_id[nearest[0]])) and (theirs := BY_KEY[key].value(by_id[card]))
    ]
    told = {"card": names.gpu_name(card), "first": first, "then": then, "figures": say.listed(against)}
    headline = say("alike.replaced", **told)
    table = facts.facts_table(material, rows, [BY_KEY[key] for key in COMPARED])
    section = Section("fact", headline, [table, "\n".join(supported(material, list(nearest)))])
    section.settled, section.assumptions = True, clarify.ambiguous_names(material)
    section.caveats += [*makers.software(material, rows), say("alike.software")]
    return section


def _domestic(material: Material, rows: list[GpuRow]) -> Section:
    """The nearest cards of Chinese makers beside the one they are to stand in for, and what software means for each."""
    own, *others = rows
    say, told = material.say, [names.gpu_name(one.id) for one in others]
    headline = say("alike.domestic", card=names.gpu_name(own.id), others=say.listed(told))
    table = facts.facts_table(material, rows, [BY_KEY[key] for key in COMPARED])
    section = Section("fact", headline, [table, "\n".join(supported(material, [one.id for one in others]))])
    section.settled, section.assumptions = True, clarify.ambiguous_names(material)
    section.caveats += [say("alike.porting"), say("alike.software")]
    return section


def supported(material: Material, cards: list[str]) -> Iterator[str]:
    """For each card how the usual engine gets onto it, then of which of them nothing read says so."""
    found = [one for one in compatibility.findings(material) if one.gpu in cards]
    unread = [one for one in found if one.verdict == "unknown"]
    yield from ("- " + compatibility.line(material, one) for one in found if one not in unread)
    if unread:
        told = material.say.listed([names.gpu_name(str(one.gpu)) for one in unread])
        yield "- " + material.say("alike.unread", card=told, engine=unread[0].asked)


def documented(material: Material) -> set[str]:
    """The cards of which something that was read says how the usual engine gets onto them."""
    return {str(one.gpu) for one in compatibility.findings(material) if one.verdict in ("works", "works_with")}
