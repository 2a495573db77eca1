"""Questions of a shape of their own, whose plan and answer are settled by it: a bill, a sale under export control."""

from assistant.plan import availability, bill, requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import Need


def asked(understanding: Understanding) -> bool:
    """Whether the question is one of them."""
    return not understanding.out_of_scope and (availability.asked(understanding) or bill.asked(understanding))


def calls(understanding: Understanding, need: Need) -> list[PlannedCall | None]:
    """All that it takes; empty where the question is none of them."""
    if availability.asked(understanding):
        return [availability.call(need)]
    return [bill.call(need, understanding), requests.gpu_facts(need)] if bill.asked(understanding) else []
