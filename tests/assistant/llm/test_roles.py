"""Who drives: what was tried and passed, what was named outright and is not small, what the person says."""

from datetime import date
from pathlib import Path

import pytest

from assistant.llm.choosing.finding import Found
from assistant.llm.roles import Role, is_small, params_of, role, standing
from kb.model_choice import ModelChoice, Models, ModelTrial, write_models
from kb.settings import Settings

DAY = date(2026, 5, 1)


def trial(llm: str, *, passed: bool, base_url: str | None = None) -> ModelTrial:
    """How a model did."""
    return ModelTrial(
        name=llm, llm=llm, base_url=base_url, passed=passed, right=9 if passed else 3, of=10, seconds=60, day=DAY
    )


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("openai:gpt-4o-mini", None),
        ("ollama:qwen3:8b", 8e9),
        ("openai:qwen3:0.6b", 0.6e9),
        ("openai:Qwen/Qwen3-30B-A3B", 30e9),
        ("openai:gemma3:270m", 0.27e9),
        ("openai:mixtral-8x7b", 56e9),
        ("openai:gemma-3n-E4B-it", 4e9),
        ("openai:deepseek-v3", None),
        ("openai:llama-3.1-70b-instruct-q4_k_m", 70e9),
        ("openai:kimi-k2-1t", 1e12),
        ("local", None),
        ("local:/models/8b/Qwen3-4B-Q8_0.gguf", 4e9),
        (r"local:C:\models\big-32b.gguf", 32e9),
    ],
)
def test_a_name_tells_its_size(name: str, params: float | None) -> None:
    assert params_of(name) == (None if params is None else pytest.approx(params))


@pytest.mark.parametrize(
    ("llm", "said", "tried", "expected"),
    [
        pytest.param(None, "auto", None, "read", id="none"),
        pytest.param("openai:gpt-x", "auto", None, "drive", id="named outright"),
        pytest.param("openai:qwen3:8b", "auto", None, "read", id="small by its name"),
        pytest.param("local", "auto", None, "read", id="the local default"),
        pytest.param("openai:qwen3:8b", "auto", True, "drive", id="small and passed"),
        pytest.param("openai:gpt-x", "auto", False, "read", id="large and failed"),
        pytest.param("openai:gpt-x", "drive", False, "drive", id="failed, told to drive"),
        pytest.param("openai:gpt-x", "read", True, "read", id="passed, told to read"),
    ],
)
def test_who_drives(tmp_path: Path, llm: str | None, said: str, tried: bool | None, expected: Role) -> None:
    if tried is not None and llm is not None:
        write_models(tmp_path, Models(trials=(trial(llm, passed=tried),)))
    options = Settings.model_validate({"home": tmp_path, "llm": llm, "llm_role": said})
    assert role(options, tmp_path) == expected


def test_the_same_name_elsewhere_is_another_model(tmp_path: Path) -> None:
    write_models(tmp_path, Models(trials=(trial("openai:m", passed=False, base_url="http://a/v1"),)))
    assert role(Settings(home=tmp_path, llm="openai:m", llm_base_url="http://a/v1"), tmp_path) == "read"
    assert role(Settings(home=tmp_path, llm="openai:m", llm_base_url="http://b/v1"), tmp_path) == "drive"


def test_a_second_trial_takes_the_place_of_the_first(tmp_path: Path) -> None:
    models = Models().tried(trial("openai:m", passed=False)).tried(trial("openai:n", passed=False))
    models = models.tried(trial("openai:m", passed=True))
    assert [(one.llm, one.passed) for one in models.trials] == [("openai:n", False), ("openai:m", True)]


def found(name: str) -> Found:
    """A model that a server lists."""
    return Found(kind="server", name=name, title="Ollama", base_url="http://127.0.0.1:11434/v1")


def test_the_start_says_in_one_line_how_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Settings(home=tmp_path)
    assert "planner answers" in standing(nothing, tmp_path, [])
    variable = "DEEPSEEK_API_KEY"
    key = Found(kind="key", name="deepseek:", title="DeepSeek", base_url="https://x/v1", key_variable=variable)
    listed = standing(nothing, tmp_path, [found("ollama:a"), key])
    assert "ollama:a" in listed
    assert "DEEPSEEK_API_KEY" in listed
    chosen = ModelChoice(
        name="deepseek:chat", llm="openai:chat", base_url="https://x/v1", key_variable="DEEPSEEK_API_KEY", day=DAY
    )
    write_models(tmp_path, Models(chosen=chosen))
    used = Settings(home=tmp_path, llm="openai:chat", llm_base_url="https://x/v1")
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    untried = standing(used, tmp_path, [])
    assert "deepseek:chat" in untried
    assert "not tried" in untried
    assert "drives" in untried
    assert "DEEPSEEK_API_KEY is not set" in untried
    write_models(tmp_path, Models(chosen=chosen, trials=(trial("openai:chat", passed=False, base_url="https://x/v1"),)))
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-secret")
    failed = standing(used, tmp_path, [])
    assert "failed with 3 of 10" in failed
    assert "only reads" in failed
    assert "secret" not in failed
    assert all("\n" not in line for line in (listed, untried, failed))


def test_small_is_up_to_eight_billion() -> None:
    assert is_small("openai:qwen3-8b")
    assert not is_small("openai:qwen3-14b")
