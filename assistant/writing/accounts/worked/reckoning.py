"""Small sums over results, worked out by the tool that keeps their source."""

from assistant.writing.accounts.cards import Call
from tools.agent_tools.ledger import LookedUp


def times_as_much(more: LookedUp, less: LookedUp, path: str, call: Call) -> str | None:
    """How many times one figure of two results is the other, in two digits."""
    values = {"a": f"{more.key}.{path}", "b": f"{less.key}.{path}"}
    one = call("work_out", {"expression": "a / b", "values": values, "unit": "none"})
    return None if one.failed else str(one.shown.get("value", "")).partition(" ")[0] or None


def at_least(whole: str, each: str, call: Call) -> str | None:
    """How many of `each` make `whole`, rounded up; both are references to figures of results."""
    one = call("work_out", {"expression": "ceil(a / b)", "values": {"a": whole, "b": each}, "unit": "none"})
    return None if one.failed else str(one.shown.get("value", "")).partition(" ")[0] or None


def added(one: LookedUp, paths: tuple[str, ...], call: Call) -> str | None:
    """The sum of sizes of one result."""
    values = {f"v{at}": f"{one.key}.{path}" for at, path in enumerate(paths)}
    found = call("work_out", {"expression": " + ".join(values), "values": values, "unit": "GiB"})
    return None if found.failed else str(found.shown.get("value", "")).partition(" (")[0] or None
