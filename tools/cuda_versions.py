"""CUDA toolkits, drivers and cards: which know which."""

import re
from collections.abc import Iterator, Sequence

from kb.base import Frozen
from kb.programs.releases import releases
from kb.programs.software import Toolkit, Verdict, Way, compute_capability, generation, software, version
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


DATA_CENTRE = ("data_center", "cloud_only", "module")
"""Markets whose cards run newer toolkits through the package cuda-compat."""
_CODE = re.compile(r"(\d{2,3})")


def versions(cards: list[Gpu], cuda: str | None, driver: str | None) -> Iterator[Finding]:
    """Toolkit against driver, and each against every card."""
    if cuda and driver:
        yield cuda_on_driver(cuda, driver, cards)
    for card in cards:
        if cuda:
            yield from _cuda_on_card(card, cuda)
        if driver:
            yield from _driver_on_card(card, driver)


def architecture(code: str, cards: list[Gpu], cuda: str | None) -> Iterator[Finding]:
    """What a compiler's target ("sm_121a") is: which cards, which toolkit knows it, and whether it is the card's."""
    digits = _CODE.search(code)
    if digits is None:
        return
    target = (int(digits[1][:-1]), int(digits[1][-1]))
    born = next((one for one in software().generations if target >= one.at_least), None)
    if born is None:
        return
    dotted = ".".join(map(str, target))
    own = [card.name for card in cards if compute_capability(card) == target]
    others = [card.name for card in cards if card.name not in own]
    short = cuda is not None and version(cuda) < version(born.first_cuda)[: len(version(cuda))]
    reason = f"{code} is compute capability {dotted} ({born.name}), which CUDA knows from {born.first_cuda} on"
    reason_zh = f"{code} 即计算能力 {dotted}（{born.name}），CUDA 从 {born.first_cuda} 起支持"
    if own:
        reason += f"; it is that of {', '.join(own)}"
    if others:
        reason += f"; it is not that of {', '.join(others)}"
    remedy = f"A ptxas of CUDA {born.first_cuda} or newer (TRITON_PTXAS_PATH where Triton brings an older one)"
    remedy_zh = f"用 CUDA {born.first_cuda} 及以上的 ptxas（Triton 自带的较旧时设 TRITON_PTXAS_PATH）"
    verdict: Verdict = "does_not" if short or (others and not own) else "works_with"
    yield Finding(gpu=None, asked=code, verdict=verdict, reason=f"{reason}.", reason_zh=reason_zh, instead=remedy,
                  instead_zh=remedy_zh, sources=(born.source,))  # fmt: skip


def cuda_on_driver(cuda: str, driver: str, cards: Sequence[Gpu] = ()) -> Finding:
    """Whether the driver runs programs built with that toolkit, and under which conditions.

    By itself from the least driver of the major release on; below it with cuda-compat, on data-centre cards alone.
    """
    major = version(cuda)[0]
    toolkit = next((one for one in software().toolkits if one.major == major), None)
    asked, asked_zh = f"CUDA {cuda} with driver {driver}", f"驱动 {driver} 配 CUDA {cuda}"
    if toolkit is None:
        return Finding(
            gpu=None, asked=asked, asked_zh=asked_zh, verdict="unknown", instead="", sources=(),
            reason=f"No driver requirement of CUDA {cuda} is on record.",
        )  # fmt: skip
    if _reaches(driver, toolkit.minimum_driver):
        limits, limits_zh = _within_major(toolkit, cuda, driver)
        return Finding(
            gpu=None, asked=asked, asked_zh=asked_zh, verdict="works", instead="", sources=(toolkit.source,),
            reason_zh=f"CUDA {major}.x 要求 Linux 驱动 {toolkit.minimum_driver} 及以上{limits_zh}",
            reason=f"CUDA {major}.x runs on Linux drivers from {toolkit.minimum_driver} on: {driver} will do{limits}.",
        )  # fmt: skip
    return _too_old(toolkit, cuda, driver, cards)


def _within_major(toolkit: Toolkit, cuda: str, driver: str) -> tuple[str, str]:
    """What a driver older than the minor release's own leaves out, in both languages; empty where it leaves nothing."""
    own = toolkit.came_with.get(".".join(cuda.split(".")[:2]))
    if own is None or _reaches(driver, own):
        return "", ""
    en = (
        f", by minor-version compatibility: CUDA {cuda} came with driver {own}; what compiles PTX on the spot or uses "
        f"newer features fails on {driver}, and containers that require cuda>={cuda} refuse to start"
    )
    zh = (
        f"，属小版本兼容：CUDA {cuda} 自带驱动是 {own}，现场编译 PTX 或用到新特性会失败，"
        f"要求 cuda>={cuda} 的容器会拒绝启动"
    )
    return en, zh


def _too_old(toolkit: Toolkit, cuda: str, driver: str, cards: Sequence[Gpu]) -> Finding:
    """A driver older than the major release needs: the ways there are, and whether one holds for the cards."""
    major, least = toolkit.major, toolkit.minimum_driver
    older = next((one for one in software().toolkits if _reaches(driver, one.minimum_driver)), None)
    remedy, remedy_zh = f"Update the driver to {least} or newer", f"驱动更新到 {least} 及以上"
    if older:
        wheel, wheel_zh = _older_wheel(older.major)
        remedy += f", or stay on {driver} with a CUDA {older.major}.x build{wheel}"
        remedy_zh += f"，或者驱动不动，改用 CUDA {older.major}.x 的版本{wheel_zh}"
    package = f"cuda-compat-{cuda.replace('.', '-')}" if "." in cuda else f"cuda-compat-{major}-x"
    at_home = [card.name for card in cards if card.market not in DATA_CENTRE]
    if not at_home:
        remedy += (
            f", or on data-centre cards install {package} where NVIDIA's table lists branch {driver.split('.')[0]}"
        )
        remedy_zh += f"，或者数据中心卡装 {package}（以 NVIDIA 表中列出的驱动分支 {driver.split('.')[0]} 为准）"
    forward = (
        f"; through {package} data-centre cards run it on older branches, GeForce cards do not"
        if not at_home else f"; {package} is not for {', '.join(at_home)}"
    )  # fmt: skip
    forward_zh = (
        f"；数据中心卡可借 {package} 在旧驱动上运行，GeForce 不行" if not at_home else f"；{package} 不适用于这张卡"
    )
    return Finding(
        gpu=None, asked=f"CUDA {cuda} with driver {driver}", asked_zh=f"驱动 {driver} 配 CUDA {cuda}",
        verdict="works_with" if cards and not at_home else "does_not", sources=(toolkit.source, "cuda-forward"),
        instead=remedy, instead_zh=remedy_zh,
        reason_zh=f"CUDA {major}.x 本身要求 Linux 驱动 {least} 及以上，{driver} 较旧{forward_zh}",
        reason=f"CUDA {major}.x by itself needs a Linux driver of {least} or newer; {driver} is older{forward}.",
    )  # fmt: skip


def _older_wheel(major: int) -> tuple[str, str]:
    """The newest PyTorch that has a wheel for a toolkit of that major release, in both languages."""
    for one in reversed(releases().get("pytorch", ())):
        held = [cuda for cuda in one.cudas if version(cuda)[0] == major]
        if held:
            code = held[-1].replace(".", "")
            return f" (PyTorch up to {one.label} has +cu{code} wheels)", f"（PyTorch 到 {one.label} 为止有 +cu{code}）"
    return "", ""


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
