"""The tokens Slack asks for, checked before anything connects, and kept out of every log."""

import logging
import re
from dataclasses import dataclass, field

from kb.base import BadInput
from kb.settings import Settings

BOT, SECRET, APP = "GPU_ADVISOR_SLACK_BOT_TOKEN", "GPU_ADVISOR_SLACK_SIGNING_SECRET", "GPU_ADVISOR_SLACK_APP_TOKEN"
WHERE = {
    BOT: "Slack shows it under OAuth & Permissions, “Bot User OAuth Token”; it begins with xoxb-.",
    SECRET: "Slack shows it under Basic Information, “Signing Secret”.",
    APP: "Slack makes one under Basic Information, “App-Level Tokens”, with connections:write; it begins with xapp-.",
}
_TOKEN = re.compile(r"\bx(?:ox[a-z]|app)[-.][\w.-]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the app proves itself with; `app_token` decides for Socket Mode."""

    bot_token: str = field(repr=False)
    signing_secret: str | None = field(default=None, repr=False)
    app_token: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, options: Settings) -> "Credentials":
        """The tokens of the settings.

        Raises:
            BadInput: one is missing or is of another kind; names the variable and where Slack shows its value.
        """
        if not options.slack_bot_token:
            raise BadInput(BOT, "is not set.", WHERE[BOT])
        if not options.slack_bot_token.startswith("xoxb-"):
            raise BadInput(BOT, "is not a bot token.", WHERE[BOT])
        if options.slack_app_token and not options.slack_app_token.startswith("xapp-"):
            raise BadInput(APP, "is not an app-level token.", WHERE[APP])
        if not options.slack_app_token and not options.slack_signing_secret:
            remedy = f"For events over HTTP: {WHERE[SECRET]} For Socket Mode: {WHERE[APP]}"
            raise BadInput(f"{SECRET} or {APP}", "is not set.", remedy)
        return cls(options.slack_bot_token, options.slack_signing_secret, options.slack_app_token)


class Redacted(logging.Filter):
    """Takes every token out of a log record, whoever wrote it there."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace what looks like a token; let the record pass."""
        message = record.getMessage()
        if _TOKEN.search(message):
            record.msg, record.args = _TOKEN.sub("x…", message), ()
        if record.exc_info and record.exc_info[1] is not None:
            text = logging.Formatter().formatException(record.exc_info)
            if _TOKEN.search(text):
                record.exc_info, record.exc_text = None, _TOKEN.sub("x…", text)
        return True


def quiet_logger(name: str) -> logging.Logger:
    """A logger for a library that would otherwise tell too much."""
    logger = logging.getLogger(name)
    if not any(isinstance(each, Redacted) for each in logger.filters):
        logger.addFilter(Redacted())
    return logger
