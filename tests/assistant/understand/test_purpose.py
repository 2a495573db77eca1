"""What a model is wanted for, in the words people use."""

import pytest

from assistant.understand import understand


@pytest.mark.parametrize(
    ("question", "purpose"),
    [
        pytest.param("给公司20个程序员用的代码助手,预算30万以内", "coding", id="zh-code"),
        pytest.param("What's the best coding model I can run on a 3090?", "coding", id="en-code"),
        pytest.param("企业知识库问答,100人用,预算50万", "chinese_chat", id="zh-knowledge-base"),
        pytest.param("We want a local ChatGPT for 50 employees, budget $30k", "chat", id="en-own-chatgpt"),
        pytest.param("多模态识图服务,一张卡够吗", "vision_language", id="zh-images"),
        pytest.param("GPU for a VLM that reads invoices", "vision_language", id="en-images"),
        pytest.param("best reasoning model for 2x4090?", "reasoning", id="en-reasoning"),
    ],
)
def test_a_purpose_is_read_where_no_model_is_named(question: str, purpose: str) -> None:
    need = understand(question).need
    assert need.purpose == purpose
    assert need.model is None


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("用 Qwen2.5-Coder-32B 做代码助手要几张卡", id="a-model-is-named"),
        pytest.param("70B 的客服模型要多大显存", id="a-size-is-named"),
        pytest.param("LoRA 微调一个客服模型，预算 5 万", id="training"),
        pytest.param("4090 和 3090 的带宽差多少", id="no-purpose"),
    ],
)
def test_a_purpose_is_left_open_where_the_model_is_known_or_trained(question: str) -> None:
    assert understand(question).need.purpose is None


def test_asking_for_an_own_chatgpt_is_the_advisors_business() -> None:
    assert not understand("We want a local ChatGPT for 50 employees, budget $30k. What should we buy?").out_of_scope
