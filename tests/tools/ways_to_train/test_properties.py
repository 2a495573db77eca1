"""More of anything never makes it worse, and every way keeps to its memory and to what was asked."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.ways_to_train.problems import HOST, concession, found, problems, rate, worth

AS_FAST = 0.94
"""The simpler of two ways that are about as fast comes first."""


def _expect_no_worse(better: dict[str, Any], worse: dict[str, Any]) -> None:
    one, other = found(better), found(worse)

    assert worth(one) <= worth(other)
    if worth(one) == worth(other):
        assert rate(better) >= AS_FAST * rate(worse)


@given(problems())
@settings(max_examples=40, deadline=None)
def test_twice_the_cards_are_never_worse(fields: dict[str, Any]) -> None:
    card = fields["cards"][0]
    more = {**fields, "cards": [{**card, "count": 2 * card["count"]}]}
    if fields.get("global_batch", 99) < 2 * card["count"] or (card["count"] == 1 and "sharding" in fields):
        return  # a batch smaller than the cards is raised to one sample a card; a lone card shards nothing
    _expect_no_worse(more, fields)


@given(problems(), st.sampled_from([2, 8, 20]))
@settings(max_examples=40, deadline=None)
def test_memory_that_nobody_takes_never_makes_it_worse(fields: dict[str, Any], taken_gib: int) -> None:
    _expect_no_worse(fields, {**fields, "memory_taken": taken_gib << 30})


@given(problems())
@settings(max_examples=40, deadline=None)
def test_what_is_left_open_is_never_worse_than_what_is_fixed(fields: dict[str, Any]) -> None:
    fixed = [name for name in ("gradient_checkpointing", "sharding") if name in fields]
    _expect_no_worse({name: value for name, value in fields.items() if name not in fixed}, fields)


@given(problems())
@settings(max_examples=30, deadline=None)
def test_more_host_memory_is_never_worse(fields: dict[str, Any]) -> None:
    _expect_no_worse({**fields, "host_memory_bytes": 16 << 40}, {**fields, "host_memory_bytes": 64 << 30})


@given(problems())
@settings(max_examples=30, deadline=None)
def test_shorter_samples_never_need_more(fields: dict[str, Any]) -> None:
    shorter = {**fields, "sequence_tokens": fields["sequence_tokens"] // 2}

    assert worth(found(shorter)) <= worth(found(fields))


@given(problems())
@settings(max_examples=60, deadline=None)
def test_ways_keep_to_the_memory_and_to_what_was_asked(fields: dict[str, Any]) -> None:
    answer = found(fields)

    for way in answer.ways:
        memory = way.memory
        assert memory.needed_bytes_per_gpu <= memory.usable_bytes_per_gpu
        assert (memory.high_bytes_per_gpu <= memory.usable_bytes_per_gpu) or memory.surety != "yes"
        assert sum(memory.parts.values()) == pytest.approx(memory.needed_bytes_per_gpu, abs=20)
        assert memory.host_usable_bytes is None or memory.host_bytes <= memory.host_usable_bytes
        assert fields.get("gradient_checkpointing") in (None, way.gradient_checkpointing)
        assert fields.get("sharding") in (None, way.sharding) or way.cards.count == 1
        assert way.limits.max_micro_batch_size is None or way.limits.max_micro_batch_size >= way.micro_batch_size
        assert way.method == ("full" if "full" in fields["method"] else fields["method"].split()[-1])
    assert bool(answer.ways) == (answer.nearest is None)
    assert (answer.answer.verdict == "does_not_fit") <= (not answer.ways and not answer.changes)


@given(problems())
@settings(max_examples=30, deadline=None)
def test_every_change_helps(fields: dict[str, Any]) -> None:
    answer = found(fields)
    held = answer.answer.tokens_per_s or 0.0

    for change in answer.changes:
        without_host = answer.ways and concession(answer.ways[0]) >= HOST
        better = not answer.ways or change.surety == "yes" or (change.tokens_per_s or 0) > held
        assert better or without_host, change


def test_concessions_are_told_in_the_fields() -> None:
    answer = found({"model": "Qwen/Qwen3-8B", "method": "full", "cards": "4090", "host_memory": "256GB"})

    assert concession(answer.ways[0]) == 4
    assert answer.ways[0].memory.host_bytes > 100 << 30
