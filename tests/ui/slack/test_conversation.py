"""Asking in Slack: mentions, direct messages, threads, buttons; streams that die; workspaces that know less."""

import json
from collections.abc import Callable

import pytest
from fake_slack import OLDER, FakeSlack, event, spoken
from slack_reading import buttons_of, text_of
from slack_workspace import Workspace

from ui.slack.face import Face

QUESTION = "Can 4×RTX 3090 run Qwen2.5-72B in 4-bit?"
FRAGE = "4 张 3090 用 4-bit 能跑 Qwen2.5-72B 吗？"


def reply(slack: FakeSlack, thread: str) -> dict[str, object]:
    replies = slack.replies(thread)
    assert len(replies) == 1, [text_of(one["blocks"])[:80] for one in replies]
    return replies[0]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        pytest.param(
            QUESTION, ("Weights", "GiB", "Sources", "calculation", "[Cheaper]", "numbers traced"), id="english"
        ),
        pytest.param(FRAGE, ("权重", "GiB", "来源", "计算", "[更便宜的]", "可追溯到计算或出处"), id="chinese"),
    ],
)
def test_mention_is_answered_in_its_thread_and_language(
    workspace: Workspace, slack: FakeSlack, question: str, words: tuple[str, ...]
) -> None:
    answer = workspace.event(spoken(1, f"<@U0BOT> {question}"))
    assert answer.status_code == 200
    told = reply(slack, "1764000000.000001")
    text = text_of(told["blocks"])
    assert all(word in text for word in words), text
    kinds = [block["type"] for block in told["blocks"]]
    assert kinds.count("table") == 1
    assert "image" in kinds
    assert kinds[-1] == "context_actions"


def test_stream_shows_each_tool_as_a_card_that_is_closed(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    cards = reply(slack, "1764000000.000001")["cards"]
    assert {"understood", "tool-1"} <= set(cards)
    assert {card["status"] for card in cards.values()} == {"complete"}
    assert "Memory estimate" in {card["title"] for card in cards.values()}
    started = slack.made("chat.startStream")[0]
    assert (started["recipient_user_id"], started["recipient_team_id"]) == ("U0ASKER", "T0ADVISOR")


def test_chart_is_a_png_with_its_figures_in_words(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    image = next(one for one in reply(slack, "1764000000.000001")["blocks"] if one["type"] == "image")
    assert slack.files[image["slack_file"]["id"]].startswith(b"\x89PNG")
    assert "weights" in image["alt_text"]
    assert "GiB" in image["alt_text"]


def test_thread_remembers_and_needs_no_second_mention(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    workspace.event(spoken(2, "And with 8-bit?", kind="message", thread_ts="1764000000.000001"))
    replies = slack.replies("1764000000.000001")
    assert len(replies) == 2
    turns = workspace.face.turns.advisor.conversations.history("T0ADVISOR:C0GPU:1764000000.000001")
    first, second = (turn.need.model for turn in turns)
    assert first == second is not None


def test_other_threads_and_channel_talk_are_left_alone(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.event(spoken(1, "What do we need for Qwen2.5-72B?", kind="message"))
    workspace.event(spoken(2, "An RTX 3090?", kind="message", thread_ts="1764000000.000001"))
    workspace.event(spoken(3, "from a bot", kind="message", channel="D1", channel_type="im", bot_id="B9"))
    workspace.event(spoken(4, "edited", kind="message", channel="D1", channel_type="im", subtype="message_changed"))
    workspace.event(spoken(5, "self", kind="message", channel="D1", channel_type="im") | {"user": "U0BOT"})
    made = [name for name, _ in slack.calls if name.startswith("chat.")]
    assert made == [] or made == ["chat.startStream", "chat.stopStream"]


def test_direct_message_is_answered_without_a_mention(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.event(spoken(1, QUESTION, kind="message", channel="D0ASKER", channel_type="im"))
    assert "Weights" in text_of(reply(slack, "1764000000.000001")["blocks"])


def test_mention_delivered_as_both_kinds_of_event_is_answered_once(workspace: Workspace, slack: FakeSlack) -> None:
    for kind in ("message", "app_mention", "message"):
        workspace.event(spoken(1, f"<@U0BOT> {QUESTION}", kind=kind))
    assert len(slack.replies("1764000000.000001")) == 1


def test_same_delivery_again_is_acknowledged_and_not_answered(workspace: Workspace, slack: FakeSlack) -> None:
    for number in range(4):
        retry = {"X-Slack-Retry-Num": str(number), "X-Slack-Retry-Reason": "http_timeout"} if number else {}
        assert workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"), **retry).status_code == 200
    assert len(slack.replies("1764000000.000001")) == 1


def test_follow_up_button_asks_in_the_same_conversation(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.event(spoken(1, f"<@U0BOT> {FRAGE}"))
    first = reply(slack, "1764000000.000001")
    button = buttons_of(first["blocks"])["follow_up:cloud"]
    container = {"type": "message", "message_ts": first["ts"], "thread_ts": "1764000000.000001", "channel_id": "C0GPU"}
    workspace.press(button, channel={"id": "C0GPU"}, container=container)
    second = slack.replies("1764000000.000001")[1]
    text = text_of(second["blocks"])
    assert text.startswith("租云呢？")
    assert "Qwen2.5-72B" in text


def test_feedback_is_kept_and_thanked_for_in_private(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    told = reply(slack, "1764000000.000001")
    element = told["blocks"][-1]["elements"][0]
    pressed = {"action_id": "feedback", "type": "feedback_buttons", "value": element["positive_button"]["value"]}
    workspace.press(pressed, channel={"id": "C0GPU"}, container={"message_ts": told["ts"]})
    judged = workspace.face.turns.advisor.conversations.judgements("T0ADVISOR:C0GPU:1764000000.000001")
    assert list(judged.values()) == [True]
    assert slack.hooks[-1]["response_type"] == "ephemeral"
    assert "helpful" in text_of(slack.hooks[-1]["blocks"])


def test_button_of_another_channel_is_passed_over(workspace: Workspace, slack: FakeSlack) -> None:
    value = json.dumps({"c": "T0ADVISOR:C0SECRET:1764000000.000009", "a": "x", "l": "en"})
    answer = workspace.press({"action_id": "follow_up:cheaper", "value": value}, channel={"id": "C0GPU"},
                             container={"message_ts": "1.1", "thread_ts": "1.1"})  # fmt: skip
    assert answer.status_code == 200
    assert not [name for name, _ in slack.calls if name.startswith("chat.")]


@pytest.mark.parametrize(
    ("method", "error"),
    [
        pytest.param("chat.stopStream", "message_not_in_streaming_state", id="dies-before-its-end"),
        pytest.param("chat.startStream", "unknown_method", id="never-begins"),
        pytest.param("chat.startStream", "missing_scope", id="is-not-allowed"),
    ],
)
def test_stream_that_fails_leaves_one_whole_message(
    workspace: Workspace, slack: FakeSlack, method: str, error: str
) -> None:
    slack.fail(method, error)
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    told = reply(slack, "1764000000.000001")
    assert "Weights" in text_of(told["blocks"])
    assert "Qwen2.5-72B" in told["text"]


def test_stream_whose_message_is_gone_is_answered_anew(workspace: Workspace, slack: FakeSlack) -> None:
    slack.fail("chat.stopStream", "message_not_in_streaming_state")
    slack.fail("chat.update", "message_not_found")
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    assert "Weights" in text_of(slack.replies("1764000000.000001")[-1]["blocks"])


def test_person_who_stopped_the_stream_gets_no_more(workspace: Workspace, slack: FakeSlack) -> None:
    slack.fail("chat.stopStream", "stopped_by_user")
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    assert not slack.made("chat.postMessage")
    assert not slack.made("chat.update")


def test_older_workspace_gets_the_same_words_in_older_blocks(workspace: Workspace, slack: FakeSlack) -> None:
    slack.known_blocks = set(OLDER)
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    told = reply(slack, "1764000000.000001")
    text = text_of(told["blocks"])
    assert {block["type"] for block in told["blocks"]} <= OLDER
    assert "Weights" in text
    assert "Total per GPU" in text
    assert "👍" in text


def test_refused_question_says_why_in_the_askers_language(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.event(spoken(1, "<@U0BOT> " + "显卡" * 12_000))
    text = text_of(reply(slack, "1764000000.000001")["blocks"])
    assert text.startswith("没能完成")
    assert "20,000" in text


def test_home_tab_and_prompts_speak_the_persons_language(workspace: Workspace, slack: FakeSlack) -> None:
    slack.locales["U0WANG"] = "zh-CN"
    for number, (user, tab) in enumerate([("U0WANG", "home"), ("U0ASKER", "home"), ("U0WANG", "messages")]):
        workspace.event(
            event("app_home_opened", number, user=user, tab=tab, channel="D0WANG") | {"event_id": f"E{number}"}
        )
    assert "GPU 顾问" in text_of(slack.homes["U0WANG"]["blocks"])
    assert "GPU Advisor" in text_of(slack.homes["U0ASKER"]["blocks"])
    prompts = slack.made("assistant.threads.setSuggestedPrompts")[0]
    assert "thread_ts" not in prompts
    assert prompts["title"] == "试试这些问题"
    assert all(any("一" <= sign <= "鿿" for sign in each["message"]) for each in prompts["prompts"])


def test_thread_of_the_older_assistant_view_is_named(workspace: Workspace, slack: FakeSlack) -> None:
    begun = {"user_id": "U0ASKER", "channel_id": "D0ASKER", "thread_ts": "1.2", "context": {}}
    workspace.event(event("assistant_thread_started", 1, assistant_thread=begun))
    assert slack.made("assistant.threads.setSuggestedPrompts")[0]["thread_ts"] == "1.2"


def test_example_of_the_home_tab_is_answered_in_the_messages(workspace: Workspace, slack: FakeSlack) -> None:
    workspace.event(event("app_home_opened", 1, tab="home", channel="D0ASKER"))
    button = buttons_of(slack.homes["U0ASKER"]["blocks"])["example:1"]
    workspace.press(button, container={"type": "view"})
    root = next(message for (channel, _), message in slack.messages.items() if channel == "D0ASKER")
    assert "Qwen2.5-72B" in text_of(root["blocks"])
    assert "Weights" in text_of(reply(slack, root["ts"])["blocks"])


def test_shared_link_unfolds_and_a_foreign_one_does_not(workspace: Workspace, slack: FakeSlack) -> None:
    engine = workspace.face.turns.advisor
    token = engine.conversations.share(engine.ask(QUESTION).conversation_id)
    ours, theirs = f"https://gpu.example.com/share/{token}", f"https://evil.example.net/share/{token}"
    links = [{"domain": "gpu.example.com", "url": ours}, {"domain": "evil.example.net", "url": theirs},
             {"domain": "gpu.example.com", "url": "https://gpu.example.com/share/unknown"}]  # fmt: skip
    workspace.event(event("link_shared", 1, channel="C0GPU", message_ts="1.2", unfurl_id="u1",
                          source="conversations_history", links=links))  # fmt: skip
    unfurl = slack.made("chat.unfurl")[0]
    assert list(unfurl["unfurls"]) == [ours]
    assert unfurl["unfurl_id"] == "u1"
    assert "Qwen2.5-72B" in text_of(unfurl["unfurls"][ours]["blocks"])


def test_jobs_are_taken_up_again_by_the_next_process(make_face: Callable[..., Face], slack: FakeSlack) -> None:
    first = make_face()
    workspace = Workspace(first, slack)
    workspace.post(json.dumps(spoken(1, f"<@U0BOT> {QUESTION}")).encode())
    first.inbox.close()  # the process ends between its acknowledgement and its answer
    second = make_face()
    second.start()
    try:
        Workspace(second, slack).settle()
    finally:
        second.stop()
    assert "Weights" in text_of(reply(slack, "1764000000.000001")["blocks"])


def test_process_killed_while_answering_leaves_one_answer_and_one_turn(
    make_face: Callable[..., Face], slack: FakeSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_face()
    Workspace(first, slack).post(json.dumps(spoken(7, f"<@U0BOT> {QUESTION}")).encode())
    monkeypatch.setattr("ui.slack.reply.Reply.finish", lambda *_: (_ for _ in ()).throw(SystemExit))
    job = first.inbox.claim(first._stop)
    assert job is not None
    with pytest.raises(SystemExit):
        first.turns.ask(job)  # the stream was begun and the turn kept; then the process is gone
    first.inbox.close()
    monkeypatch.undo()
    slack.expire_streams()
    second = make_face()
    second.start()
    try:
        Workspace(second, slack).settle()
    finally:
        second.stop()
    assert "Weights" in text_of(reply(slack, "1764000000.000007")["blocks"])
    assert len(second.turns.advisor.conversations.history("T0ADVISOR:C0GPU:1764000000.000007")) == 1


@pytest.mark.parametrize("error", ["message_not_in_streaming_state", "internal_error"])
def test_stream_that_dies_between_two_steps_is_made_whole(
    workspace: Workspace, slack: FakeSlack, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    monkeypatch.setattr("ui.slack.reply.APPEND_EVERY_S", 0.0)
    monkeypatch.setattr("ui.slack.reply.UPDATE_EVERY_S", 0.0)
    slack.fail("chat.appendStream", error)
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    assert "Weights" in text_of(reply(slack, "1764000000.000001")["blocks"])
    shown = [update["text"] for update in slack.made("chat.update")]
    assert any("Memory estimate" in text for text in shown)  # the steps go on, in the same message


def test_courtesies_wait_for_nothing_and_are_left_out_when_slack_is_busy(
    workspace: Workspace, slack: FakeSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.slack.reply.APPEND_EVERY_S", 0.0)
    for method in ("assistant.threads.setStatus", "chat.appendStream"):
        slack.fail(method, "3600", status=429)
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    told = reply(slack, "1764000000.000001")
    assert "Weights" in text_of(told["blocks"])
    assert {card["status"] for card in told["cards"].values()} == {"complete"}  # all of them came with the end


def test_mistake_in_setting_an_answer_is_told_and_logged(
    workspace: Workspace, slack: FakeSlack, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("ui.slack.message.sources", lambda *_: 1 / 0)
    workspace.event(spoken(1, f"<@U0BOT> {FRAGE}"))
    assert text_of(reply(slack, "1764000000.000001")["blocks"]).startswith("这边出了故障")
    assert "an answer could not be set" in caplog.text
