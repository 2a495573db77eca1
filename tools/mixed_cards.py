"""Different cards in one machine: whether one driver and one CUDA serve them all."""

from collections.abc import Iterator, Sequence

from kb.programs.software import Generation, Verdict, generation, version
from kb.records.gpu import Gpu
from tools.cuda_versions import Finding


def beside(cards: Sequence[Gpu]) -> Iterator[Finding]:
    """Whether the cards work in one machine; nothing where they are of one generation, or not known.

    A machine has one NVIDIA driver: from the newest card's first one to the oldest card's last, likewise CUDA. On Linux
    it also loads one flavour of kernel modules. Cards of several makers have a driver each.
    """
    names = ", ".join(card.name for card in cards)
    if len({card.vendor for card in cards}) > 1:
        yield _of_several_makers(names)
        return
    born = [one for card in cards if (one := generation(card)) is not None]
    if len(born) < len(cards) or len({one.name for one in born}) == 1:
        return
    if len({one.kernel_modules for one in born if one.kernel_modules}) > 1:
        yield _apart(names, born)
    else:
        yield _one_driver(names, born)


def _of_several_makers(names: str) -> Finding:
    return _told(
        "works_with",
        f"{names}: cards of several makers run beside each other, each with its own driver, and vLLM, SGLang and "
        "training frameworks split no model over them",
        "不同厂商的卡能同时装，各用各的驱动，但 vLLM、SGLang 和训练框架不会把一个模型切到它们上面",
        "Run a program on each, or llama.cpp with Vulkan over both",
        "每种卡各跑一个程序，或用 llama.cpp 的 Vulkan 后端同时用",
    )


def _apart(names: str, born: Sequence[Generation]) -> Finding:
    """One card needs the open kernel modules, which do not drive another."""
    closed, opened = (next(one for one in born if one.kernel_modules == kind) for kind in ("proprietary", "open"))
    return _told(
        "does_not",
        f"{names}: on Linux a machine loads one kind of kernel modules; {opened.name} needs the open ones, which "
        f"do not drive {closed.name}",
        f"Linux 下一台机器只能加载一种 NVIDIA 内核模块：{opened.name} 必须用开源模块，而开源模块不支持 {closed.name}",
        f"Put them into two machines; on Windows the {closed.last_driver} branch drives both",
        f"分到两台机器；Windows 没有这个限制，{closed.last_driver} 分支的驱动两代都认",
        (opened.source, closed.source, "nvidia-open-modules"),
    )


def _one_driver(names: str, born: Sequence[Generation]) -> Finding:
    """Drivers and toolkits from the newest card's first to the oldest card's last."""
    new = max(born, key=lambda one: version(one.first_driver))
    least = max((one.first_cuda for one in born), key=version)
    ending = [one for one in born if one.last_driver and one.last_cuda_major]
    if not ending:
        return _told(
            "works_with",
            f"{names}: one driver, {new.first_driver} or newer, serves them, with builds for CUDA {least} on",
            f"同一个驱动就能带，{new.first_driver} 及以上，程序用 CUDA {least} 及以上的版本",
            "Share no layers between them: the slowest sets the pace; llama.cpp deals layers by memory",
            "不要在它们之间做张量并行，会被最慢、最小的卡拖住；llama.cpp 可以按显存分层",
            (new.source,),
        )
    old = min(ending, key=lambda one: version(one.last_driver or "0"))
    driver, cuda = old.last_driver or "", old.last_cuda_major or 0
    fits = version(driver) >= version(new.first_driver)[:1] and cuda >= version(least)[0]
    stay = f"Stay on driver {driver} and CUDA {cuda}.x with builds for both; deal layers in llama.cpp, or run "
    stay_zh = f"驱动留在 {driver} 分支、CUDA 留在 {cuda}.x，用同时编译了两代的版本；llama.cpp 按层分，或"
    return _told(
        "works_with" if fits else "does_not",
        f"{names}: a machine has one driver, {driver} is the last branch for {old.name}, and {new.name} needs "
        f"{new.first_driver} or newer; programs must be built for CUDA {least} or newer and {cuda}.x at most",
        f"一台机器只装一个驱动：{driver} 是 {old.name} 的最后一个分支，{new.name} 要 {new.first_driver} 及以上；"
        f"程序要用 CUDA {least} 及以上、最高 {cuda}.x 的版本",
        stay + "a program on each card" if fits else "Put them into two machines",
        stay_zh + "各卡各跑一个程序" if fits else "分到两台机器",
        (new.source, old.source),
    )


def _told(
    verdict: Verdict, reason: str, reason_zh: str, instead: str, instead_zh: str, sources: tuple[str, ...] = ()
) -> Finding:
    return Finding(
        gpu=None, asked="Different cards in one machine", asked_zh="不同的卡放在一台机器里", verdict=verdict,
        reason=f"{reason}.", reason_zh=reason_zh, instead=instead, instead_zh=instead_zh,
        sources=tuple(dict.fromkeys(sources)),
    )  # fmt: skip
