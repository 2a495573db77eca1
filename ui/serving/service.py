"""The one advisor of this process, which every face shares."""

import logging
from functools import lru_cache

from assistant.agent import Advisor
from ingest.apart import ensure_bundled_apart
from kb.base import IndexUnavailable

logger = logging.getLogger(__name__)


@lru_cache(maxsize=1)
def advisor() -> Advisor:
    """The advisor, made on first use; the bundled guidance is in the index by then, where it can be written.

    On a full disk, or in a home that may not be written, it answers from facts and tools alone.
    """
    service = Advisor()
    try:
        ensure_bundled_apart()
    except IndexUnavailable as problem:
        logger.warning("answers come without documents until the index can be built: %s", problem)
    return service
