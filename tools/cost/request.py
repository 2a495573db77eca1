"""What one may ask about cost: the hardware, how it is used, what is known of prices, and the work it does."""

from datetime import date
from typing import Literal

from pydantic import Field

from tools.memory.request import Engine
from tools.model_fields import ModelFields
from tools.need import SeveralWords, Words
from tools.power.request import USUAL_UTILISATION, MachineFields, UseFields

Work = Literal["inference", "full_finetune", "pretrain", "lora", "qlora"]


class CostRequest(ModelFields, MachineFields, UseFields):
    """Hardware to own or to rent, and what it is for. Amounts are in `currency`."""

    prices: SeveralWords = ()
    """What is paid to buy, as the person gave it: "8xH200 server 285k EUR" (with its cards), "$1,999 each" (a card),
    "$3,000 chassis without the cards", "€9,500 in total". A machine's price holds its cards."""
    buys: Literal["machine", "cards"] | None = None
    """cards: only the cards, for a computer that is there; machine: cards and what is around them; null = machine."""
    rents: SeveralWords = ()
    """What is paid to rent, as given: "$2.10/gpu/h", "包月租6.2万", "$0.60/h spot". One by the month is paid however
    much it is used."""
    tariff: Words | None = None
    """Price of electricity as given: "¥0.8/kWh", "30 cents per kWh"."""
    hosting: Words | None = None
    """Price of a place as given: "2,400 EUR/mo incl. power", "$150/kW/month", "800元/U/月"."""
    residual: Words | None = None
    """What it fetches at the end as given: "45 %" of the price, or a sum."""
    horizon: Words | None = None
    """How long it is reckoned with, as given: "14 months", "3 yrs"; what is sold then fetches what is usual by then."""
    duty: Words | None = None
    """How much it works, as given: "24/7", "8 h a day", "55 %"; what is rented by the hour is paid for no more."""
    support: Words | None = None
    """Support and maintenance as given: "6 %" of the price a year, "12k EUR/yr"; null = usual maintenance."""
    growth: Words | None = None
    """How the load grows, as given: "5 % a month", "doubles every year"; with `duty` as a share, when machines must be
    added."""
    acquisition: Literal["buy", "rent"] | None = None
    """Only owning or only renting; null = both, and where they meet."""
    years: float | None = Field(default=None, gt=0, le=20)
    """How long it is reckoned with; null = three years."""
    term_s: float | None = Field(default=None, gt=0, le=1e10)
    """How long everything is rented for, once; null = no such term."""
    utilisation: float = Field(default=USUAL_UTILISATION, gt=0, le=1)
    """Share of the hours it is on that it works at full load."""
    purchase_price: float | None = Field(default=None, ge=0, le=1e13)
    """Everything that is bought; null = prices of the catalog; 0 = owned already."""
    machine_price: float | None = Field(default=None, ge=0, le=1e13)
    """The machines without their cards, when purchase_price is not given."""
    machine_memory_bytes: int | None = Field(default=None, gt=0, le=10**14)
    """Memory of each machine at the least, for weights kept there; null = as much as its cards have."""
    residual_ratio: float | None = Field(default=None, ge=0, le=1)
    """Share of the price it fetches at the end; null = usual for that age."""
    maintenance_ratio_per_year: float | None = Field(default=None, ge=0, le=1)
    """Maintenance, support and spares over the price; null = usual."""
    interest_ratio_per_year: float = Field(default=0.0, ge=0, le=1)
    """Interest on the capital bound; 0 = none."""
    colocation_per_kw_month: float | None = Field(default=None, ge=0, le=1e7)
    """Rent of a place for one kilowatt; null = usual, when the site is colocation."""
    staff_per_month: float = Field(default=0.0, ge=0, le=1e9)
    """People who look after it."""
    rent_per_hour: float | None = Field(default=None, gt=0, le=1e9)
    """Rent of everything together; null = offers of the catalog."""
    provider: str | None = Field(default=None, max_length=100)
    """Only this cloud's offers."""
    spot_lost_ratio: float | None = Field(default=None, ge=0, lt=1)
    """Share of spot hours lost to interruptions and repeated work; null = usual."""
    task: Work | None = None
    """What a model is used for; null = inference when a model is named."""
    weight_format: str | None = Field(default=None, max_length=40)
    engine: Engine | None = None
    concurrent_sequences: int | None = Field(default=None, gt=0, le=10**7)
    """Sequences answered at any time; null = 64, or as many as fit."""
    input_tokens: int | None = Field(default=None, ge=0, le=10**9)
    output_tokens: int | None = Field(default=None, ge=0, le=10**9)
    dataset_tokens: int | None = Field(default=None, gt=0, le=10**18)
    """Tokens of a training run; with it, the run's cost is worked out."""
    epochs: float | None = Field(default=None, gt=0, le=10**6)
    sequence_tokens: int | None = Field(default=None, gt=0, le=10**8)
    audio_s: float | None = Field(default=None, gt=0, le=10**13)
    """Speech to transcribe; with it, what that job costs is worked out."""
    images: int | None = Field(default=None, gt=0, le=10**13)
    """Pictures to generate or to look at, likewise."""
    documents: int | None = Field(default=None, gt=0, le=10**13)
    """Texts of `input_tokens` each to embed, likewise."""
    steps: int | None = Field(default=None, gt=0, le=1000)
    """Denoising steps of one picture; null = as the model is usually run."""
    width_px: int | None = Field(default=None, ge=64, le=16384)
    height_px: int | None = Field(default=None, ge=64, le=16384)
    frames: int | None = Field(default=None, gt=0, le=10_000)
    """Frames of one clip."""
    tokens_per_month: float | None = Field(default=None, gt=0, le=1e18)
    """Tokens used a month; with it, what they cost on this hardware is worked out, and how much of it that takes."""
    api_million_price: float | None = Field(default=None, gt=0, le=1e7)
    """What a provider asks for a million tokens, to be held against it."""
    today: date | None = None
    """Day by which the age of prices is judged; null = today."""
