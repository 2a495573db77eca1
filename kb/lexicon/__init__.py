"""Names and quantities as people write them, one folder a dimension: rules, words per language and a corpus of each.

Every reader takes one quotation and gives a typed value, or an error that says what was read and what would do.
"""

from kb.lexicon.cards.rules import CardCount, read_cards
from kb.lexicon.count.rules import read_count
from kb.lexicon.duration.rules import read_duration
from kb.lexicon.formats.rules import read_format
from kb.lexicon.link.rules import Link, read_link
from kb.lexicon.memory.host import HostMemory, read_host_memory, read_memory_channels
from kb.lexicon.memory.rules import read_memory
from kb.lexicon.models.rules import ModelName, read_model
from kb.lexicon.models.size import ModelSize, read_params
from kb.lexicon.money.rules import Money, read_money
from kb.lexicon.picture.rules import PictureSize, read_picture_size
from kb.lexicon.rate.rules import Rate, read_rate
from kb.lexicon.ratio.rules import read_ratio

__all__ = [
    "CardCount", "HostMemory", "Link", "ModelName", "ModelSize", "Money", "PictureSize", "Rate", "read_cards",
    "read_count", "read_duration", "read_format", "read_host_memory", "read_link", "read_memory",
    "read_memory_channels", "read_model", "read_money", "read_params", "read_picture_size", "read_rate", "read_ratio",
]  # fmt: skip
