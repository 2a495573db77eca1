"""Reading without a language model: slots, stances, groups and asks by a small network learned from `tests/corpus`."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from assistant.reading.annotation import Annotation
from assistant.reading.embedded.decode import Learned, marks
from assistant.reading.embedded.network import Network
from assistant.reading.embedded.tokens import read_tokens
from assistant.reading.embedded.wording import Phrases
from assistant.reading.held import held
from assistant.reading.situation import Situation

NAME = "embedded"
WEIGHTS = Path(__file__).with_name("model.npz")


class EmbeddedReader:
    """Marks up messages by itself; numbers and names that it does not read stand in `unread`."""

    def read(self, message: str, before: Situation | None = None) -> Annotation:
        """The message marked up and held against its words."""
        later = before is not None
        return held(message, marks(message, read_tokens(message, later=later), learned(), later=later), NAME)


@lru_cache(maxsize=1)
def learned() -> Learned:
    """The weights, loaded once."""
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        weights = dict(stored)
    return Learned(Network(weights), Phrases(weights))
