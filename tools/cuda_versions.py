"""CUDA toolkits, drivers and cards: which know which."""

from collections.abc import Iterator

from kb.base import Frozen
from kb.programs.software import Verdict, Way, generation, software, version
from kb.records.gpu import Gpu


class Finding(Frozen):
    """One card against one thing asked."""

    gpu: str | None
    """Catalog id; null when no card was named."""
    asked: str
    """What was checked, in words."""
    verdict: Verdict
    """works; works_with = with the build or setting in `instead`; does_not; unknown = no source read says."""
    reason: str
    way: Way | None = None
    """What the verdict leaves out: weights_only = loads and computes wider; fork_only = a community's fork; unlisted =
    taken by the code, listed by nobody."""
    instead: str
    """What to install or use instead; empty when nothing is needed."""
    sources: tuple[str, ...]
    """Source ids."""
    asked_zh: str = ""
    """`asked` in Chinese, where it differs."""
    reason_zh: str = ""
    """Why, as a clause in Chinese that follows the verdict; empty when the verdict says it all."""
    instead_zh: str = ""
    """`instead` in Chinese."""


def versions(cards: list[Gpu], cuda: str | None, driver: str | None) -> Iterator[Finding]:
    """Toolkit against driver, and each against every card."""
    if cuda and driver:
        yield cuda_on_driver(cuda, driver)
    for card in cards:
        if cuda:
            yield from _cuda_on_card(card, cuda)
        if driver:
            yield from _driver_on_card(card, driver)


def cuda_on_driver(cuda: str, driver: str) -> Finding:
    """Whether the driver runs programs built with that toolkit."""
    major = version(cuda)[0]
    toolkit = next((one for one in software().toolkits if one.major == major), None)
    asked, asked_zh = f"CUDA {cuda} with driver {driver}", f"驱动 {driver} 配 CUDA {cuda}"
    if toolkit is None:
        return Finding(
            gpu=None, asked=asked, asked_zh=asked_zh, verdict="unknown", instead="", sources=(),
            reason=f"No driver requirement of CUDA {cuda} is on record.",
        )  # fmt: skip
    if _reaches(driver, toolkit.minimum_driver):
        return Finding(
            gpu=None, asked=asked, asked_zh=asked_zh, verdict="works", instead="", sources=(toolkit.source,),
            reason_zh=f"CUDA {major}.x 要求 Linux 驱动 {toolkit.minimum_driver} 及以上",
            reason=f"CUDA {major}.x runs on Linux drivers from {toolkit.minimum_driver} on, so {driver} will do.",
        )  # fmt: skip
    older = next((one for one in software().toolkits if _reaches(driver, one.minimum_driver)), None)
    remedy = f"Update the driver to {toolkit.minimum_driver} or newer"
    remedy_zh = f"驱动更新到 {toolkit.minimum_driver} 及以上"
    if older:
        remedy += f", or stay on {driver} with a CUDA {older.major}.x build"
        remedy_zh += f"，或者驱动不动，改用 CUDA {older.major}.x 的版本"
    return Finding(
        gpu=None, asked=asked, asked_zh=asked_zh, verdict="does_not", sources=(toolkit.source,),
        instead=remedy, instead_zh=remedy_zh,
        reason_zh=f"CUDA {major}.x 要求 Linux 驱动 {toolkit.minimum_driver} 及以上",
        reason=f"CUDA {major}.x needs a Linux driver of {toolkit.minimum_driver} or newer; {driver} is older.",
    )  # fmt: skip


def _reaches(driver: str, least: str) -> bool:
    """Whether a driver is that one or newer; of a branch alone ("525") whether the branch is, as its releases are."""
    stated = version(driver)
    return stated >= version(least)[: len(stated)]


def _cuda_on_card(card: Gpu, cuda: str) -> Iterator[Finding]:
    born = generation(card)
    if born is None:
        return
    asked, wanted = f"CUDA {cuda}", version(cuda)
    verdict: Verdict = "works"
    reason, remedy = f"{born.name} cards are known to CUDA from {born.first_cuda} on", ""
    reason_zh, remedy_zh = f"CUDA 从 {born.first_cuda} 起支持 {born.name}", ""
    if born.last_cuda_major and wanted[0] > born.last_cuda_major:
        verdict = "does_not"
        reason = f"CUDA {wanted[0]} no longer supports {born.name} cards"
        remedy = f"Stay on CUDA {born.last_cuda_major}.x"
        reason_zh = f"CUDA {wanted[0]} 已不再支持 {born.name}"
        remedy_zh = f"留在 CUDA {born.last_cuda_major}.x"
    elif wanted < version(born.first_cuda)[: len(wanted)]:
        verdict = "does_not"
        reason = f"{born.name} cards are known to CUDA only from {born.first_cuda} on"
        remedy = f"Use a build for CUDA {born.first_cuda} or newer"
        reason_zh = f"CUDA 从 {born.first_cuda} 起才支持 {born.name}"
        remedy_zh = f"用 CUDA {born.first_cuda} 及以上的版本"
    yield Finding(
        gpu=card.id, asked=asked, verdict=verdict, instead=remedy, sources=(born.source,),
        reason_zh=reason_zh, instead_zh=remedy_zh,
        reason=f"{card.name}: {reason}.",
    )  # fmt: skip


def _driver_on_card(card: Gpu, driver: str) -> Iterator[Finding]:
    born = generation(card)
    if born is None:
        return
    held = version(driver)
    verdict: Verdict = "works"
    reason, remedy = f"drivers from {born.first_driver} on know {born.name} cards", ""
    reason_zh, remedy_zh = f"驱动从 {born.first_driver} 起支持 {born.name}", ""
    if held < version(born.first_driver)[: len(held)]:
        verdict, remedy = "does_not", f"Update the driver to {born.first_driver} or newer"
        reason = f"{born.name} cards need driver {born.first_driver} or newer"
        reason_zh = f"{born.name} 要求驱动 {born.first_driver} 及以上"
        remedy_zh = f"驱动更新到 {born.first_driver} 及以上"
    elif born.last_driver and held[0] > version(born.last_driver)[0]:
        verdict, remedy = "does_not", f"Stay on the {born.last_driver} branch"
        reason = f"{born.last_driver} is the last driver branch for {born.name} cards"
        reason_zh = f"{born.last_driver} 是支持 {born.name} 的最后一个驱动分支"
        remedy_zh = f"留在 {born.last_driver} 分支"
    elif born.last_driver and held[0] == version(born.last_driver)[0]:
        reason = f"{born.last_driver} is the last driver branch for {born.name} cards"
        reason_zh = f"{born.last_driver} 是支持 {born.name} 的最后一个驱动分支"
    yield Finding(
        gpu=card.id, asked=f"Driver {driver}", asked_zh=f"驱动 {driver}", verdict=verdict, sources=(born.source,),
        instead=remedy, instead_zh=remedy_zh, reason_zh=reason_zh,
        reason=f"{card.name}: {reason}.",
    )  # fmt: skip
