"""What one may ask the configurator: the Need, and how to acquire."""

from typing import Literal

from pydantic import Field

from tools.need import Need, SeveralWords, Words

Objective = Literal["cheapest", "fastest", "quietest", "simplest"]


class ConfigureRequest(Need):
    """A need to be met with hardware that can be bought or rented."""

    objective: Objective | None = None
    """What the person said counts most, which goes before everything else; null = fast enough with head-room, few
    cards, a fair price for the speed."""
    acquisition: Literal["buy", "rent"] | None = None
    """Only buying or only renting; null = whatever the budget says, else both."""
    prices: SeveralWords = ()
    """What the person pays to buy, each with its card, as given: "used RTX 3090 $700", "8x H20 server ¥1.18M". They go
    before those of the catalog."""
    rents: SeveralWords = ()
    """What the person pays to rent, likewise: "H100 $2.10/gpu/h", "8x H20 包月6.2万"."""
    input_tokens: int | None = Field(default=None, gt=0, le=10**9)
    """Prompt tokens of one request; null = the context less an answer of usual length."""
    output_tokens: int | None = Field(default=None, gt=0, le=10**9)
    """Answer tokens of one request."""
    tariff: Words | None = None
    """Price of electricity as given: "¥0.8/kWh"; null = usual in the country."""
    max_power_w: int | None = Field(default=None, gt=0, le=10**9)
    """Most board power of all GPUs together."""
    max_results: int = Field(default=6, ge=1, le=50)
    """Configurations returned, over buying and renting."""
    instances: int | None = Field(default=None, ge=1, le=100_000)
    """How many users, tenants or notebooks are each to have the work on a part of their own: an instance (MIG) of a
    card, or a whole card."""
    whole_budget: bool = False
    """Whether the budget is there to be put into speed, as a lab's or a studio's is, not only a limit to stay below."""
    with_frontier: bool = True
    """Whether price against speed is worked out beside the configurations; it takes more than half of the time."""
