"""The command line: `gpu-advisor ask | read | check | tool | kb | prices | facts | model | chat | mcp | keys …`."""

import gc
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module

from kb.base import AdvisorError, IndexUnavailable, ModelFailed, NothingFits, PricesUnavailable, StateUnavailable

BAD_INPUT, FAILED = 2, 1
NOT_THE_CALLERS_FAULT = (IndexUnavailable, ModelFailed, NothingFits, PricesUnavailable, StateUnavailable)
COMMANDS = (
    "ask", "read", "check", "tool", "knowledge", "prices", "facts", "model", "serve", "slack", "keys", "backup",
    "completion",
)  # fmt: skip
"""The modules that hold the commands, in the order `--help` lists them."""
GARBAGE_AFTER = 50_000
"""New objects before garbage is looked for; at Python's 700 a short command spends a fifteenth of its time looking."""


def parser() -> ArgumentParser:
    """Every command with its options; each carries the function that runs it."""
    top = ArgumentParser(
        prog="gpu-advisor",
        description="Which GPU hardware a workload needs: memory, cards, clouds, with the arithmetic and the sources.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        import_module(f"ui.cli.{name}").add_to(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 success, 2 bad input (the message names the field and the remedy), 1 anything else."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace" if stream is not sys.stdin else "strict")
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        gc.set_threshold(GARBAGE_AFTER, *gc.get_threshold()[1:])
        if arguments[:1] == ["tool"]:  # its fields are the tool's own, so argparse must not read them
            from ui.cli import tool

            return tool.run(arguments[1:])
        options = parser().parse_args(arguments)
        return int(options.run(options))
    except AdvisorError as problem:
        print(f"gpu-advisor: {_told(problem, arguments)}", file=sys.stderr)
        return FAILED if isinstance(problem, NOT_THE_CALLERS_FAULT) else BAD_INPUT
    except UnicodeDecodeError:
        print("gpu-advisor: input: is not valid UTF-8. Save it as UTF-8 and try again.", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


def _told(problem: AdvisorError, arguments: Sequence[str]) -> str:
    """The refusal in Chinese for whoever typed Chinese, or whose terminal speaks it."""
    from ui.entrance.refusals import told

    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    typed = any("\u4e00" <= sign <= "\u9fff" for argument in arguments for sign in argument)
    return told(problem, "zh" if typed or locale.startswith("zh") else "en")
