"""From a reading of the question to the tool calls that answer it: pure, and never more than eight."""

from assistant.plan.call import PlannedCall
from assistant.plan.first import plan
from assistant.plan.second import plan_more

__all__ = ["PlannedCall", "plan", "plan_more"]
