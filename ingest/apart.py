"""The first index, built in a process of its own: the model that embeds passages in bulk would stay with a server, some
600 MB of it, although questions are embedded without it."""

import logging
import os
import subprocess
import sys
from pathlib import Path

from ingest.sync import ensure_bundled, is_ready
from kb.settings import settings

COMMAND = (sys.executable, "-m", "ingest.apart")
_log = logging.getLogger(__name__)


def ensure_bundled_apart() -> None:
    """Have the bundled guidance in a sound index, as `ensure_bundled` does; the work is done in a child process.

    Raises:
        IndexUnavailable: the index cannot be written.
    """
    if is_ready():
        return
    root = str(Path(__file__).resolve().parent.parent)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")])),
        "GPU_ADVISOR_HOME": str(settings().home),
    }
    done = subprocess.run(COMMAND, env=environment, stdin=subprocess.DEVNULL, check=False)  # noqa: S603 - our own command
    if done.returncode:
        _log.warning("the index could not be built apart (%d); building it here", done.returncode)
    ensure_bundled()  # a few hashes when the child did its work; else it says why not


if __name__ == "__main__":
    ensure_bundled()
