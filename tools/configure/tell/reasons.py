"""What is said of a configuration: codes with values, and the English sentence of each code."""

from decimal import Decimal

from kb.market.rates import convert
from tools.base import Scalar
from tools.configuration import Reason

TEXTS = {
    # why
    "holds": "It fits on {used} × {gpu} in {format}.",
    "holds_tightly": "It fits on {used} × {gpu} in {format} only by the estimate, not by its upper end.",
    "owned_suffices": "The {count} × {gpu} you have are enough.",
    "add_to_owned": "Adding {missing} × {gpu} to the {owned} you have is enough.",
    "best_use": "The most speed within the budget; the next cheaper one is more than a tenth slower.",
    "fewer_cards": "Half as many cards or fewer: less room, power and splitting for the price.",
    "cheapest": "It leads because the cheapest was asked for.",
    "fastest": "It leads because the fastest was asked for.",
    "quietest": "It leads because the quietest was asked for: least power, with fans of its own that need no server.",
    "simplest": "It leads because the simplest was asked for: fewest cards and machines.",
    "least_total": "Finishes the job for the least money in all: dearer an hour, but done sooner.",
    "parallel": "Each of the {count} cards works by itself: so many runs go on at once.",
    "split_by_memory": "{cards} hold it together in {format}: llama.cpp deals the layers out by memory.",
    "cut_into": "Each {gpu} is cut into {each} instances {profile} (MIG) with memory and bandwidth of their own, for "
    "{wanted} who must not disturb each other.",
    "card_each": "A whole {gpu} for each of the {wanted}: it cannot be cut into instances (MIG) that hold the work.",
    # trade_off
    "tightness": "By the estimate {left} of each card stay free; at its upper end {over} are lacking. Shorter texts or "
    "fewer of them at a time make it sure.",
    "parts_apart": "No instance uses what another leaves idle, and none holds a larger model than its own memory.",
    "mostly_empty": "It needs a small part of the card: cut by MIG, {each} instances {profile} each hold it, so the "
    "card can be shared.",
    "unlike_cards": "Unlike cards take turns, and the slowest, {slowest}, sets much of the pace; vLLM and other tensor "
    "parallelism need equal ones.",
    "spare": "{spare} of the {count} GPUs stay free.",
    "no_nvlink": "No NVLink: the cards talk over PCIe.",
    "bridged_groups": "Bridges join at most {joined} of these cards; beyond that they talk over PCIe, and the speed is "
    "counted so.",
    "no_ecc": "No ECC memory.",
    "rocm": "Runs on ROCm: check that every library you need supports it.",
    "own_stack": "Runs on the software of {vendor}, not CUDA: plan for porting.",
    "many_consumer": "Consumer cards: power, cooling and slots for this many need planning, and the warranty may "
    "exclude it.",
    "used_market": "Second-hand: no longer sold new, little or no warranty; test each card.",
    "host_must_take": "Your machine must take {count} cards and deliver {watts} W for them.",
    "nvlink_bridge": "Bridges join {joined} of these cards at {gb_per_s:.4g} GB/s; they are on the bill.",
    "nvlink_bridge_extra": "An NVLink bridge for {extra:,.0f} USD (read {date}) would join two of these cards at "
    "{gb_per_s:.4g} GB/s; price and speed here are without it.",
    "machine_unpriced": "No price was found for {part}.",
    "reduced_precision": "Weights in {format} instead of {native}: some quality is given up.",
    "far_reduced": "Weights in {format}, fewer than four bits: answers get markedly worse; a smaller model in four "
    "bits usually does better.",
    "several_machines": "{machines} machines: a network of {leaf} leaf and {spine} spine switches with {rails} "
    "rails, and shared storage that reads {storage_gb_per_s:.3g} GB/s.",
    "interruptible": "Spot instances can be taken away: save checkpoints; {allowance:.0%} more hours are allowed for.",
    "committed": "The reserved price binds for a year.",
    # availability
    "region": "{region}",
    "price_given": "at the price you gave",
    "price_undated": "price undated",
    "price_read": "price read {date}",
    "price_old": "price read {date} (older than 30 days)",
    "export_licence": "sold in {country} only while the maker holds a licence (since {since})",
    "export_case_by_case": "for {country} only to buyers approved case by case (since {since})",
    "export_barred": "not sold to {country} (export control since {since})",
    "export_note": "{note}",
    "status": "status: {status}",
    "second_hand": "second-hand market only",
    "blower": "no fans: in a tower each needs a blower and a shroud, not priced here",
    # near misses: reason
    "too_small": "Even in {format} each GPU needs {needed} of {usable} usable.",
    "too_dear": "Costs {excess:,.2f} {currency}{per} more than the budget.",
    "too_slow": "Reaches {reached:.3g} of the {wanted:.3g} {measure} asked for.",
    "too_late": "Takes {reached:.3g} hours; {wanted:.3g} are allowed.",
    "too_hungry": "Draws {reached:,} W; {wanted:,} W are allowed.",
    "not_sold_here": "Not sold to {country} (export control since {since}).",
    "case_by_case_here": "For {country} only to buyers approved case by case (since {since}).",
    "made_for_elsewhere": "Made for markets under export control; not sold to {country}.",
    "within_money": "Within the limits for less than was asked.",
    # near misses: change
    "fewer_at_once": "Let at most {reached:,} requests run at once.",
    "shorter_texts": "Keep prompt and answer together within {reached:,} tokens.",
    "use_more": "Use {count} of them.",
    "use_larger": "Use cards with more memory.",
    "raise_budget": "Raise the budget by {excess:,.2f} {currency}{per}.",
    "accept_slower": "Accept {reached:.3g} {measure}.",
    "accept_later": "Allow {reached:.3g} hours.",
    "allow_power": "Allow {reached:,} W.",
    "use_other": "Use {other} instead.",
}  # fmt: skip


def reason(kind: str, code: str, **values: Scalar) -> Reason:
    """One thing to say."""
    return Reason.model_validate({"kind": kind, "code": code, "values": values})


def text(one: Reason) -> str:
    """The English sentence."""
    return TEXTS[one.code].format(**one.values)


def in_currency(one: Reason, currency: str) -> Reason:
    """The same with what is beyond a budget in the asker's currency.

    Raises:
        UnknownName: no rate of that currency is known.
    """
    excess = one.values.get("excess")
    if not isinstance(excess, float) or currency == "USD":
        return one
    return one.model_copy(
        update={
            "values": {**one.values, "excess": float(convert(Decimal(excess), "USD", currency)), "currency": currency}
        }
    )


def texts(reasons: tuple[Reason, ...], kind: str) -> tuple[str, ...]:
    """The English sentences of one kind."""
    return tuple(text(one) for one in reasons if one.kind == kind)
