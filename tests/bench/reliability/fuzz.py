"""Send the API what its schema allows, what it forbids, and bytes that are no JSON at all; nothing may fail.

    python tests/bench/reliability/fuzz.py --cases 10000 --raw 2000

Schema-driven cases come from schemathesis; the raw ones from a seeded generator: NaN, infinities, lone surrogates,
nesting, overlong numbers and names, cut and flipped bytes, wrong content types, odd headers and addresses. Counts
answers of 500 and above, answers slower than a second, tracebacks, and refused values that are said again as HTML.
"""

import argparse
import contextlib
import json
import logging
import math
import os
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server import prepared

SLOW_S = 1.0
MARK = "<script>zq7()</script>"
SLOW_PATHS = ("/v1/ask", "/v1/chat/completions", "/v1/kb/", "/v1/batch")
"""Whole turns and documents: a tenth as many cases."""
ROUNDS = 5
"""How often cases are drawn anew, where operations that have only a few left others to draw."""
BODIES = (
    {"question": "Can 4×3090 run Qwen2.5-72B?"},
    {"model": "Qwen2.5-72B", "gpu": "rtx-3090", "context_tokens": 8192},
    {"task": "inference", "params": 7e9, "budget": {"amount": 3000, "currency": "USD"}},
    {"query": "NVLink", "top": 3},
    {"text": "The H100 has 80 GB.", "name": "a.md"},
    {"model": "gpu-advisor", "messages": [{"role": "user", "content": "4090?"}]},
    {"conversation_id": "a", "answer_id": "b", "helpful": True},
)
ATOMS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-400", "9" * 5000, "-0", "0.1e-7", "true", "null",
    '""', "[]", "{}",
    '"\\ud800"', '"\\udfff\\ud800"', '"a\\u0000b"', '"' + "x" * 100_000 + '"', '"' + "e\u0301" * 3000 + '"',
    '"\U000e0041"', '"١٢٣"', '"²"', '"1_0"', "[" * 200 + "]" * 200, '{"a":' * 60 + "1" + "}" * 60, json.dumps(MARK),
    '"=HYPERLINK(1)"', '"../../etc/passwd"', '"${7*7}{{7*7}}"', '"\'; DROP TABLE turn; --"', "[1,2", '{"a":1,"a":2}',
)  # fmt: skip
KINDS = ("application/json", "application/json; charset=utf-16", "text/plain", "multipart/form-data", "x/y", "")
PATHS = (
    "/v1/ask", "/v1/ask/stream", "/v1/chat/completions", "/v1/kb/search", "/v1/kb/check", "/v1/feedback",
    "/v1/tools/estimate_memory", "/v1/tools/configure", "/v1/tools/find_gpus", "/v1/tools/compare_gpus",
    "/v1/tools/what_fits", "/v1/tools/estimate_inference_speed", "/v1/tools/estimate_training_time",
    "/v1/tools/find_offers", "/v1/tools/check_compatibility", "/v1/tools/search_guidance", "/mcp",
)  # fmt: skip


@dataclass
class Tally:
    """What came back."""

    cases: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slow: list[tuple[float, str]] = field(default_factory=list)
    slowest_s: float = 0.0

    def note(self, what: str, status: int, text: str, kind: str, elapsed_s: float) -> None:
        """One answer."""
        self.cases += 1
        self.statuses[status] += 1
        self.slowest_s = max(self.slowest_s, elapsed_s)
        if status >= 500 and status != 503:
            self.faults.append(f"{status} {what}: {text[:160]}")
        if "Traceback (most recent" in text:
            self.faults.append(f"traceback {what}")
        if MARK in text and "html" in kind:
            self.faults.append(f"said again as HTML {what}")
        if elapsed_s > SLOW_S:
            self.slow.append((elapsed_s, what))


def site(home: Path) -> tuple[Any, Any]:
    """The REST application over an advisor of its own, and the advisor."""
    os.environ["GPU_ADVISOR_HOME"] = str(home)
    from assistant.agent import Advisor
    from ingest.sync import ensure_bundled
    from kb.settings import settings
    from tools.capacity_forecast.model import load
    from ui.api import create_app

    settings.cache_clear()
    prepared(home)
    advisor = Advisor()
    ensure_bundled()
    advisor.ask("Can 4×3090 run Qwen2.5-72B?")
    load()  # as a server does after its start
    return create_app(advisor), advisor


def by_schema(app: Any, cases: int, tally: Tally) -> None:
    """At least so many cases that schemathesis draws from the OpenAPI document, valid and invalid."""
    import schemathesis

    schema: Any = schemathesis.openapi.from_asgi("/openapi.json", app)
    rich = [found.ok() for found in schema.get_all_operations()]
    for round_ in range(ROUNDS):
        slow = [one for one in rich if one.path.startswith(SLOW_PATHS)]
        each = max(2, math.ceil((cases - tally.cases) / (len(rich) - len(slow) + len(slow) / 10)))
        rich = [one for one in rich if _drawn(one, max(2, each // 10) if one in slow else each, round_, tally)]
        if tally.cases >= cases or not rich:
            return


def _drawn(operation: Any, most: int, round_: int, tally: Tally) -> bool:
    """Send cases of one operation; whether there were as many as asked for: one without parameters has a handful."""
    from hypothesis import HealthCheck, Phase, given, seed, settings

    before = tally.cases

    @seed(round_)
    @settings(
        max_examples=most, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def run(case: Any) -> None:
        started = time.perf_counter()
        what = f"{case.method} {case.path} {str(case.body)[:700]}"
        try:
            answer = case.call()
        except Exception as problem:  # the application raised: a real server would answer 500
            tally.note(what, 500, f"{type(problem).__name__}: {str(problem)[:120]}", "", 0.0)
            return
        elapsed_s = time.perf_counter() - started
        text = answer.content.decode("utf-8", "replace")  # an export may be no text
        tally.note(what, answer.status_code, text, str(answer.headers.get("content-type")), elapsed_s)

    run()
    return tally.cases - before >= most


def raw(seed: int) -> Iterator[tuple[str, bytes, dict[str, str]]]:
    """Path, body and headers that no schema describes."""
    order = random.Random(seed)
    while True:
        body = dict(order.choice(BODIES))
        name = order.choice([*body, "unknown", MARK])
        text = json.dumps(body | {name: "@@"}, ensure_ascii=order.random() < 0.5).replace('"@@"', order.choice(ATOMS))
        data = text.encode("utf-8", "surrogatepass")
        turn = order.random()
        if turn < 0.15:
            data = data[: order.randrange(len(data))]
        elif turn < 0.3:
            place = order.randrange(len(data))
            data = data[:place] + order.randbytes(order.randrange(1, 9)) + data[place:]
        elif turn < 0.35:
            data = order.randbytes(order.randrange(2000))
        elif turn < 0.38:
            data = b"[" * 100_000
        elif turn < 0.39:
            data = b'{"question": "' + b"x" * 600_000 + b'"}'
        headers = {"Content-Type": order.choice(KINDS) if order.random() < 0.2 else "application/json"}
        if order.random() < 0.1:
            headers |= {
                "Accept": order.choice(("*/*", "text/html", "x")),
                "X-Request-Id": "\u00e9" * 20,
                "Cookie": "a" * 4000,
            }
        yield order.choice(PATHS), data, headers


def by_bytes(app: Any, cases: int, tally: Tally, seed: int = 1) -> None:
    """Raw bodies; whole turns are a tenth of them."""
    from fastapi.testclient import TestClient

    drawn = raw(seed)
    with TestClient(app, raise_server_exceptions=False) as client:
        for _ in range(cases):
            path, data, headers = next(drawn)
            started = time.perf_counter()
            answer = client.post(path, content=data, headers={k: v.encode("latin-1") for k, v in headers.items()})
            elapsed_s = time.perf_counter() - started
            kind = str(answer.headers.get("content-type"))
            tally.note(f"POST {path} {data[:160]!r}", answer.status_code, answer.text, kind, elapsed_s)


def run(cases: int, raws: int) -> dict[str, Tally]:
    """Both kinds."""
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        app, advisor = site(Path(folder))
        schema, bytes_ = Tally(), Tally()
        by_schema(app, cases, schema)
        by_bytes(app, raws, bytes_)
        advisor.conversations.close()
    logging.disable(logging.NOTSET)
    return {"schema": schema, "raw bytes": bytes_}


def main() -> int:
    """Print the table; fail on any answer of 500 and above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--raw", type=int, default=400)
    options = parser.parse_args()
    started = time.monotonic()
    tallies = run(options.cases, options.raw)
    for name, tally in tallies.items():
        counts = ", ".join(f"{status}: {count}" for status, count in sorted(tally.statuses.items()))
        print(
            f"{name:10} {tally.cases:6} cases, {len(tally.faults)} faults, {len(tally.slow)} slower than {SLOW_S:g} s,"
        )
        print(f"{'':10} slowest {tally.slowest_s:.2f} s; {counts}")
        for fault in list(dict.fromkeys(tally.faults))[:12]:
            print("  !", fault)
        for elapsed_s, what in sorted(tally.slow, reverse=True)[:5]:
            print(f"  {elapsed_s:.2f} s {what}")
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if any(tally.faults for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
