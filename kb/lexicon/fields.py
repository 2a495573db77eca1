"""Fields of requests that take a typed value or the words a person writes: cards="2x 3090", host_memory="12x64GB"."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from kb.lexicon.cards.rules import CardCount, read_cards
from kb.lexicon.count.rules import read_count
from kb.lexicon.duration.rules import read_duration
from kb.lexicon.formats.rules import read_format
from kb.lexicon.link.rules import Link, read_link
from kb.lexicon.memory.host import HostMemory, read_host_memory
from kb.lexicon.memory.rules import read_memory
from kb.lexicon.models.rules import ModelName, read_model
from kb.lexicon.money.rules import Money, read_money

LONGEST = 400


class AsWritten:
    """Lets a field be given in words as well, and says so in its JSON schema."""

    def __init__(self, examples: str) -> None:
        self.examples = examples

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The typed schema, or a string as people write it."""
        typed = handler(schema)
        if handler.mode == "serialization":
            return typed
        said = {"type": "string", "maxLength": LONGEST, "description": f"As people write it, e.g. {self.examples}."}
        return {"anyOf": [said, typed]}


def _from_words(read: Callable[..., Any]) -> BeforeValidator:
    """Read a string by `read`, which names the request's own field in its errors; pass anything else on."""

    def before(value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str) and value.strip():
            return read(value, field=info.field_name) if info.field_name else read(value)
        return value

    return BeforeValidator(before)


def _card_list(value: Any, info: ValidationInfo) -> Any:
    """Cards from one text, or from a list of texts and typed entries."""
    field = info.field_name or "cards"
    if isinstance(value, str):
        return read_cards(value, field=field)
    if isinstance(value, (list, tuple)):
        return [card for one in value for card in (read_cards(one, field=field) if isinstance(one, str) else (one,))]
    return value


Cards = Annotated[
    tuple[CardCount, ...], Field(min_length=1, max_length=64), BeforeValidator(_card_list),
    AsWritten('"2x 3090", "3090 + 2x 4060 Ti 16GB", 「两张4090」, "one 24GB card"'),
]  # fmt: skip
ModelText = Annotated[
    ModelName, _from_words(read_model), AsWritten('"Qwen3-32B AWQ", "llama 3.1 70b fp8", 「deepseek r1 满血」')
]
MemoryText = Annotated[
    int, Field(gt=0, le=10**17), _from_words(read_memory), AsWritten('"128GB", "12x64GB", "1.5T", or bytes')
]
HostMemoryText = Annotated[
    HostMemory, _from_words(read_host_memory), AsWritten('"128GB ddr5-6000 dual channel", "12x64GB DDR5-4800"')
]
MoneyText = Annotated[Money, _from_words(read_money), AsWritten('"$25k", "¥0.8/kWh", "1.80 EUR/gpu/h", 「3 万元/月」')]
DurationText = Annotated[
    float, Field(gt=0, le=3.2e9), _from_words(read_duration), AsWritten('"6 weeks", "2h30m", 「三天」, or seconds')
]
CountText = Annotated[
    float, Field(ge=0, le=1e18), _from_words(read_count), AsWritten('"1.5k", "50,000", 「200万」, or a number')
]
FormatText = Annotated[str, Field(max_length=40), _from_words(read_format), AsWritten('"q4_k_m", "4bit", "fp8 e4m3"')]
LinkText = Annotated[Link, _from_words(read_link), AsWritten('"PCIe 4.0 x8", "nvlink bridge", "100GbE"')]
