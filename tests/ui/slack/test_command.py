"""`/gpu`: questions and tools for the asker alone, who may share them."""

import pytest
from fake_slack import OLDER, FakeSlack, as_form
from slack_reading import buttons_of, text_of
from slack_workspace import Workspace

from kb.base import BadInput
from tools.registry import tool
from ui.slack.command import arguments, split
from ui.slack.words import words

QUESTION = "Can 4×RTX 3090 run Qwen2.5-72B in 4-bit?"


def test_question_is_acknowledged_at_once_and_answered_in_private(workspace: Workspace, slack: FakeSlack) -> None:
    acknowledged = workspace.command(QUESTION)
    assert acknowledged.json() == {"text": "Working it out …", "response_type": "ephemeral"}
    assert [said["response_type"] for said in slack.hooks] == ["ephemeral"]
    text = text_of(slack.hooks[0]["blocks"])
    assert text.startswith(QUESTION)
    assert "Weights" in text


def test_command_remembers_what_the_same_person_asked(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.command(QUESTION, 1)
    workspace.command("And with 8-bit?", 2)
    workspace.command("And with 8-bit?", 3, user="U0OTHER")
    history = workspace.face.turns.advisor.conversations.history
    assert [turn.need.model_text is not None for turn in history("T0ADVISOR:C0GPU:U0ASKER")][1]
    assert len(history("T0ADVISOR:C0GPU:U0OTHER")) == 1


def test_same_command_delivered_again_is_answered_once(workspace: Workspace, slack: FakeSlack) -> None:
    for _ in range(3):
        workspace.command("tool", 1)
    assert len(slack.hooks) == 1


def test_private_answer_is_shared_by_its_button_only(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.command(QUESTION)
    button = buttons_of(slack.hooks[0]["blocks"])["share:channel"]
    workspace.press(button, channel={"id": "C0GPU"}, container={"is_ephemeral": True, "message_ts": "1.1"})
    shared = slack.hooks[1]
    assert shared["response_type"] == "in_channel"
    assert "<@U0ASKER> asked" in text_of(shared["blocks"])
    assert "share:channel" not in buttons_of(shared["blocks"])


def test_follow_up_to_a_private_answer_stays_private(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.command(QUESTION)
    button = buttons_of(slack.hooks[0]["blocks"])["follow_up:arithmetic"]
    workspace.press(button, channel={"id": "C0GPU"}, container={"is_ephemeral": True, "message_ts": "1.1"})
    assert [said["response_type"] for said in slack.hooks] == ["ephemeral", "ephemeral"]
    assert text_of(slack.hooks[1]["blocks"]).startswith("Show the arithmetic.")


def test_older_workspace_gets_a_private_answer_too(workspace: Workspace, slack: FakeSlack) -> None:
    slack.known_blocks = set(OLDER)
    workspace.command(QUESTION)
    assert "Weights" in text_of(slack.hooks[0]["blocks"])


def test_tool_runs_on_pairs_and_shows_its_steps(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.command("tool estimate_memory model=llama-3.1-8b context_tokens=32768 gpu=rtx-4090")
    text = text_of(slack.hooks[0]["blocks"])
    computed = tool("estimate_memory").call({"model": "llama-3.1-8b", "context_tokens": 32768, "gpu": "rtx-4090"})
    total = computed.model_dump(mode="json")["per_gpu"]["total_bytes"]
    assert f"({total:,} B)" in text
    assert "Formula" in text


@pytest.mark.parametrize(
    ("text", "words_"),
    [
        pytest.param("", ("How to use /gpu", "/gpu tool"), id="usage"),
        pytest.param("帮助", ("/gpu 的用法",), id="usage-chinese"),
        pytest.param("tool", ("estimate_memory", "find_gpus"), id="list"),
        pytest.param("tool estimate_memry", ("That did not work", "estimate_memory"), id="misspelt"),
        pytest.param("tool estimate_memory model", ("key=value",), id="no-pair"),
        pytest.param("tool estimate_memory model=llama-3.1-8b context_tokens=-5", ("context_tokens",), id="bound"),
        pytest.param("tool estimate_memory model=llama-3.1-8b colour=red", ("colour", "Fields here"), id="no-field"),
        pytest.param('tool estimate_memory model="llama', ("quote",), id="open-quote"),
    ],
)
def test_what_cannot_be_run_is_explained(
    workspace: Workspace, slack: FakeSlack, text: str, words_: tuple[str, ...]
) -> None:
    workspace.command(text)
    said = text_of(slack.hooks[0]["blocks"])
    assert all(word in said for word in words_), said


@pytest.mark.parametrize(
    ("text", "given"),
    [
        pytest.param("names=h100,a100", {"names": ["h100", "a100"]}, id="list"),
        pytest.param('names=["h100","a100"]', None, id="json-loses-its-quotes-unless-quoted"),
        pytest.param("""'names=["h100","a100"]'""", {"names": ["h100", "a100"]}, id="quoted-json"),
        pytest.param("names=“h100”", {"names": ["h100"]}, id="curly-quotes"),
    ],
)
def test_pairs_become_a_request(text: str, given: dict[str, object] | None) -> None:
    chosen = tool("compare_gpus")
    field = next(name for name in chosen.request.model_fields if name.startswith("gpu"))
    parts = split(text.replace("names", field))
    if given is None:
        with pytest.raises(BadInput, match="JSON"):
            arguments(chosen, parts)
    else:
        assert arguments(chosen, parts) == {field: given["names"]}


def test_answer_goes_to_no_address_that_is_not_slacks(workspace: Workspace, slack: FakeSlack) -> None:
    fields = {"command": "/gpu", "text": "tool", "team_id": "T0ADVISOR", "channel_id": "C0GPU", "user_id": "U0ASKER",
              "trigger_id": "t", "response_url": "http://[::1]:9/hooks/evil"}  # fmt: skip
    workspace.post(as_form(**fields), "application/x-www-form-urlencoded")
    workspace.settle()
    assert slack.hooks == []


def test_both_languages_have_every_word() -> None:
    from ui.slack.words import _rows

    assert all(english and chinese for english, chinese in _rows().values())
    assert words("zh-CN")("share") != words("en-GB")("share")
