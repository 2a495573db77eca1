"""A face over the shared advisor, connected to a Slack of the tests' own."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.agent import Advisor
from ui.slack.face import Face

sys.path.insert(0, str(Path(__file__).parent))
from fake_slack import FakeSlack
from slack_workspace import Workspace, over


@pytest.fixture
def slack() -> Iterator[FakeSlack]:
    fake = FakeSlack().start()
    yield fake
    fake.stop()


@pytest.fixture
def face(advisor: Advisor, slack: FakeSlack, tmp_path: Path) -> Iterator[Face]:
    made = over(advisor, slack, tmp_path)
    made.start()
    yield made
    made.stop()
    made.turns.advisor.conversations.close()


@pytest.fixture
def workspace(face: Face, slack: FakeSlack) -> Workspace:
    return Workspace(face, slack)


@pytest.fixture
def make_face(advisor: Advisor, slack: FakeSlack, tmp_path: Path) -> Iterator[Callable[..., Face]]:
    """A face that is not yet at work; every one of a test has the same inbox."""

    made: list[Face] = []

    def make(engine: Any = advisor, **options: Any) -> Face:
        made.append(over(engine, slack, tmp_path, **options))
        return made[-1]

    yield make
    for each in made:
        each.turns.advisor.conversations.close()
