"""A load that grows: hardware is sized for what is to come, and what is enough today is looked for beside it."""

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import Need


def today(understanding: Understanding, need: Need) -> Need | None:
    """The need with the load there is now; None where none was said to grow, or it is no service."""
    now = understanding.need.load_today
    if not now or requests.is_training(need) or not requests.sized(need):
        return None
    crowd = "concurrent_sequences" if need.concurrent_sequences else "users"
    later = getattr(need, crowd)
    return need.model_copy(update={crowd: now}) if later and later > now else None


def of_today(understanding: Understanding, record: ToolCallRecord) -> bool:
    """Whether a search was for the load there is now rather than for the one to come."""
    now, request = understanding.need.load_today, record.request
    return now is not None and (request.get("concurrent_sequences") or request.get("users")) == now


def calls(understanding: Understanding, need: Need) -> list[PlannedCall | None]:
    """What could be ordered for the load of today."""
    small = today(understanding, need)
    return [requests.configure(small)] if small else []
