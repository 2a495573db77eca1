"""Whether cards may be sold into a country: the rule and its date, and what may be had instead."""

from assistant.compose import clarify, facts, names
from assistant.compose.aspects import BY_KEY, USUAL
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import availability as planned
from assistant.plan import requests
from assistant.understand.asking import asks_sale
from assistant.understand.text import Text
from kb.catalog import gpus, sources
from kb.market.exports import ExportRule, export_rules, restriction, rules_held


def availability(material: Material) -> Section | None:
    """For each card whether it is sold there; the nearest that are, where one is not."""
    if not planned.asked(material.understanding):
        return None
    where = planned.country(material.need)
    named = requests.named_gpus(material.need)[: planned.CARDS_MAX]
    headline = material.say("list.sentence").join(_told(material, card, where) for card in named)
    rows = facts.cards(material)
    others = [row for row in rows if row.id not in named]
    section = Section("fact", headline, settled=True)
    if others and rules_held(where):
        listed = material.say.listed([names.gpu_name(row.id) for row in others])
        section.body.append(material.say("sale.instead", cards=listed, country=_country(material, where)))
        section.body.append(facts.facts_table(material, rows, [BY_KEY[key] for key in USUAL]))
    newest = max(export_rules(), key=lambda rule: rule.since)
    section.caveats.append(material.say("sale.newest", date=newest.since) + _cite(material, newest))
    section.assumptions = clarify.ambiguous_names(material)
    return section


def lead(material: Material, main: Section) -> None:
    """Before what cards do for a model, whether they are sold there, where that is asked too, and what is instead."""
    named = [card for card in requests.named_gpus(material.need) if card in gpus()][: planned.CARDS_MAX]
    beside = requests.sized(material.need) and not material.understanding.command
    if not (named and beside and asks_sale(Text.of(material.understanding.text).plain)):
        return
    where = planned.country(material.need)
    main.body.insert(0, main.headline)
    main.headline = material.say("list.sentence").join(_told(material, card, where) for card in named)
    closed = next((card for card in named if restriction(card, where) is not None), None)
    if closed is not None:
        listed = material.say.listed([names.gpu_name(card) for card in planned.instead(closed, where)])
        main.body.insert(1, material.say("sale.instead", cards=listed, country=_country(material, where)))


def _told(material: Material, card: str, where: str) -> str:
    rule = restriction(card, where)
    values = {"card": names.gpu_name(card), "country": _country(material, where)}
    if rule is None:
        return material.say("sale.open" if rules_held(where) else "sale.unheld", **values)
    return material.say(f"sale.{rule.effect}", **values, since=rule.since) + _cite(material, rule)


def _country(material: Material, where: str) -> str:
    return material.say.get(f"country.{where}") or where


def _cite(material: Material, rule: ExportRule) -> str:
    found = [(key, sources()[key]) for key in rule.sources if key in sources()]
    return joined(
        material.cites.cite(
            "catalog", source.title, f"exports · {rule.rule}", f"{rule.effect} since {rule.since}", url=source.url,
            date=source.date,
        )
        for _, source in found
    )  # fmt: skip
