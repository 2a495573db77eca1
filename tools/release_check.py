"""Does this release of a framework or engine run on the card, and with that CUDA and driver?"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from kb.base import BadInput
from kb.programs.releases import Release, release, releases
from kb.programs.software import Verdict, compute_capability, generation, version
from kb.records.gpu import Gpu
from tools.cuda_versions import Finding, cuda_on_driver

_PACKAGES = {"pytorch": "pytorch", "torch": "pytorch", "tensorflow": "tensorflow", "tf": "tensorflow", "vllm": "vllm"}
_TITLES = {"pytorch": "PyTorch", "tensorflow": "TensorFlow", "vllm": "vLLM"}
_RELEASE = re.compile(
    r"(?<![a-z])(pytorch|torch|tensorflow|tf|vllm)[\s=~<>v-]{0,4}(\d{1,2}\.\d{1,2})(?:\.\d{1,2})?(?:\+?\s?cu(\d{2})(\d))?(?![\d.]*\d)",
    re.IGNORECASE,
)

_NEWEST = re.compile(
    r"(?<![a-z])(?:(?<!compatible with the )current|latest|newest|recent|up[- ]to[- ]date) (?:versions? of "
    r"|releases? of |stable )?(pytorch|torch|tensorflow|vllm)"
    r"(?![a-z])(?!\s?[=v]?\d|\s(?:install\w*|version i|env\w*|build|setup|wheel))|最新(?:版本?)?的?\s?(pytorch"
    r"|torch|tensorflow|vllm)(?![a-z])"
    r"|(?<![a-z])(pytorch|torch|tensorflow|vllm)\s?(?:latest|最新版?)",
    re.IGNORECASE,
)
"""A package in its newest release, whichever that is."""


class Named(NamedTuple):
    """A release as somebody wrote it."""

    package: str
    version: str
    cuda: str | None
    """Toolkit of the wheel, where the name carries it (`+cu118`)."""

    @property
    def title(self) -> str:
        """`PyTorch 2.4` …"""
        return f"{_TITLES[self.package]} {self.version}"


def named_in(text: str) -> list[Named]:
    """Every release that the text names, each once."""
    found = (
        Named(_PACKAGES[package.lower()], number, f"{major}.{minor}" if major else None)
        for package, number, major, minor in _RELEASE.findall(text)
    )
    newest = (
        Named(name, releases()[name][-1].label, None)
        for names in _NEWEST.findall(text)
        for name in (_PACKAGES["".join(names).lower()],)
    )
    return list(dict.fromkeys((*found, *newest)))


def read(text: str) -> Named:
    """The one release that a field names.

    Raises:
        BadInput: no known package with a version.
    """
    found = named_in(text)
    if not found:
        known = ", ".join(_TITLES.values())
        raise BadInput("framework", f"“{text[:60]}” names no release.", f"Write it like “pytorch 2.4”: {known}.")
    return found[0]


def findings(wanted: Named, cards: list[Gpu], cuda: str | None, driver: str | None) -> Iterator[Finding]:
    """The release against each card, the toolkit and the driver; alone, what it is built for."""
    held = release(wanted.package, wanted.version)
    if held is None:
        oldest = releases()[wanted.package][0]
        yield _unread(wanted, f"the oldest release read is {oldest.label}")
        return
    offered = (wanted.cuda,) if wanted.cuda else held.cudas
    nvidia = [card for card in cards if card.vendor == "NVIDIA"]
    for card in nvidia:
        yield _on_card(wanted, held, offered, card)
    if driver:
        yield cuda_on_driver(_fitting(offered, driver), driver, nvidia)
    if cuda and not wanted.cuda:
        yield _with_toolkit(wanted, held, cuda)
    if not (nvidia or cards or cuda or driver):
        built, built_zh = _built(held, offered)
        yield Finding(
            gpu=None, asked=wanted.title, verdict="works", instead="", sources=(held.source,),
            reason=f"{wanted.title} {built}.", reason_zh=built_zh,
        )  # fmt: skip


def _on_card(wanted: Named, held: Release, offered: tuple[str, ...], card: Gpu) -> Finding:
    born = generation(card)
    if born is None:
        return _unread(wanted, f"nothing is on record of CUDA on {card.name}", card)
    usable = [one for one in offered if _runs(held, one, card)]
    built, built_zh = _built(held, offered)
    verdict: Verdict = "does_not"
    if not usable:
        instead, instead_zh = _another(wanted, card)
    elif wanted.cuda or held.cuda in usable:
        verdict, instead, instead_zh = "works", "", ""
    else:
        verdict = "works_with"
        instead, instead_zh = _wheel(wanted, usable[-1])
    known = f"{born.name} cards are known to CUDA from {born.first_cuda} on"
    known_zh = f"CUDA 从 {born.first_cuda} 起支持 {born.name}"
    if born.last_cuda_major:
        known += f" and up to {born.last_cuda_major}.x"
        known_zh += f"，到 {born.last_cuda_major}.x 为止"
    return Finding(
        gpu=card.id, asked=wanted.title, verdict=verdict, instead=instead, instead_zh=instead_zh,
        reason=f"{wanted.title} on {card.name}: it {built}; {known}.", reason_zh=f"{built_zh}；{known_zh}",
        sources=(held.source, born.source),
    )  # fmt: skip


def last_before(package: str, wanted: str, card: Gpu) -> Release | None:
    """The newest release read that holds kernels for a card which `wanted` has none for.

    None where that one has them, where no older one has, and for packages and cards of which nothing was read.
    """
    held = release(package, wanted) if package in releases() and card.vendor == "NVIDIA" else None
    if held is None or any(_runs(held, cuda, card) for cuda in held.cudas):
        return None
    older = (one for one in reversed(releases()[package]) if one.version < held.version)
    return next((one for one in older if any(_runs(one, cuda, card) for cuda in one.cudas)), None)


def _runs(held: Release, cuda: str, card: Gpu) -> bool:
    born, compute = generation(card), compute_capability(card)
    if born is None or compute is None:
        return False
    late = born.last_cuda_major is not None and version(cuda)[0] > born.last_cuda_major
    return version(cuda) >= version(born.first_cuda) and not late and held.covers(cuda, compute)


def _another(wanted: Named, card: Gpu) -> tuple[str, str]:
    """The first release, or for old cards the last, with a wheel for the card."""
    fits = [(one, cuda) for one in releases()[wanted.package] for cuda in one.cudas if _runs(one, cuda, card)]
    if not fits:
        return "Use another framework for this card", "这张卡要换别的框架"
    newer = [pair for pair in fits if pair[0].version > version(wanted.version)]
    one, cuda = newer[0] if newer else fits[-1]
    tail, tail_zh = (" or newer", "及以上") if newer else (" or older", "及以下")
    title = _TITLES[wanted.package]
    return (
        f"Install {title} {one.label}{tail}, in the build for CUDA {cuda}",
        f"装 {title} {one.label} {tail_zh}的 CUDA {cuda} 版本",
    )


def _wheel(wanted: Named, cuda: str) -> tuple[str, str]:
    if wanted.package == "pytorch":
        command = (
            f"pip install torch=={wanted.version}.* --index-url "
            f"https://download.pytorch.org/whl/cu{cuda.replace('.', '')}"
        )
        return f"Take the wheel for CUDA {cuda}: {command}", f"装 CUDA {cuda} 的安装包：{command}"
    return f"Take the build for CUDA {cuda}", f"装 CUDA {cuda} 的版本"


def _with_toolkit(wanted: Named, held: Release, cuda: str) -> Finding:
    """Whether it is published for that toolkit; builds of one major version go together."""
    built, built_zh = _built(held, held.cudas)
    majors = {version(one)[0] for one in held.cudas}
    exact = any(version(one) == version(cuda)[:2] for one in held.cudas)
    verdict: Verdict = "works" if exact else "works_with" if version(cuda)[0] in majors else "does_not"
    nearest = min(held.cudas, key=lambda one: abs(version(one)[0] - version(cuda)[0]))
    instead = {
        "works": "",
        "works_with": f"Install the build for CUDA {nearest}; it brings its own CUDA libraries",
        "does_not": f"Install the build for CUDA {nearest}, or a release built for CUDA {version(cuda)[0]}",
    }[verdict]
    instead_zh = {
        "works": "",
        "works_with": f"装 CUDA {nearest} 的版本，它自带 CUDA 库",
        "does_not": f"装 CUDA {nearest} 的版本，或换支持 CUDA {version(cuda)[0]} 的发行版",
    }[verdict]
    return Finding(
        gpu=None, asked=f"{wanted.title} with CUDA {cuda}", asked_zh=f"{wanted.title} 配 CUDA {cuda}",
        verdict=verdict, instead=instead, instead_zh=instead_zh,
        reason=f"{wanted.title} {built}.", reason_zh=built_zh, sources=(held.source,),
    )  # fmt: skip


def _fitting(offered: tuple[str, ...], driver: str) -> str:
    """The newest wheel that the driver runs, else the oldest there is."""
    works = [one for one in offered if cuda_on_driver(one, driver).verdict == "works"]
    return works[-1] if works else offered[0]


def _built(held: Release, offered: tuple[str, ...]) -> tuple[str, str]:
    said = ", ".join(offered)
    pinned = "".join(f" and pins {_TITLES[name]} {number}" for name, number in held.built_on.items())
    pinned_zh = "".join(f"，绑定 {_TITLES[name]} {number}" for name, number in held.built_on.items())
    return f"is built for CUDA {said}{pinned}", f"编译针对 CUDA {said}{pinned_zh}"


def _unread(wanted: Named, why: str, card: Gpu | None = None) -> Finding:
    return Finding(
        gpu=card.id if card else None, asked=wanted.title, verdict="unknown", instead="", sources=(),
        reason=f"Not known of {wanted.title}: {why}.",
    )  # fmt: skip
