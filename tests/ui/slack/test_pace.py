"""Slack's pace, its sockets, and the credentials."""

import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from fake_slack import APP_TOKEN, SECRET, TOKEN, FakeSlack, spoken
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_reading import text_of
from slack_sdk import WebClient
from slack_workspace import Workspace
from starlette.testclient import TestClient

from assistant.agent import Advisor
from kb.base import BadInput
from kb.settings import Settings
from ui.cli import main
from ui.slack.calls import Calls, Stopped
from ui.slack.credentials import Credentials, quiet_logger
from ui.slack.face import Face
from ui.slack.mount import Mounted, at_work
from ui.slack.serve import manifest

QUESTION = "Does the RTX 6000 Ada support NVLink?"


def calls(slack: FakeSlack, stop: threading.Event | None = None, pace_s: float = 0.0) -> Calls:
    client = WebClient(TOKEN, base_url=f"{slack.address}/api/", retry_handlers=[])
    return Calls(client, stop or threading.Event(), pace_s)


def test_pause_that_slack_asks_for_is_taken_before_the_next_try(
    slack: FakeSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    slack.fail("chat.postMessage", "7", times=2, status=429)
    caller = calls(slack)
    waited: list[float] = []
    monkeypatch.setattr(caller, "_wait", lambda delay_s: waited.append(delay_s) if delay_s > 0.5 else None)
    assert caller("chat.postMessage", channel="C1", text="x")["ok"]
    assert any(6 < each <= 7 for each in waited)
    assert len(slack.made("chat.postMessage")) == 1


def test_channel_that_is_held_back_holds_no_other(slack: FakeSlack) -> None:
    caller = calls(slack)
    caller._hold("chat.postMessage", "C1", 3600)
    assert caller("chat.postMessage", channel="C2", text="x")["ok"]
    assert caller("chat.update", channel="C2", ts=next(iter(slack.messages))[1])["ok"]


def test_own_pace_keeps_below_the_limit(slack: FakeSlack) -> None:
    slack.posts_every_s = 0.2
    caller = calls(slack, pace_s=0.3)
    threads = [
        threading.Thread(target=caller, args=("chat.postMessage",), kwargs={"channel": "C1", "text": str(number)})
        for number in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(slack.made("chat.postMessage")) == 5
    assert slack.too_fast == 0


def test_wait_for_slack_ends_when_the_process_does(slack: FakeSlack) -> None:
    stop = threading.Event()
    caller = calls(slack, stop)
    slack.fail("chat.postMessage", "3600", status=429)
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(Stopped):
        caller("chat.postMessage", channel="C1", text="x")


def test_line_that_breaks_is_tried_again_only_where_that_is_harmless(
    monkeypatch: pytest.MonkeyPatch, slack: FakeSlack
) -> None:
    caller = calls(slack)
    monkeypatch.setattr(caller, "_wait", lambda delay_s: None)
    tries: list[str] = []

    def broken(method: str) -> Callable[[], Any]:
        def send() -> Any:
            tries.append(method)
            raise ConnectionResetError

        return send

    for method in ("chat.postMessage", "chat.update"):
        with pytest.raises(ConnectionResetError):
            caller.paced(method, "C1", broken(method))
    assert tries == ["chat.postMessage", *["chat.update"] * 4]


# Socket Mode


def wait_for(condition: Callable[[], object]) -> None:
    tick = threading.Event()
    for _ in range(2000):
        if condition():
            return
        tick.wait(0.01)
    pytest.fail("it did not come about")


def test_socket_acknowledges_every_envelope_and_survives_a_new_connection(face: Face, slack: FakeSlack) -> None:
    handler: Any = SocketModeHandler(face.app, APP_TOKEN, ping_interval=1)
    handler.connect()
    try:
        wait_for(lambda: slack.sockets_opened == 1)
        sent = [slack.push("events_api", spoken(1, f"<@U0BOT> {QUESTION}"), retry) for retry in range(3)]
        star = {"type": "event_callback", "event": {"type": "star_added"}, "event_id": "E"}
        unheard = slack.push("events_api", star)
        who = {"team_id": "T0ADVISOR", "channel_id": "C0GPU", "user_id": "U0ASKER", "trigger_id": "t"}
        command = {"command": "/gpu", "text": "tool", "response_url": f"{slack.address}/hooks/socket", **who}
        typed = slack.push("slash_commands", command)
        wait_for(lambda: {*sent, unheard, typed} <= set(slack.acknowledged))
        assert slack.acknowledged[typed]["payload"]["text"] == "Working it out …"
        slack.drop_socket()
        wait_for(lambda: slack.sockets_opened == 2)
        again = slack.push("events_api", spoken(2, f"<@U0BOT> {QUESTION}", channel="C0OTHER"))
        wait_for(lambda: again in slack.acknowledged)
        Workspace(face, slack).settle()
    finally:
        handler.close()
    assert len(slack.replies("1764000000.000001")) == len(slack.replies("1764000000.000002")) == 1
    assert "estimate_memory" in text_of(slack.hooks[0]["blocks"])


# Credentials


@pytest.mark.parametrize(
    ("given", "named"),
    [
        pytest.param({}, "GPU_ADVISOR_SLACK_BOT_TOKEN", id="none"),
        pytest.param({"slack_bot_token": "xapp-1"}, "GPU_ADVISOR_SLACK_BOT_TOKEN", id="wrong-kind"),
        pytest.param({"slack_bot_token": TOKEN}, "GPU_ADVISOR_SLACK_SIGNING_SECRET", id="no-secret"),
        pytest.param({"slack_bot_token": TOKEN}, "GPU_ADVISOR_SLACK_APP_TOKEN", id="no-app-token"),
        pytest.param(
            {"slack_bot_token": TOKEN, "slack_app_token": TOKEN}, "GPU_ADVISOR_SLACK_APP_TOKEN", id="wrong-app"
        ),
    ],
)
def test_missing_credential_is_named_with_the_place_to_find_it(
    given: dict[str, str], named: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput) as refused:
        Credentials.of(Settings(home=tmp_path, **given))  # type: ignore[arg-type]
    assert named in str(refused.value)
    assert "Slack shows" in str(refused.value) or "Slack makes" in str(refused.value)
    assert "xox" not in str(refused.value).replace("xoxb-.", "")


def test_command_without_credentials_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["slack"]) == 2
    assert "GPU_ADVISOR_SLACK_BOT_TOKEN" in capsys.readouterr().err


def test_token_that_slack_refuses_is_named_not_shown(make_face: Callable[..., Face], slack: FakeSlack) -> None:
    slack.fail("auth.test", "invalid_auth")
    with pytest.raises(BadInput) as refused:
        make_face()
    assert "GPU_ADVISOR_SLACK_BOT_TOKEN" in str(refused.value)
    assert "invalid_auth" in str(refused.value)
    assert TOKEN not in str(refused.value)


def test_no_token_is_ever_logged(workspace: Workspace, slack: FakeSlack, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    slack.fail("chat.startStream", "invalid_auth", times=3)
    slack.fail("chat.postMessage", "invalid_auth", times=3)
    workspace.event(spoken(1, f"<@U0BOT> {QUESTION}"))
    quiet_logger("ui.slack.test").error("sent with %s", TOKEN)
    try:
        raise RuntimeError(f"refused {APP_TOKEN}")
    except RuntimeError:
        quiet_logger("ui.slack.test").exception("failed")
    formatted = logging.Formatter()
    whole = "\n".join(formatted.format(record) for record in caplog.records)
    assert "Slack refused the answer" in whole
    for secret in (TOKEN, APP_TOKEN, SECRET):
        assert secret not in whole
    assert TOKEN not in repr(workspace.face.credentials)


@pytest.mark.parametrize("url", [None, "https://gpu.example.com/advisor"])
def test_manifest_is_what_slack_takes(url: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["slack", "--manifest", *(["--url", url] if url else [])]) == 0
    whole = yaml.safe_load(capsys.readouterr().out)
    settings, features = whole["settings"], whole["features"]
    assert settings["socket_mode_enabled"] is (url is None)
    addresses = [settings["event_subscriptions"].get("request_url"), settings["interactivity"].get("request_url"),
                 features["slash_commands"][0].get("url")]  # fmt: skip
    assert addresses == [f"{url}/slack/events" if url else None] * 3
    assert features.get("unfurl_domains") == (["gpu.example.com"] if url else None)
    assert "assistant_view" not in features
    assert 1 <= len(features["agent_view"]["suggested_prompts"]) <= 4
    assert len(features["agent_view"]["agent_description"]) <= 300
    assert 174 <= len(whole["display_information"]["long_description"]) <= 4000
    assert len(whole["display_information"]["description"]) <= 140


def test_manifest_asks_for_the_scopes_of_every_method_and_event_used() -> None:
    whole = yaml.safe_load(manifest("https://gpu.example.com"))
    scopes = set(whole["oauth_config"]["scopes"]["bot"])
    methods = {"chat:write", "files:write", "files:read", "users:read", "assistant:write", "commands", "links:write"}
    events = {
        "app_mention": "app_mentions:read", "message.im": "im:history", "message.channels": "channels:history",
        "message.groups": "groups:history", "message.mpim": "mpim:history", "link_shared": "links:read",
    }  # fmt: skip
    assert methods | set(events.values()) <= scopes
    assert set(whole["settings"]["event_subscriptions"]["bot_events"]) == {*events, "app_home_opened"}


def test_bad_address_for_the_manifest_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["slack", "--manifest", "--url", "gpu.example.com"]) == 2
    assert "https://" in capsys.readouterr().err


# On the server


def mounted(advisor: Advisor, slack: FakeSlack, home: Path, **given: str) -> Mounted:
    import copy

    replica = copy.copy(advisor)
    options = {"slack_api_url": f"{slack.address}/api/", "home": home, **given}
    replica.options = advisor.options.model_copy(update=options)
    return Mounted(replica)


def ask_mounted(app: Mounted) -> list[int]:
    from contextlib import asynccontextmanager

    from fake_slack import signed
    from starlette.applications import Starlette
    from starlette.routing import Route

    @asynccontextmanager
    async def lifespan(_: Any) -> Any:
        async with app.lifespan():
            yield

    body = json.dumps({"type": "url_verification", "challenge": "c"}).encode()
    with TestClient(Starlette(routes=[Route("/slack/events", app)], lifespan=lifespan)) as client:
        return [
            client.post("/slack/events", content=body, headers=headers).status_code for headers in ({}, signed(body))
        ]


def test_server_answers_slack_when_it_has_the_credentials(advisor: Advisor, slack: FakeSlack, tmp_path: Path) -> None:
    both = {"slack_bot_token": TOKEN, "slack_signing_secret": SECRET}
    assert ask_mounted(mounted(advisor, slack, tmp_path, **both)) == [401, 200]
    assert ask_mounted(mounted(advisor, slack, tmp_path)) == [503, 503]
    assert ask_mounted(mounted(advisor, slack, tmp_path, **both, slack_app_token=APP_TOKEN)) == [503, 503]


def test_server_starts_without_slack_when_slack_refuses(
    advisor: Advisor, slack: FakeSlack, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    slack.fail("auth.test", "invalid_auth")
    app = mounted(advisor, slack, tmp_path, slack_bot_token=TOKEN, slack_signing_secret=SECRET)
    assert ask_mounted(app) == [503, 503]
    assert "GPU_ADVISOR_SLACK_BOT_TOKEN" in caplog.text


def test_second_process_on_the_same_home_is_refused(make_face: Callable[..., Face]) -> None:
    with at_work(make_face()), pytest.raises(BadInput, match="another process"), at_work(make_face()):
        pass
