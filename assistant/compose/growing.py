"""What today's load takes, beside hardware that is sized for the load to come."""

from assistant.compose import names, numbers, orders
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import growing as planned
from assistant.plan.preferred import preferred
from tools.configuration import Configuration


def lead(material: Material, main: Section) -> None:
    """Say for which load the answer is, and what is enough until then."""
    small = planned.today(material.understanding, material.need)
    found = preferred(material.found_today, material.text, material.need) if small else []
    if not small or not found:
        return
    need, say = material.need, material.say
    best = next((one for one in material.configurations if one.acquisition == found[0].acquisition), None)
    values = {
        "now": numbers.count(small.concurrent_sequences or small.users or 0),
        "later": numbers.count(need.concurrent_sequences or need.users or 0),
        "kind": say("growing.requests" if need.concurrent_sequences else "growing.users"),
        "order": names.cards(found[0].gpu, found[0].gpu_count)
        + say("order.at_price", price=orders.price(material, found[0], brief=True)),
    }
    main.body.insert(0, say(f"growing.{_path(found[0], best)}", **values))


def _path(now: Configuration, later: Configuration | None) -> str:
    """Whether what is enough today is the same, can be added to, or is another machine."""
    if later is None or (now.gpu, now.gpu_count, now.weight_format) == (
        later.gpu,
        later.gpu_count,
        later.weight_format,
    ):
        return "same"
    return "add" if now.gpu == later.gpu and now.gpu_count < later.gpu_count else "other"
