"""`gpu-advisor slack`: the Slack app, and its manifest."""

import argparse
from typing import Any

from kb.base import BadInput
from kb.settings import settings


def add_to(commands: Any) -> None:
    """The `slack` command."""
    slack = commands.add_parser("slack", help="answer in Slack: Socket Mode with an app token, else over HTTP")
    slack.add_argument("--host", default=settings().host, help="where to listen for Slack's requests over HTTP")
    slack.add_argument("--port", type=int, default=settings().port)
    slack.add_argument("--manifest", action="store_true", help="print the app's manifest, for Socket Mode, and stop")
    slack.add_argument("--url", metavar="https://…", help="with --manifest: one for HTTP at this address")
    slack.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the manifest, or serve until stopped."""
    from ui.slack.serve import manifest, serve

    if options.url and not options.url.startswith("https://"):
        raise BadInput("--url", "is no address that Slack would call.", "Begin it with https://.")
    if options.url and not options.manifest:
        raise BadInput("--url", "goes only with --manifest.", "Leave it out, or add --manifest.")
    if options.manifest:
        print(manifest(options.url), end="")
        return 0
    return serve(options.host, options.port)
