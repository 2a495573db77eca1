"""Whether so many cards hold an amount of memory that was said, and how many do."""

from assistant.answer import AnswerVerdict
from assistant.compose import clarify, facts, names
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import claimed_room as planned
from kb.units import GIB
from tools.gpu_row import GpuRow


def claimed_room(material: Material) -> Section | None:
    """The sum of what the cards have for use against the amount; how many it takes, where that is less or not said."""
    found = next(material.results("find_gpus"), None)
    card, amount = planned.card_of(material.need), planned.stated_bytes(material.understanding.text)
    if not found or not found["gpus"] or card is None or amount is None:
        return None
    one, say = GpuRow.model_validate(found["gpus"][0]), material.say
    usable, count = one.usable_bytes, card.count or one.together_count or 1
    least, most = amount
    room = count * usable
    verdict: AnswerVerdict = "does_not_fit" if room < least else "fits_with_changes" if room < most else "fits"
    key = "takes" if not card.count else {"does_not_fit": "no", "fits": "yes"}.get(verdict, "barely")
    each = round(usable / GIB, 1)
    cards = names.cards(card.gpu, count)
    total = f"{count} × {each:,.1f} GiB = {count * each:,.1f} GiB" if count > 1 else f"{each:,.1f} GiB"
    sums = material.cites.cite("calculation", cards, f"find_gpus · {card.gpu}", f"{cards}: {total}")
    headline = say(
        f"claimed_room.{key}", cards=cards, said=planned.words(material.understanding.text), room=total
    ) + joined([facts.cite_card(material, one, [BY_KEY["memory"]]), sums])
    section = Section("recommendation" if key == "takes" else verdict, headline, settled=True)
    enough = one.together_count or 0
    if key in ("no", "barely") and enough > count:
        section.body.append(say("claimed_room.enough", cards=names.cards(card.gpu, enough)))
    section.body.append(say("claimed_room.counted"))
    section.caveats.append(say("claimed_room.split"))
    section.assumptions = clarify.ambiguous_names(material)
    section.questions = [say("ask.claimed_model")]
    return section
