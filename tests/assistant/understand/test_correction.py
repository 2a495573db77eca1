"""A correction changes exactly the fields it names."""

from typing import Any

import pytest

from assistant.agent import Advisor
from assistant.understand import understand
from assistant.understand.correction import corrected
from kb.base import BadInput, UnknownName
from tools.need import Need

BEFORE = understand("Can 2×4090 serve Qwen2.5-32B in AWQ to 10 users with 8k context under $5000?").need
CHANGES: list[tuple[dict[str, Any], set[str]]] = [
    ({"context_tokens": 32768}, {"context_tokens"}),
    ({"weight_format": "fp8"}, {"weight_format"}),
    ({"users": 200}, {"users"}),
    ({"budget": {"amount": 30000, "currency": "CNY", "mode": "buy"}}, {"budget"}),
    ({"budget": None}, {"budget"}),
    ({"gpus_owned": [{"gpu": "rtx 3090", "count": 4}]}, {"gpus_owned"}),
    ({"model": "Qwen2.5-72B"}, {"model", "model_text", "params"}),
    ({"params": 13_000_000_000}, {"model", "model_text", "params"}),
    ({"gpus_proposed": [{"gpu": "l40s", "count": 2}]}, {"gpus_proposed", "gpus_asked"}),
]


@pytest.mark.parametrize(("changes", "changed"), CHANGES)
def test_only_the_fields_named_change(changes: dict[str, Any], changed: set[str]) -> None:
    need = corrected("…", BEFORE, changes).need
    differing = {name for name in Need.model_fields if getattr(need, name) != getattr(BEFORE, name)}
    assert differing <= changed
    assert set(changes) <= differing


def test_names_become_catalog_ids() -> None:
    need = corrected("…", BEFORE, {"gpus_owned": [{"gpu": "RTX 3090", "count": 4}]}).need
    assert need.gpus_owned[0].gpu == "rtx-3090-24gb"


@pytest.mark.parametrize("changes", [{"intent": "spec"}, {"colour": 1}, {"users": -3}, {"gpus_owned": ["4090"]}])
def test_what_cannot_be_corrected_is_refused_by_name(changes: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as refused:
        corrected("…", BEFORE, changes)
    assert refused.value.field in changes


def test_an_unknown_model_names_the_closest() -> None:
    with pytest.raises(UnknownName) as refused:
        corrected("…", BEFORE, {"model": "Qwen2.5-71B"})
    assert refused.value.close


def test_a_conversation_without_a_turn_has_nothing_to_correct() -> None:
    with pytest.raises(BadInput, match="Ask a question first"):
        corrected("…", None, {"users": 3})


def test_a_corrected_turn_is_answered_anew_and_remembered() -> None:
    advisor = Advisor()
    first = advisor.ask("4090 能跑 Qwen2.5-7B 吗？", "c")
    (*_, last) = advisor.stream("把上下文改成 65,536 tokens", "c", {"context_tokens": 65536})
    assert last.answer is not None
    assert last.answer.need.context_tokens == 65536
    assert last.answer.need.gpus_owned == first.need.gpus_owned
    assert last.answer.language == "zh"
    assert advisor.ask("那 4-bit 呢？", "c").need.context_tokens == 65536
    advisor.conversations.close()
