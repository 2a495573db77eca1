"""Large corpora: documents are read, cut and judged on every core or node of a Ray cluster; one process still writes.

Needs the extra `bulk` (Ray), which is not part of the ordinary set-up. Every node must see the files under the same
paths. What comes back is stored in the order it arrives, so a kill costs what was under way, as it does without Ray.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from kb.base import BadInput

AHEAD = 4
"""Tasks under way for each processor, so that none waits and results do not pile up."""

Task = TypeVar("Task")
Result = TypeVar("Result")


def spread(work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
    """The outcome of every task, as they finish.

    Raises:
        BadInput: Ray is not installed.
    """
    ray = _ray()
    started = not ray.is_initialized()
    if started:
        ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        remote = ray.remote(work)
        waiting = iter(tasks)
        running: dict[Any, Task] = {}
        most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while True:
            while len(running) < most and (task := next(waiting, None)) is not None:
                running[remote.remote(task)] = task
            if not running:
                return
            (done, *_), _ = ray.wait(list(running), num_returns=1)
            yield running.pop(done), ray.get(done)
    finally:
        if started:
            ray.shutdown()


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise BadInput(
            "--bulk", "needs Ray, which is not installed.", "Install the extra: gpu-advisor[bulk]."
        ) from None
