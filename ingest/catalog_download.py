"""gpuhunt's published catalogs, downloaded within a time and a size."""

import io
import time
import urllib.error
import urllib.request
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SIZE_MAX = 60_000_000
"""Of one catalog, packed and unpacked alike: the largest published is about a tenth of it."""
STEP_MAX_S = 15.0
"""Longest wait for one answer of the network."""
CHUNK_BYTES = 1 << 16
AT_ONCE = 8
_AGENT = "gpu-advisor (fetches published GPU prices when asked)"


@dataclass(frozen=True)
class Downloaded:
    """One provider's catalog, or why there is none."""

    provider: str
    version: str | None = None
    """As published, `20261120-1234`; null when it failed."""
    problem: str | None = None
    """Why it failed; null when it did not."""


def download(providers: tuple[str, ...], url: str, folder: Path, limit_s: float) -> list[Downloaded]:
    """Put `{provider}.csv` of each provider into `folder`; one that fails does not hold back the others.

    All of it ends by `limit_s`, and no catalog is read beyond `SIZE_MAX`.
    """
    deadline = time.monotonic() + limit_s
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        tasks = {name: pool.submit(_one, name, url.rstrip("/"), folder, deadline) for name in providers}
        return [task.result() for task in tasks.values()]


def _one(provider: str, url: str, folder: Path, deadline: float) -> Downloaded:
    try:
        version = _get(f"{url}/{provider}/version", deadline).decode("ascii").strip()
        packed = _get(f"{url}/{provider}/{version}/catalog.zip", deadline)
        (folder / f"{provider}.csv").write_bytes(_unpacked(packed, f"{provider}.csv"))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as problem:
        return Downloaded(provider, problem=_reason(problem))
    return Downloaded(provider, version=version)


def _get(url: str, deadline: float) -> bytes:
    """The body of an answer, read in pieces so that a slow one ends too.

    Raises:
        OSError: it cannot be reached, or takes too long.
        ValueError: it is too large.
    """
    request = urllib.request.Request(url, headers={"User-Agent": _AGENT})  # noqa: S310 - the setting allows http(s) only
    body = io.BytesIO()
    with urllib.request.urlopen(request, timeout=min(STEP_MAX_S, _left(deadline))) as answer:  # noqa: S310
        while chunk := answer.read1(CHUNK_BYTES):
            body.write(chunk)
            _left(deadline)
            if body.tell() > SIZE_MAX:
                raise ValueError(f"it is larger than {SIZE_MAX:,} bytes")
    return body.getvalue()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("it took too long")
    return left


def _unpacked(packed: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive, archive.open(name) as file:
        content = file.read(SIZE_MAX + 1)
    if len(content) > SIZE_MAX:
        raise ValueError(f"{name} unpacks to more than {SIZE_MAX:,} bytes")
    return content


def _reason(problem: Exception) -> str:
    if isinstance(problem, urllib.error.HTTPError):
        return f"the server answered {problem.code}"
    if isinstance(problem, zipfile.BadZipFile | KeyError | UnicodeDecodeError):
        return "what came is no catalog"
    reason = getattr(problem, "reason", problem)
    return str(reason) or type(problem).__name__
