"""What Slack shows besides answers: the home tab, suggested prompts, and what a shared link unfolds to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from slack_sdk.errors import SlackApiError

from assistant.answer import Answer
from ui.slack import message, rich
from ui.slack.calls import Calls
from ui.slack.inbox import Job
from ui.slack.rich import Block
from ui.slack.words import Words, words

SHARED_PATH = "/share/"
MOST_KNOWN = 10_000
Shared = Callable[[str], Sequence[Answer]]
"""The turns behind the last part of a shared link; none when there is no such link."""


@dataclass(frozen=True, slots=True)
class Surfaces:
    """Everything but the conversation."""

    calls: Calls
    shared: Shared
    public_url: str | None
    _locales: dict[str, str] = field(default_factory=dict)

    def home(self, job: Job) -> None:
        """Publish the home tab in the person's language."""
        wording = words(self.locale(job.data["user"]))
        self.calls("views.publish", user_id=job.data["user"], view={"type": "home", "blocks": home_blocks(wording)})

    def prompts(self, job: Job) -> None:
        """Suggest questions in the person's language.

        The agent view takes no `thread_ts`; only the older assistant view names its thread.
        """
        wording = words(self.locale(job.data["user"]))
        prompts = [{"title": text, "message": text} for text in wording.numbered("prompt")]
        self.calls("assistant.threads.setSuggestedPrompts", channel_id=job.data["channel"],
                   thread_ts=job.data["thread"], title=wording("prompts_title"), prompts=prompts)  # fmt: skip

    def unfurl(self, job: Job) -> None:
        """Unfold links to answers that were shared from here; any other link is left alone."""
        data = job.data
        unfurls = {
            url: {"blocks": message.preview(turns[-1])}
            for url in data["urls"]
            if (name := shared_name(url, self.public_url)) and (turns := self.shared(name))
        }
        if not unfurls:
            return
        if data.get("unfurl_id") and data.get("source"):
            where: Mapping[str, object] = {"unfurl_id": data["unfurl_id"], "source": data["source"]}
        else:
            where = {"channel": data["channel"], "ts": data["message_ts"]}
        self.calls("chat.unfurl", unfurls=unfurls, **where)

    def locale(self, user: str) -> str:
        """The person's language in Slack, asked once; English when Slack does not say."""
        if user not in self._locales:
            if len(self._locales) >= MOST_KNOWN:
                self._locales.clear()
            try:
                told = self.calls("users.info", user=user, include_locale=True)["user"]
                self._locales[user] = str(told.get("locale") or "en")
            except (SlackApiError, KeyError):
                return "en"
        return self._locales[user]


def shared_name(url: str, public_url: str | None) -> str | None:
    """The name of a shared answer in an address below `public_url`; null for any other address."""
    if not public_url:
        return None
    ours, theirs = urlsplit(public_url), urlsplit(url)
    prefix = ours.path.rstrip("/") + SHARED_PATH
    if theirs.netloc.casefold() != ours.netloc.casefold() or not theirs.path.startswith(prefix):
        return None
    name = theirs.path.removeprefix(prefix).strip("/")
    return name if name and len(name) <= 128 and name.replace("-", "").replace("_", "").isalnum() else None


def home_blocks(wording: Words) -> list[Block]:
    """What it does, how to ask, examples to press."""
    examples = [
        {"type": "actions", "elements": [message.button(text, f"example:{number}", {"q": text, "l": wording.language})]}
        for number, text in enumerate(wording.numbered("prompt"), 1)
    ]
    return [
        {"type": "header", "text": {"type": "plain_text", "text": wording("home_title")}},
        rich.paragraph(wording("home_promise")),
        {"type": "divider"},
        rich.paragraph(wording("home_how"), bold=True),
        rich.bullets(wording.numbered("home_how")),
        {"type": "divider"},
        rich.paragraph(wording("home_examples"), bold=True),
        *examples,
    ]
