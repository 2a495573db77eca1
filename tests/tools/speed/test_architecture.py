"""Counts that speed follows from."""

import pytest

from kb.base import BadInput, UnknownName
from kb.catalog import models
from kb.records.model import Model
from tools.model_fields import ModelFields
from tools.speed.architecture import Architecture, architecture_of


def of(**fields: object) -> Architecture:
    return architecture_of(ModelFields.model_validate(fields))


def test_every_weight_but_the_input_table_is_read() -> None:
    found = of(model="meta-llama/Meta-Llama-3.1-70B")
    assert found.dense_params + found.head_params == pytest.approx(70.55e9 - 1.05e9, rel=0.002)
    assert not found.moe
    assert found.coverage(64) == 0


def test_a_tied_table_is_read_once_as_the_head() -> None:
    found = of(model="Qwen/Qwen3-0.6B")
    assert found.tied
    assert found.dense_params + found.head_params == pytest.approx(found.params, rel=0.001)


def test_one_token_visits_the_active_share_and_many_visit_nearly_all() -> None:
    found = of(model="Qwen/Qwen3-235B-A22B")
    assert found.active_params == pytest.approx(21.6e9, rel=0.03)
    assert found.coverage(1) == pytest.approx(8 / 128)
    assert 0.85 < found.coverage(32) < 0.88
    assert found.coverage(1000) == pytest.approx(1.0)


def test_linear_layers_cache_a_constant_state() -> None:
    found = of(model="Qwen/Qwen3.5-27B")
    assert found.linear_layers == 48
    assert found.attention_layers == 16
    assert found.state_bytes > 0


def test_a_latent_cache_is_one_vector_a_layer() -> None:
    found = of(model="deepseek-ai/DeepSeek-R1")
    assert found.latent
    assert found.full_width == 61 * 576


def test_a_mixture_known_by_its_totals_keeps_its_active_parameters() -> None:
    found = of(params=100_000_000_000, active_params=10_000_000_000)
    assert found.moe
    assert found.guessed
    assert found.active_params == pytest.approx(10e9, rel=0.25)


def test_no_model_is_an_error() -> None:
    with pytest.raises(BadInput, match="model"):
        of()


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(UnknownName, match="Llama-9-900B"):
        of(model="Llama-9-900B")


UNREAD = [m for m in models().values() if m.kind in ("llm", "vlm") and not m.hidden_size and not m.components]


@pytest.mark.parametrize("model", UNREAD, ids=lambda model: model.id)
def test_a_language_model_known_by_its_parameters_alone_still_has_a_speed(model: Model) -> None:
    made = architecture_of(ModelFields(model=model.id))
    assert made.guessed
    assert made.params == model.params
    assert 0 < made.active_params <= 1.1 * model.params
    if model.active_params:
        assert made.active_params <= 1.6 * model.active_params


def test_a_picture_generator_makes_no_tokens() -> None:
    with pytest.raises(BadInput, match="tokens"):
        of(model="stabilityai/stable-diffusion-xl-base-1.0")
