"""Models that only their maker runs."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("What hardware do I need to run GPT-5 on premises?", "GPT-5 cannot be run", id="run"),
        pytest.param("想在公司本地部署GPT-4o,买什么服务器?", "GPT-4o 不能本地部署", id="zh-server"),
        pytest.param("Which GPUs should we buy to host Claude Sonnet 4 ourselves?", "cannot be run", id="buy"),
    ],
)
def test_hardware_for_a_closed_model_is_refused_first(text: str, said: str) -> None:
    assert said in turn(text)[2].answer.splitlines()[0]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("我想要一个GPT-4水平的本地模型,预算20万买什么服务器", id="level"),
        pytest.param("Which server should we buy to run a GPT-4 class model?", id="class"),
    ],
)
def test_closed_model_as_a_measure_is_no_refusal(text: str) -> None:
    assert turn(text)[2].verdict != "fact"
