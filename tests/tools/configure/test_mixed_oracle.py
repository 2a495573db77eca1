"""Unlike cards against a naive search: every deal of the layers, every pick of the cards, each time anew."""

import random
from collections.abc import Iterator
from itertools import combinations_with_replacement, product

import pytest

from kb.catalog import gpus, model
from kb.records.gpu import Gpu
from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.memory import estimate_memory
from tools.memory.pooled import pooled
from tools.memory.request import MemoryRequest
from tools.speed import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest

CARDS = ("rtx-3060-12gb", "rtx-4060-ti-16gb", "rtx-3090-24gb", "p40-24gb", "rtx-5090-32gb", "gtx-1060-6gb")
MODELS = ("Qwen2.5-7B", "Qwen2.5-14B", "Qwen2.5-32B", "Llama-3.3-70B-Instruct")
FORMS = ("gguf:Q8_0", "gguf:Q6_K", "gguf:Q5_K_M", "gguf:Q4_K_M")


def needs(count: int, seed: int) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    chance = random.Random(seed)
    for _ in range(count):
        yield chance.choice(MODELS), chance.choice(FORMS), tuple(chance.choices(CARDS, k=chance.choice([2, 3])))


def naively_held(name: str, form: str, cards: list[Gpu], *, sure: bool) -> bool:
    """Whether any deal of the layers leaves every card within its memory, by the figures of one large card."""
    per = estimate_memory(MemoryRequest(model=name, weight_format=form, engine="llama.cpp")).per_gpu
    divided = sum(part.bytes for part in per.parts if part.name in {"weights", "kv_cache"})
    more = per.high_bytes / per.total_bytes if sure else 1.0
    fixed, layers = (per.total_bytes - divided) * more, model(name).layers or 0
    each = divided * more / layers
    rooms = [card.usable_bytes for card in cards]
    return any(
        sum(deal) == layers and all(fixed + one * each <= room for one, room in zip(deal, rooms, strict=True))
        for deal in product(*(range(layers + 1) for _ in cards))
    )


@pytest.mark.parametrize(("name", "form", "names"), list(needs(40, 5)))
def test_layers_are_dealt_out_wherever_any_deal_works(name: str, form: str, names: tuple[str, ...]) -> None:
    cards = sorted((gpus()[one] for one in names), key=lambda gpu: -gpu.usable_bytes)
    if len(cards) == 3:
        cards = cards[:2]  # a naive search of three cards takes minutes
    held = pooled(MemoryRequest(model=name, weight_format=form, engine="llama.cpp"), cards)
    assert (held.verdict != "no") == naively_held(name, form, cards, sure=False)
    assert held.verdict != "yes" or naively_held(name, form, cards, sure=True)
    if held.verdict != "no":
        assert sum(held.layers) == model(name).layers
        assert all(one <= card.usable_bytes for one, card in zip(held.held_bytes, cards, strict=True))


def mixed(name: str, owned: tuple[str, ...], **fields: object) -> Configuration | None:
    counted = tuple({"gpu": one, "count": owned.count(one)} for one in dict.fromkeys(owned))
    request = {"task": "inference", "model": name, "gpus_owned": counted, "with_frontier": False} | fields
    found = configure(ConfigureRequest.model_validate(request)).configurations
    return next((one for one in found if one.cards), None)


def naive_rate(name: str, form: str, cards: list[Gpu]) -> float:
    """Tokens a second of one user, card by card; nothing where a card holds no layer."""
    held = pooled(MemoryRequest(model=name, weight_format=form, engine="llama.cpp"), cards)
    if held.verdict == "no" or not all(held.layers):
        return 0.0
    seconds = 0.0
    for card, layers in zip(cards, held.layers, strict=True):
        request = MemoryRequest(model=name, weight_format=form, engine="llama.cpp")
        alone = next(count for count in range(1, 17) if pooled(request, [card] * count).verdict != "no")
        speed = estimate_inference_speed(
            InferenceSpeedRequest(
                model=name, gpu=card.id, gpu_count=alone, engine="llama.cpp", weight_format=form, context_tokens=None
            )
        )
        seconds += layers / sum(held.layers) / speed.tokens_per_s_per_user.value
    return 1 / seconds


@pytest.mark.parametrize(("name", "_", "names"), [one for one in needs(14, 11) if len(set(one[2])) > 1])
def test_the_fastest_pick_in_the_best_format_is_found(name: str, _: str, names: tuple[str, ...]) -> None:
    found = mixed(name, names)
    every = {
        tuple(sorted(pick))
        for size in range(2, len(names) + 1)
        for pick in combinations_with_replacement(sorted(set(names)), size)
        if len(set(pick)) > 1 and all(pick.count(one) <= names.count(one) for one in pick)
    }
    by_size = [sorted((gpus()[one] for one in pick), key=lambda gpu: (-gpu.usable_bytes, gpu.id)) for pick in every]
    for verdict, form in product(("yes", "tight"), FORMS):
        request = MemoryRequest(model=name, weight_format=form, engine="llama.cpp")
        held = [(cards, pooled(request, cards)) for cards in by_size]
        fitting = [cards for cards, one in held if one.verdict == verdict and all(one.layers)]
        if fitting:
            assert found is not None
            assert (found.weight_format, found.memory.verdict) == (form, verdict)
            rate = float((found.speed or {})["tokens_per_s_per_user"] or 0)
            assert rate == pytest.approx(max(naive_rate(name, form, cards) for cards in fitting), rel=1e-6)
            return
    assert found is None or found.weight_format in {"gguf:Q3_K_M", "gguf:Q2_K"}


@pytest.mark.parametrize("more", ["gtx-1060-6gb", "p40-24gb", "rtx-5090-32gb"])
@pytest.mark.parametrize("name", ["Qwen2.5-32B", "Llama-3.3-70B-Instruct"])
def test_another_card_never_makes_it_worse(name: str, more: str) -> None:
    owned = ("rtx-3090-24gb", "rtx-4060-ti-16gb")
    few, many = mixed(name, owned), mixed(name, (*owned, more))
    order = ["gguf:Q2_K", "gguf:Q3_K_M", *reversed(FORMS)]
    assert few is not None
    assert many is not None
    better = order.index(str(many.weight_format)) - order.index(str(few.weight_format))
    assert better >= 0
    if better == 0 and few.memory.verdict == many.memory.verdict:
        assert (many.speed or {})["tokens_per_s_per_user"] >= (few.speed or {})["tokens_per_s_per_user"]  # type: ignore[operator]


def test_a_slow_card_that_is_not_needed_stays_out() -> None:
    found = mixed("Qwen3-32B", ("rtx-5090-32gb", "rtx-3090-24gb", "gtx-1060-6gb"))
    assert found is not None
    assert {kind.gpu for kind in found.cards} == {"rtx-5090-32gb", "rtx-3090-24gb"}


def test_below_four_bits_only_where_nothing_above_holds_it_and_no_format_was_asked_for() -> None:
    pair = ("rtx-3090-24gb", "rtx-4060-ti-16gb")
    found = mixed("Llama-3.3-70B-Instruct", pair)
    assert found is not None
    assert found.weight_format == "gguf:Q3_K_M"
    assert mixed("Llama-3.3-70B-Instruct", pair, weight_format="gguf:Q4_K_M") is None


def test_who_only_rents_is_told_of_no_cards_in_hand() -> None:
    assert mixed("Qwen3-32B", ("rtx-5090-32gb", "rtx-3090-24gb"), acquisition="rent") is None
