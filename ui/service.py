"""The one advisor of this process, which every face shares."""

from functools import lru_cache

from assistant.agent import Advisor
from ingest.apart import ensure_bundled_apart


@lru_cache(maxsize=1)
def advisor() -> Advisor:
    """The advisor, made on first use; the bundled guidance is in the index by then."""
    service = Advisor()
    ensure_bundled_apart()
    return service
