"""What runs a model at home or for the least money: four bits, one memory, second-hand pairs."""

import pytest

from assistant.ground.check import ground
from assistant.plan import own_machine
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "cheapest", "brisk"),
    [
        pytest.param("Cheapest way to run a 70B", "Ryzen AI Max+ 395", "2×RTX 3090", id="70b"),
        pytest.param("跑 70B 最便宜的方案", "Ryzen AI Max+ 395", "2×RTX 3090", id="70b-zh"),
        pytest.param("best pc build for llama 3.3 70b at home", "Ryzen AI Max+ 395", "2×RTX 3090", id="home"),
        pytest.param("least expensive box for Qwen2.5-72B", "4×RTX 4060 Ti 16GB", "2×RTX 3090", id="72b"),
        pytest.param("cheapest hardware for gpt-oss-120b", "Ryzen AI Max+ 395", None, id="mixture"),
        pytest.param("最便宜的能跑 32B 的方案", "RTX 3090", None, id="32b-zh"),
    ],
)
def test_the_cheapest_and_the_cheapest_that_is_brisk(text: str, cheapest: str, brisk: str | None) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert cheapest in first
    assert "GGUF" in first
    assert brisk is None or brisk in first
    assert brisk is not None or ("reading speed" not in first and "阅读速度" not in first)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["Cheapest way to run a 70B", "跑 32B 最便宜的方案", "cheapest way to run Qwen3-235B"])
def test_what_is_rented_has_as_few_bits_as_what_is_bought(text: str) -> None:
    _, _, draft = turn(text)
    ordered = [line for line in draft.answer.split("\n") if line.startswith("- **")]
    assert any("Rent" in line or "租用" in line for line in ordered)
    assert all("GGUF Q4_K_M" in line or "AWQ" in line for line in ordered)


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize("text", ["cheapest way to run Kimi K2", "Kimi K2 最便宜的部署方案"])
def test_a_machine_that_holds_fewer_bits_is_not_the_cheapest_of_more(text: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert "Apple" not in first
    narrow = next(line for line in draft.answer.split("\n") if line.startswith("- ") and "Apple M3 Ultra 512GB" in line)
    assert "GGUF Q2_K" in narrow
    assert "markedly worse" in narrow or "明显下降" in narrow
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_tight_fit_is_told_as_one() -> None:
    assert "2×RTX 3090 (a tight fit)" in turn("Cheapest way to run a 70B")[2].answer.split("\n")[0]


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "least"),
    [
        pytest.param("how can I run Kimi K2 at home?", "768 GiB of memory", id="kimi"),
        pytest.param("在家跑 DeepSeek-V3 要什么配置", "Apple M3 Ultra 512GB", id="deepseek-zh"),
        pytest.param("DeepSeek R1 671B at home, what's the minimum?", "Apple M3 Ultra 512GB", id="least"),
        pytest.param("家里想跑 Qwen3-235B", "2×AMD Ryzen AI Max+ 395", id="two-desks-zh"),
        pytest.param("can a gaming pc run GLM-4.5", "2×DGX Spark", id="pc"),
    ],
)
def test_what_is_no_home_machine_is_said_before_the_least_that_does_it(text: str, least: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert "not a home machine" in first or "不是家用机器" in first
    assert least in first
    assert "API" in draft.answer
    assert "memory" in draft.answer or "内存" in draft.answer
    assert "8×" not in first, "a server of six figures is nobody's home machine"
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.usefixtures("fresh_prices")
def test_two_bits_are_told_as_what_they_are() -> None:
    answer = turn("run kimi k2 locally on a home pc")[2].answer
    line = next(line for line in answer.split("\n") if "Q2_K" in line)
    assert "markedly worse" in line


@pytest.mark.parametrize(
    "text",
    [
        "cheapest GPU to rent for a 70B",
        "our startup needs the cheapest way to serve Llama 3.3 70B",
        "cheapest way to serve a 70B to 50 users",
        "cheapest way to fine-tune a 70B",
        "cheapest card for a 70B in fp16",
        "what GPU should I buy to run Qwen3-14B at home",
        "租还是买最划算，跑 70B",
    ],
)
def test_other_searches_stay_as_they_are(text: str) -> None:
    assert not own_machine.asked(understand(text))
