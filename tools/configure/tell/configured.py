"""A choice with its layout and speed as a configuration: bill, price, reasons."""

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from kb.base import AdvisorError
from kb.catalog import gpus
from kb.market.exports import restriction
from kb.records.component import Component
from kb.records.gpu import Gpu
from kb.units import format_bytes
from tools.base import Step
from tools.configuration import Configuration, Item, MemoryFit, Price, Reason, RentPrice
from tools.configure.bills.bridges import bridges_between
from tools.configure.bills.host import blown
from tools.configure.bills.parts import line
from tools.configure.load.fitting import Held
from tools.configure.load.precision import precision_lost
from tools.configure.market.choice import Choice
from tools.configure.market.own import GIVEN
from tools.configure.market.purchases import purchased
from tools.configure.market.sold import ORDERABLE
from tools.configure.market.suitable import MAINSTREAM
from tools.configure.pace.judged import Paced
from tools.configure.rank.options import Option
from tools.configure.rank.slices import roomiest
from tools.configure.tell.reasons import reason, texts
from tools.memory.formats import held_in
from tools.power.plan import plan_power
from tools.power.request import PowerRequest
from tools.prices import is_stale

HOURS_PER_YEAR = 8760
TERMS = {"reserved_1y": HOURS_PER_YEAR, "reserved_3y": 3 * HOURS_PER_YEAR}
INTERRUPTION_SHARE = 0.15
"""Hours added to a job on spot instances for being taken away and starting again from a checkpoint: a judgement."""
MANY_CONSUMER = 2
REDUCED = {"fp8", "int8", "awq", "gptq", "int4"}
FOUR_BITS = 4
"""Loss of precision beyond which answers get markedly worse."""


def configured(
    option: Option,
    paced: Paced,
    *,
    native: str | None,
    country: str | None,
    currency: str = "USD",
    one_gpu: bool = False,
    said: tuple[Reason, ...] = (),
    tariff: float | None = None,
) -> tuple[Configuration, Step]:
    """The configuration and the step that derives its price; `tariff` is the person's own, in `currency` a kWh."""
    choice, held = option.choice, paced.held
    gpu, layout = choice.gpu, held.layout
    items = choice.bill.items if choice.bill else (_instance(choice),)
    price = _price(choice)
    reasons = (
        *_why(option, paced, one_gpu=one_gpu),
        *said,
        *_trade_offs(option, paced, native),
        *_availability(choice, price, items, country),
    )
    speed = paced.speed
    found = Configuration(
        rank=1, title=title(choice), acquisition="buy" if choice.acquisition == "buy" else "rent", gpu=gpu.id,
        gpu_name=gpu.name, gpu_count=choice.count, nodes=choice.machines, tensor_parallel=layout.tensor_parallel,
        pipeline_parallel=layout.pipeline_parallel, data_parallel=layout.data_parallel,
        context_parallel=layout.context_parallel, expert_parallel=layout.expert_parallel,
        sharding=layout.sharding, weight_format=held_in(held.weight_format, gpu), engine=held.engine,
        kv_format=_cache(held, gpu),
        memory=MemoryFit(
            needed_bytes_per_gpu=held.total_bytes, usable_bytes_per_gpu=gpu.usable_bytes, verdict=option.verdict
        ),
        speed=speed, items=items, price=price, machine_price=_with_machine(choice, country),
        power_w=choice.power_w, why=" ".join(texts(reasons, "why")),
        trade_offs=texts(reasons, "trade_off"), availability="; ".join(texts(reasons, "availability")),
        owned_count=choice.owned, provider=choice.offer.provider if choice.offer else None,
        instance=choice.offer.instance if choice.offer else None,
        region=choice.offer.region if choice.offer else None,
        machine=choice.bill.host.machine if choice.bill and choice.bill.host else None,
        condition="used" if choice.used else "new", network=choice.bill.network if choice.bill else None,
        rent_prices=_rent_prices(choice, speed), reasons=reasons,
        running_cost=_running(choice, country, currency, speed, tariff),
    )  # fmt: skip
    return found, _step(choice, found)


def _cache(held: Held, gpu: Gpu) -> str | None:
    """The cache as the card holds it: a server keeps 16 bits as the card computes them."""
    if held.form is None:
        return None
    return gpu.half if held.form.kv == "bf16" else held.form.kv


def _with_machine(choice: Choice, country: str | None) -> Price | None:
    """What cards that are bought alone cost with a machine around them; null for all else, or where none is priced."""
    if choice.bill is None or not choice.bill.own_host:
        return None
    whole = next(iter(purchased(choice.gpu, choice.count, country=country, own=choice.own)), None)
    return _price(whole) if whole is not None and whole.complete else None


def title(choice: Choice) -> str:
    """Cards and where from, in a form that tells any two choices apart."""
    if choice.offer is None:
        apart = f" in {choice.machines} machines" if choice.machines > 1 else ""
        owned = f" ({choice.owned} owned)" if choice.owned else ""
        if choice.bill and choice.bill.own_host:
            owned = " (card only)" if choice.count == 1 else " (cards only)"
        return f"{choice.count} × {choice.gpu.name}{apart}{owned}"
    place = f", {choice.offer.region}" if choice.offer.region else ""
    instance = f"{choice.offer.provider} {choice.offer.instance}"
    return f"{choice.machines} × {instance} ({choice.count} × {choice.gpu.name}{place})"


def _instance(choice: Choice) -> Item:
    offer = choice.offer
    if offer is None or offer.on_demand_usd_per_hour is None:
        raise ValueError("a rental without an offer")
    total = offer.on_demand_usd_per_hour * choice.machines
    return Item(
        part="instance", product=f"{offer.provider} {offer.instance}", count=choice.machines,
        unit_price=offer.on_demand_usd_per_hour, subtotal=total, source=offer.source, price_date=offer.as_of,
        low=total, high=total, given=offer.source == GIVEN,
    )  # fmt: skip


def _price(choice: Choice) -> Price:
    if choice.bill is None:
        as_of = choice.offer.as_of if choice.offer else None
        return Price(amount=choice.amount, period="hour", as_of=as_of, complete=True)
    bill = choice.bill
    return Price(amount=bill.amount, low=bill.low, high=bill.high, as_of=bill.as_of, complete=bill.complete)


def _rent_prices(choice: Choice, speed: dict[str, float | str | None] | None) -> tuple[RentPrice, ...]:
    offer = choice.offer
    if offer is None:
        return ()
    time_s = speed.get("time_s") if speed else None
    hours = time_s / 3600 if isinstance(time_s, float) else None
    found = []
    for kind, hourly in (
        ("on_demand", offer.on_demand_usd_per_hour),
        ("spot", offer.spot_usd_per_hour),
        ("reserved_1y", offer.reserved_1y_usd_per_hour),
        ("reserved_3y", offer.reserved_3y_usd_per_hour),
    ):
        if hourly is None:
            continue
        each = hourly * choice.machines
        needed = hours * (1 + INTERRUPTION_SHARE) if hours and kind == "spot" else hours
        paid = TERMS.get(kind, needed)
        total = (each * Decimal(str(paid))).quantize(Decimal("0.01")) if paid else None
        found.append(RentPrice.model_validate(
            {"kind": kind, "usd_per_hour": each, "hours": needed, "total_usd": total}
        ))  # fmt: skip
    return tuple(found)


def _running(
    choice: Choice, country: str | None, currency: str, speed: dict[str, float | str | None] | None,
    tariff: float | None,
) -> dict[str, float | str | None] | None:  # fmt: skip
    """What the plan of its power says of a purchase: watts at the wall, and energy at the usual tariff.

    By the month at the usual utilisation, and of a run of known length at its full draw:
    sustained_w / 1000 · pue · hours, times the tariff.
    """
    if choice.acquisition != "buy" or choice.gpu.tdp_w is None:
        return None
    drawn = _drawn(choice.gpu.id, choice.count, choice.machines, country, currency, tariff)
    if drawn is None:
        return None
    time_s = speed.get("time_s") if speed else None
    run_kwh = drawn.sustained_w / 1000 * drawn.pue * time_s / 3600 if isinstance(time_s, float) else None
    return {
        "wall_max_w": drawn.wall_max_w,
        "sustained_w": drawn.sustained_w,
        "kwh_per_month": drawn.kwh_per_month,
        "energy_cost_per_month": drawn.cost_per_month,
        "run_kwh": run_kwh,
        "run_energy_cost": None if run_kwh is None else run_kwh * drawn.tariff_per_kwh,
        "currency": drawn.currency,
    }


class _Drawn(NamedTuple):
    """What the plan of a machine's power says that a configuration tells."""

    wall_max_w: float
    sustained_w: float
    pue: float
    kwh_per_month: float
    cost_per_month: float
    tariff_per_kwh: float
    currency: str


@lru_cache(maxsize=2048)
def _drawn(
    gpu_id: str, count: int, machines: int, country: str | None, currency: str, tariff: float | None
) -> _Drawn | None:  # fmt: skip
    """The same for every work that a machine does, so that it is planned once; null where no plan can be made."""
    try:
        plan = plan_power(
            PowerRequest(
                gpu=gpu_id, gpu_count=count, nodes=machines, country=country, currency=currency, tariff_per_kwh=tariff
            )
        )
    except AdvisorError:
        return None
    energy = plan.energy
    return _Drawn(
        plan.wall_max_w, plan.sustained_w.value, energy.pue.value, energy.kwh_per_month.value,
        energy.monthly_cost.value, energy.tariff_per_kwh.value, energy.currency,
    )  # fmt: skip


def _why(option: Option, paced: Paced, *, one_gpu: bool) -> tuple[Reason, ...]:
    choice, layout = option.choice, paced.held.layout
    code = "holds" if option.verdict == "yes" else "holds_tightly"
    form = held_in(paced.held.weight_format, choice.gpu)
    said = [reason("why", code, used=layout.gpus, gpu=choice.gpu.name, format=form)]
    if choice.owned >= choice.count:
        said.append(reason("why", "owned_suffices", count=choice.count, gpu=choice.gpu.name))
    elif choice.owned:
        missing = choice.count - choice.owned
        said.append(reason("why", "add_to_owned", missing=missing, gpu=choice.gpu.name, owned=choice.owned))
    if one_gpu and layout.data_parallel > 1:
        said.append(reason("why", "parallel", count=layout.data_parallel))
    return tuple(said)


def _trade_offs(option: Option, paced: Paced, native: str | None) -> tuple[Reason, ...]:
    choice, gpu, form = option.choice, option.choice.gpu, paced.held.weight_format
    spare = choice.count - paced.held.layout.gpus
    said = [tightness(gpu, paced)] if option.verdict == "tight" else []
    part = roomiest(gpu, paced.held.high_bytes) if paced.held.layout.gpus == 1 else None
    if part is not None:
        said.append(reason("trade_off", "mostly_empty", each=part.most, profile=part.name))
    if spare:
        said.append(reason("trade_off", "spare", spare=spare, count=choice.count))
    if precision_lost(form, None) > FOUR_BITS:
        said.append(reason("trade_off", "far_reduced", format=form))
    elif (
        native
        and form != f"gguf:{native.upper()}"
        and precision_lost(form, native)
        and (form in REDUCED or form.startswith("gguf:"))
    ):
        said.append(reason("trade_off", "reduced_precision", format=form, native=native))
    layout = paced.held.layout
    talking = layout.gpus if layout.sharding is not None else layout.group
    if gpu.link_cards is not None and talking > gpu.link_cards:
        said.append(reason("trade_off", "bridged_groups", joined=gpu.link_cards))
    if choice.acquisition == "rent":
        offer = choice.offer
        if offer and offer.spot_usd_per_hour:
            said.append(reason("trade_off", "interruptible", allowance=INTERRUPTION_SHARE))
        if offer and offer.reserved_1y_usd_per_hour:
            said.append(reason("trade_off", "committed"))
        return tuple(said)
    together = layout.tensor_parallel > 1 or layout.sharding is not None
    return (*said, *_of_card(choice, gpu, together=together), *_of_machines(choice, gpu))


def tightness(gpu: Gpu, paced: Paced) -> Reason:
    """How much is left of each card by the estimate, and how much would be lacking at its upper end."""
    held = paced.held
    left, over = gpu.usable_bytes - held.total_bytes, held.high_bytes - gpu.usable_bytes
    return reason("trade_off", "tightness", left=format_bytes(left), over=format_bytes(over))


def _of_card(choice: Choice, gpu: Gpu, *, together: bool) -> list[Reason]:
    said = []
    if choice.count > 1 and gpu.nvlink_bytes_per_s is None:
        said.append(reason("trade_off", "no_nvlink"))
    bridges = bridges_between(gpu, choice.cards)
    if bridges and gpu.nvlink_bytes_per_s:
        said += _bridged(choice, gpu, *bridges, gpu.nvlink_bytes_per_s / 1e9, together=together)
    if gpu.ecc is False:
        said.append(reason("trade_off", "no_ecc"))
    if gpu.vendor == "AMD":
        said.append(reason("trade_off", "rocm"))
    elif gpu.vendor != MAINSTREAM:
        said.append(reason("trade_off", "own_stack", vendor=gpu.vendor))
    if gpu.market == "consumer" and choice.count > MANY_CONSUMER:
        said.append(reason("trade_off", "many_consumer"))
    if choice.used and choice.owned < choice.count:
        said.append(reason("trade_off", "used_market"))
    return said


def _bridged(
    choice: Choice, gpu: Gpu, bridge: Component, number: int, gb_per_s: float, *, together: bool
) -> list[Reason]:
    """What the bridges of the bill do, or what one could be added for where the cards work on one answer at once."""
    if choice.bill and any(item.part == "bridge" for item in choice.bill.items):
        return [reason("trade_off", "nvlink_bridge", joined=bridge.joined, gb_per_s=gb_per_s)]
    extra = line("bridge", bridge, number)
    if not together or choice.acquisition != "buy" or extra.subtotal is None:
        return []
    dear, date = float(extra.subtotal), extra.price_date or "?"
    return [reason("trade_off", "nvlink_bridge_extra", gb_per_s=gb_per_s, extra=dear, date=date)]


def _in_tower(choice: Choice) -> bool:
    """Whether cards without fans are to stand in a tower or in a computer that is there."""
    bill = choice.bill
    if bill is None or not blown(choice.gpu):
        return False
    return bill.own_host or (bill.host is not None and bill.host.rack_units == 0)


def _of_machines(choice: Choice, gpu: Gpu) -> list[Reason]:
    said = []
    if 0 < choice.owned < choice.count or (choice.bill and choice.bill.own_host):
        said.append(reason("trade_off", "host_must_take", count=choice.count, watts=(gpu.tdp_w or 0) * choice.count))
    bill = choice.bill
    unpriced = [item.product for item in bill.items if item.subtotal is None] if bill else []
    said += [reason("trade_off", "machine_unpriced", part=product) for product in unpriced]
    if bill and bill.network:
        network = bill.network
        said.append(
            reason(
                "trade_off", "several_machines", machines=choice.machines, leaf=network.leaf_switches,
                spine=network.spine_switches, rails=network.rails,
                storage_gb_per_s=network.storage_read_bytes_per_s / 1e9,
            )
        )  # fmt: skip
    return said


def _availability(
    choice: Choice, price: Price, items: tuple[Item, ...], country: str | None
) -> tuple[Reason, ...]:  # fmt: skip
    gpu, said = choice.gpu, []
    if choice.offer and choice.offer.region:
        said.append(reason("availability", "region", region=choice.offer.region))
    if choice.acquisition == "buy" and choice.owned < choice.count:
        rule = restriction(gpu.id, country)
        if rule is not None:
            code = {"barred": "export_barred", "licence": "export_licence", "case_by_case": "export_case_by_case"}
            said.append(reason("availability", code[rule.effect], country=country, since=rule.since))
        elif gpu.export_note and country is None:
            said.append(reason("availability", "export_note", note=gpu.export_note))
        if choice.used:
            said.append(reason("availability", "second_hand"))
        if _in_tower(choice):
            said.append(reason("availability", "blower"))
        elif gpu.status not in ORDERABLE:
            said.append(reason("availability", "status", status=gpu.status))
    if any(item.given for item in items):
        said.append(reason("availability", "price_given"))
    if price.amount and not all(item.given for item in items):
        if price.as_of is None:
            said.append(reason("availability", "price_undated"))
        else:
            old = is_stale(price.as_of)
            said.append(reason("availability", "price_old" if old else "price_read", date=price.as_of))
    return tuple(said)


def _step(choice: Choice, found: Configuration) -> Step:
    amount = None if found.price.amount is None else float(found.price.amount)
    if choice.offer is not None:
        return Step(
            label=found.title, formula="instances · on_demand_usd_per_hour",
            inputs={
                "instances": choice.machines, "on_demand_usd_per_hour": float(choice.offer.on_demand_usd_per_hour or 0)
            },
            value=amount, unit="usd_per_hour", source=choice.offer.source,
        )  # fmt: skip
    return Step(
        label=found.title, formula="Σ count · unit_price over the parts with a known price",
        inputs={f"{one.part}: {one.product}": float(one.subtotal) for one in found.items if one.subtotal is not None},
        value=amount, unit="usd", source=gpus()[found.gpu].price_source,
    )  # fmt: skip
