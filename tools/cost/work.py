"""What the work costs: a million output tokens at the utilisation stated, one training run, one job of items."""

import math

from kb.catalog import model
from kb.market.api_prices import api_prices
from kb.market.rates import convert
from tools.cost.request import CostRequest
from tools.cost.result import ApiRead, Owning, Renting, RunCost, TokenCost, VolumeCost
from tools.cost.setting import Setting
from tools.power.energy import scaled
from tools.prices import is_stale
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Interval
from tools.training_time.estimate import estimate_training_time
from tools.training_time.request import TrainingTimeRequest

MILLION = 1e6
SECONDS_PER_HOUR = 3600
SEQUENCES = 64
"""Sequences at once on hardware that is paid for to be busy."""
JOBS = ("audio_s", "images", "documents")
"""Amounts of work that are got through once."""
TEXTS_AT_ONCE = 32
"""Texts that an embedding server puts through at once."""
TRAINING = ("full_finetune", "pretrain", "lora", "qlora")


def asks_for_tokens(request: CostRequest) -> bool:
    """Whether there is a model to serve."""
    named = bool(request.model or request.params) and request.task in {None, "inference"}
    return named and not asks_for_job(request)


def asks_for_job(request: CostRequest) -> bool:
    """Whether there is a known amount of speech, pictures or texts to get through."""
    return bool(request.model) and any(getattr(request, name) is not None for name in JOBS)


def asks_for_run(request: CostRequest) -> bool:
    """Whether there is a training run."""
    return bool(request.model or request.params) and request.task in TRAINING and request.dataset_tokens is not None


def token_cost(setting: Setting, own: Owning | None, rent: Renting | None) -> TokenCost | None:
    """A million output tokens; null for a model that gives none.

    hourly_cost / (tokens_per_s · 3600 · utilisation) · 10⁶
    """
    request = setting.request
    given = {name: getattr(request, name) for name in InferenceSpeedRequest.model_fields if name in _SHARED}
    speed = estimate_inference_speed(
        InferenceSpeedRequest.model_validate(
            {name: value for name, value in given.items() if value is not None}
            | _cards(setting)
            | {"concurrent_sequences": request.concurrent_sequences or SEQUENCES}
        )
    )
    rate = speed.tokens_per_s_total
    if rate is None or not rate.low:
        return None
    listed = [one.output_million_price for one in _listed(setting)]
    return TokenCost(
        tokens_per_s_total=rate, concurrent_sequences=speed.concurrent_sequences,
        own_million_cost=_each_million(own.hourly_cost, rate, request.utilisation) if own else None,
        rent_million_cost=_each_million(rent.useful_hourly_cost, rate, request.utilisation) if rent else None,
        api_million_price_low=min(listed, default=None), api_million_price_high=max(listed, default=None),
    )  # fmt: skip


def _each_million(hourly: Interval, rate: Interval, utilisation: float) -> Interval:
    factor = MILLION / SECONDS_PER_HOUR / utilisation
    return Interval(value=hourly.value / rate.value * factor, low=hourly.low / rate.high * factor,
                    high=hourly.high / rate.low * factor)  # fmt: skip


def volume_cost(
    setting: Setting, tokens: TokenCost | None, own: Owning | None, rent: Renting | None
) -> VolumeCost | None:
    """The tokens of a month on as many copies of the hardware as they take, beside a provider's price for them.

    copies = ⌈tokens / (tokens_per_s · 3600 · hours · utilisation)⌉; cost = copies · cost a month. Owning or renting is
    cheaper from cost / price of a million, where one copy makes that many.
    """
    request = setting.request
    if tokens is None or request.tokens_per_month is None:
        return None
    each_hour = tokens.tokens_per_s_total.value * SECONDS_PER_HOUR
    full, hours = each_hour * setting.hours, request.tokens_per_month / each_hour
    copies = max(1, math.ceil(request.tokens_per_month / (full * request.utilisation)))
    own_cost = scaled(own.monthly_cost, copies) if own else None
    rent_cost = scaled(rent.monthly_cost, copies) if rent else None
    listed = () if request.api_million_price else _listed(setting)
    price = request.api_million_price or (listed[0].output_million_price if listed else None)
    costs = [own.monthly_cost.value] if own and own.complete else []
    costs += [rent.monthly_cost.low] if rent else []
    even = min(costs) / price * MILLION if price and costs else None
    api_cost = request.tokens_per_month / MILLION * price if price else None
    return VolumeCost(
        tokens_per_month=request.tokens_per_month, gpu=setting.machine.cards[0][0].id, copies=copies,
        gpu_count=copies * setting.machine.gpus,
        busy_ratio=request.tokens_per_month / (copies * full),
        purchase_cost=scaled(own.purchase_cost, copies) if own else None, own_cost=own_cost, rent_cost=rent_cost,
        hours_needed=hours, rent_needed_cost=hours * rent.useful_hourly_cost.low if rent else None,
        own_million_cost=own_cost.value / request.tokens_per_month * MILLION if own_cost else None,
        rent_million_cost=rent_cost.low / request.tokens_per_month * MILLION if rent_cost else None,
        api_cost=api_cost, api=listed,
        payback_months=_payback(own, copies, api_cost) if own and own.complete and api_cost else None,
        even_tokens_per_month=even if even and even <= full * request.utilisation else None,
    )  # fmt: skip


def _payback(own: Owning, copies: int, api_cost: float) -> float | None:
    """Months until the purchase is paid by what the provider is not: purchase / (provider − running costs); null = its
    running costs alone are dearer."""
    saved = api_cost - copies * own.running_monthly_cost.value
    return copies * own.purchase_cost.value / saved if saved > 0 else None


def _listed(setting: Setting) -> tuple[ApiRead, ...]:
    """What services ask for the model; none for a size without a name."""
    name, currency = setting.request.model, setting.energy.currency
    return tuple(
        ApiRead(
            provider=one.provider, as_of=one.as_of, stale=is_stale(one.as_of, setting.request.today), source=one.source,
            input_million_price=float(convert(one.input, "USD", currency)),
            output_million_price=float(convert(one.output, "USD", currency)),
        )
        for one in (api_prices(model(name).id) if name else ())
    )  # fmt: skip


def run_cost(setting: Setting, own: Owning | None, rent: tuple[Renting, ...]) -> RunCost | None:
    """One training run: its hours at each price; null where the tool knows no time."""
    request = setting.request
    given = {name: getattr(request, name) for name in TrainingTimeRequest.model_fields if name in _SHARED_TRAINING}
    found = estimate_training_time(
        TrainingTimeRequest.model_validate(
            {name: value for name, value in given.items() if value is not None} | _cards(setting)
        )
    )
    if found.time_s is None or found.gpu_hours is None:
        return None
    return _priced(found.time_s, found.gpu_hours, own, rent)


def job_cost(setting: Setting, own: Owning | None, rent: tuple[Renting, ...]) -> RunCost | None:
    """One job of speech, pictures or texts, batched as such work is run; null where the tool knows no pace."""
    request = setting.request
    given = {name: getattr(request, name) for name in InferenceSpeedRequest.model_fields if name in _SHARED_JOB}
    values = {name: value for name, value in given.items() if value is not None} | _cards(setting)
    at_once = request.concurrent_sequences or (TEXTS_AT_ONCE if request.documents else None)
    found = estimate_inference_speed(
        InferenceSpeedRequest.model_validate(values | ({"concurrent_sequences": at_once} if at_once else {}))
    )
    if found.time_s is None:
        return None
    return _priced(found.time_s, scaled(found.time_s, setting.machine.gpus / SECONDS_PER_HOUR), own, rent)


def _priced(time_s: Interval, gpu_hours: Interval, own: Owning | None, rent: tuple[Renting, ...]) -> RunCost:
    hours = scaled(time_s, 1 / SECONDS_PER_HOUR)
    prices = {one.purchase: one.useful_hourly_cost for one in rent}
    return RunCost(
        gpu_hours=gpu_hours, time_s=time_s, own_cost=_bill(own.hourly_cost if own else None, hours),
        rent_cost=_bill(prices.get("on_demand"), hours),
        cheapest_cost=prices["on_demand"].low * hours.value if "on_demand" in prices else None,
        spot_cost=_bill(prices.get("spot"), hours),
    )  # fmt: skip


def _bill(hourly: Interval | None, hours: Interval) -> Interval | None:
    if hourly is None:
        return None
    return Interval(value=hourly.value * hours.value, low=hourly.low * hours.low, high=hourly.high * hours.high)


def _cards(setting: Setting) -> dict[str, object]:
    return {"gpu": setting.machine.cards[0][0].id, "gpu_count": setting.machine.gpus}


_SHAPE = frozenset(
    {"model", "params", "active_params", "layers", "hidden_size", "heads", "kv_heads", "head_dim", "intermediate_size",
     "vocab_size", "experts", "experts_per_token", "engine"}
)  # fmt: skip
_SHARED = _SHAPE | {"weight_format", "input_tokens", "output_tokens"}
_SHARED_JOB = _SHARED | {*JOBS, "steps", "width_px", "height_px", "frames"}
_SHARED_TRAINING = _SHAPE | {"task", "dataset_tokens", "epochs", "sequence_tokens"}
