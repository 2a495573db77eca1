"""`gpu-advisor check FILE…`: what is wrong with set-ups, for people and for CI."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from kb.base import BadInput
from tools.check_setup import Finding, SetupCheck, SetupRequest, check_setup

LARGEST_BYTES = 400_000
LEVELS = {"stops": "error", "wrong": "warning", "waste": "notice"}
"""Severity → level of a GitHub annotation."""
WOULD_NOT_RUN = 1


def add_to(commands: Any) -> None:
    """The `check` command."""
    command = commands.add_parser("check", help="check commands, configurations and manifests before they run")
    command.add_argument("files", nargs="+", metavar="FILE", help="a file; - reads standard input")
    command.add_argument("--format", choices=("text", "json", "github"), default="text", help="how findings are told")
    command.add_argument("--cards", metavar="CARDS", help="cards of one machine, such as '8x H100'")
    command.add_argument("--model", metavar="MODEL", help="the model, where the file names it by a path")
    command.add_argument("--together", action="store_true", help="read the files as parts of one set-up")
    command.add_argument("--fix", action="store_true", help="print the corrected text instead of the findings")
    command.add_argument("--zh", action="store_true", help="tell the findings in Chinese")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check every file; 1 when one of them would not run, so that CI stops there."""
    texts = [(name, _text(name)) for name in options.files]
    checked = []
    for name, text in texts:
        beside = [other for at, other in texts if at != name] if options.together else []
        asked = {"text": text, "name": name, "beside": beside, "cards": options.cards, "model": options.model}
        given = {key: value for key, value in asked.items() if value}
        checked.append((name, check_setup(SetupRequest.model_validate(given))))
    language = "zh" if options.zh or os.environ.get("LANG", "").startswith("zh") else "en"
    if options.fix:
        print("".join(one.corrected_text or dict(texts)[name] for name, one in checked), end="")
    elif options.format == "json":
        rows = [{"file": name} | one.model_dump(mode="json", exclude={"derivation"}) for name, one in checked]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    elif options.format == "github":
        print("\n".join(line for name, one in checked for line in annotations(name, one, language)))
    else:
        print("\n".join(line for name, one in checked for line in told(name, one, language)))
    return WOULD_NOT_RUN if any(one.verdict == "stops" for _, one in checked) else 0


def told(name: str, checked: SetupCheck, language: str) -> list[str]:
    """Findings for a person: a line where it is and what, then why and the fix."""
    lines = [f"{name}: {getattr(checked.summary, language)}"] if not checked.findings else []
    for one in checked.findings:
        lines.append(f"{name}:{one.line}: {one.severity} [{one.rule}] {one.quote}")
        lines += [f"    {getattr(one.why, language)}", f"    → {getattr(one.fix, language)}"]
    return lines


def annotations(name: str, checked: SetupCheck, language: str) -> list[str]:
    """The same as workflow commands of GitHub Actions."""
    return [_annotation(name, one, language) for one in checked.findings]


def _annotation(name: str, one: Finding, language: str) -> str:
    said = f"{getattr(one.why, language)} {getattr(one.fix, language)}"
    plain = said.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    file = name.replace("%", "%25").replace(",", "%2C").replace(":", "%3A")
    return f"::{LEVELS[one.severity]} file={file},line={one.line},title={one.rule}::{plain}"


def _text(name: str) -> str:
    """Of a file, or of standard input.

    Raises:
        BadInput: it is not there, too large, or no UTF-8.
    """
    try:
        data = sys.stdin.buffer.read(LARGEST_BYTES + 1) if name == "-" else Path(name).read_bytes()
    except OSError as problem:
        raise BadInput("FILE", f"{name} cannot be read: {problem.strerror}.") from None
    if len(data) > LARGEST_BYTES:
        raise BadInput(
            "FILE", f"{name} is larger than {LARGEST_BYTES:,} bytes.", "Check the parts that start programs."
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("FILE", f"{name} is not UTF-8.", "Save it as UTF-8.") from None
    if not text.strip():
        raise BadInput("FILE", f"{name} is empty.")
    return text
