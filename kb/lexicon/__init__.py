"""Names and quantities as people write them, one folder a dimension: rules, words per language and a corpus of each.

Every reader takes one quotation and gives a typed value, or an error that says what was read and what would do.
"""

from kb.lexicon.cards.rules import CardCount, read_cards
from kb.lexicon.count.rules import read_count
from kb.lexicon.count.watts import read_power
from kb.lexicon.duration.rules import read_duration
from kb.lexicon.duty.rules import Duty, read_duty
from kb.lexicon.formats.rules import read_format
from kb.lexicon.link.rules import Link, read_link
from kb.lexicon.memory.host import HostMemory, read_host_memory, read_memory_channels
from kb.lexicon.memory.rules import read_memory
from kb.lexicon.models.rules import ModelName, read_model
from kb.lexicon.models.size import ModelSize, read_params, size_in_name
from kb.lexicon.money.hosting import Hosting, read_hosting
from kb.lexicon.money.price import Price, Rent, read_price, read_rent
from kb.lexicon.money.rules import Money, read_money
from kb.lexicon.picture.rules import PictureSize, read_picture_size
from kb.lexicon.rate.rules import Rate, read_rate
from kb.lexicon.share.rules import read_growth, read_share

__all__ = [
    "CardCount", "Duty", "HostMemory", "Hosting", "Link", "ModelName", "ModelSize", "Money", "PictureSize", "Price",
    "Rate", "Rent", "read_cards", "read_count", "read_duration", "read_duty", "read_format", "read_growth",
    "read_host_memory", "read_hosting", "read_link", "read_memory", "read_memory_channels", "read_model", "read_money",
    "read_params", "read_picture_size", "read_power", "read_price", "read_rate", "read_rent", "read_share",
    "size_in_name",
]  # fmt: skip
