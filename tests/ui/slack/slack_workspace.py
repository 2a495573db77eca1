"""A workspace of the tests' own and a face connected to it."""

import copy
import json
import time
from pathlib import Path
from typing import Any

from fake_slack import APP_TOKEN, SECRET, TOKEN, FakeSlack, as_form, signed
from starlette.testclient import TestClient

from assistant.agent import Advisor
from assistant.conversations import Conversations
from ui.slack.credentials import Credentials
from ui.slack.face import Face
from ui.slack.serve import application

PUBLIC = "https://gpu.example.com"


def over(advisor: Any, slack: FakeSlack, home: Path, **options: Any) -> Face:
    """A face whose inbox is in `home`, and whose conversations are, where it answers with the shared advisor."""
    replica = copy.copy(advisor)
    if isinstance(advisor, Advisor):
        replica.conversations = Conversations(home / "conversations.sqlite")
    replica.options = advisor.options.model_copy(
        update={"slack_api_url": f"{slack.address}/api/", "public_url": PUBLIC, "home": home}
    )
    return Face(replica, Credentials(TOKEN, SECRET, APP_TOKEN), pace_s=options.pop("pace_s", 0.0), **options)


class Workspace:
    """Posts what Slack would post, and waits until everything it led to is done."""

    def __init__(self, face: Face, slack: FakeSlack) -> None:
        self.face, self.slack = face, slack
        self.http = TestClient(application(face), follow_redirects=False)  # Slack follows none

    def post(self, body: bytes, content_type: str = "application/json", **headers: str) -> Any:
        """One signed request."""
        given = {"Content-Type": content_type, **signed(body), **headers}
        return self.http.post("/slack/events", content=body, headers=given)

    def event(self, payload: dict[str, Any], **headers: str) -> Any:
        """An event, and all that follows from it."""
        answer = self.post(json.dumps(payload, ensure_ascii=False).encode(), **headers)
        self.settle()
        return answer

    def command(self, text: str, number: int = 1, user: str = "U0ASKER") -> Any:
        """`/gpu text`."""
        fields = {"command": "/gpu", "text": text, "team_id": "T0ADVISOR", "channel_id": "C0GPU", "user_id": user,
                  "trigger_id": f"trigger{number}", "response_url": f"{self.slack.address}/hooks/command"}  # fmt: skip
        answer = self.post(as_form(**fields), "application/x-www-form-urlencoded")
        self.settle()
        return answer

    def press(self, block_action: dict[str, Any], number: int = 1, **payload: Any) -> Any:
        """A button."""
        whole = {
            "type": "block_actions", "team": {"id": "T0ADVISOR"}, "user": {"id": "U0ASKER", "team_id": "T0ADVISOR"},
            "trigger_id": f"press{number}", "response_url": f"{self.slack.address}/hooks/press",
            "actions": [{"action_ts": f"1764000100.{number:06d}", "type": "button"} | block_action], **payload,
        }  # fmt: skip
        answer = self.post(as_form(payload=json.dumps(whole)), "application/x-www-form-urlencoded")
        self.settle()
        return answer

    def settle(self, wait_s: float = 60.0) -> None:
        """Until nothing is left to do."""
        until = time.monotonic() + wait_s
        while self.face.inbox.waiting():
            assert time.monotonic() < until, "jobs are left undone"
            time.sleep(0.01)
