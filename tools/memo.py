"""Results of tools, remembered while the same request must give the same result."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from kb import clock
from kb.base import Frozen
from kb.index.index_stamp import index_stamp
from kb.market.live_prices import stamp
from kb.settings import settings
from tools.base import ToolResult

KEPT = 192
"""Results; the largest, of `configure`, is some 100 kB. A few turns call for as many; whole turns are kept apart."""


def world() -> Hashable:
    """What a result depends on besides its request: the day (prices grow stale), the live prices, the home."""
    return clock.today(), stamp(), settings().home


def documents() -> Hashable:
    """What a result out of the documents depends on besides: the state of the index, and which model reads it."""
    return world(), index_stamp(settings().home), settings()


class Memo:
    """The last results by tool, request and state of the world. Safe between threads; errors are not kept."""

    def __init__(self, most: int = KEPT, world: Callable[[], Hashable] = world) -> None:
        self._most, self._world = most, world
        self._access = threading.Lock()
        self._kept: OrderedDict[Hashable, ToolResult] = OrderedDict()

    def result(self, name: str, request: Frozen, run: Callable[[Frozen], ToolResult]) -> ToolResult:
        """What `run` makes of `request`, or made of it before.

        Raises:
            AdvisorError: what `run` refuses.
        """
        key = (name, request, self._world())
        try:
            hash(key)
        except TypeError:  # a request that holds a mapping
            return run(request)
        with self._access:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        made = run(request)
        with self._access:
            self._kept[key] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made
