"""Refusals that come thick and fast are kept a while: a client that asks again at once would cost more than answers."""

import asyncio
import random

from assistant.line import Bucket

QUICK_PER_S = 50.0
"""Refusals a second that are told at once; whoever comes faster than that waits for theirs."""
HELD_S = 2.0
"""How long at most: held, a client that would ask again at once costs nothing."""
MOST_HELD = 1000
"""Beyond, holding would cost more memory than refusing costs time."""
SOONEST_S, LATEST_S = 2, 60
"""When who was refused may come again; the more are refused the later, and not all at once."""
PER_HELD = 10


class Hold:
    """Lets refusals go at once while there are few, and keeps each a while when they come thick and fast."""

    def __init__(self, per_s: float = QUICK_PER_S, held_s: float = HELD_S, most: int = MOST_HELD) -> None:
        self._quick, self._held_s, self._most = Bucket(per_s, per_s), held_s, most
        self.held = 0
        """Refusals that are waiting to be told."""

    async def breathe(self) -> None:
        """Wait as long as a refusal is to be kept."""
        if self._quick.take() or self.held >= self._most:
            return
        self.held += 1
        try:
            await asyncio.sleep(self._held_s * random.uniform(0.5, 1))  # noqa: S311 - spreads load, guards nothing
        finally:
            self.held -= 1

    def again_s(self) -> int:
        """When to come again."""
        return random.randint(SOONEST_S, min(LATEST_S, SOONEST_S + self.held // PER_HELD))  # noqa: S311 - as above
