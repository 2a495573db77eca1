"""What an error of versions means for the card at hand: its compute capability against what the build holds."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kb.observation import observation_facts
from kb.programs.releases import Release, releases
from kb.programs.software import Generation, Version, compute_capability, features, software, version
from kb.records.gpu import Gpu
from tools.check_compatibility import feature_names
from tools.cuda_versions import Finding, cuda_on_driver
from tools.observation.result import ObservedCause, Words
from tools.observation.setup import Setup
from tools.observation.telling import known

OF_BUILDS = ("wheel_without_arch", "ptxas_old")
"""Causes whose remedy is a build for the card."""
SHORT, OTHERWISE, DRIVER = "kernel_unsupported", "kernel_otherwise", "driver_too_old"
WHEELS = "https://download.pytorch.org/whl/cu"
ROCM_CHECK = 'rocminfo | grep gfx; python -c "import torch; print(torch.cuda.get_arch_list())"'
FAMILIES_FROM = 10
"""Major compute capability from which code may be of a family ("10.0f") that later minor ones run."""
KERNELS = frozenset({
    "bf16", "fp16", "fp8", "fp4", "int8", "fp8_kv_cache", "awq", "gptq", "marlin", "bitsandbytes", "llm_int8", "nvfp4",
    "flash_attention_2", "flash_attention_3", "xformers", "transformer_engine", "tensorrt", "unsloth", "vllm", "sglang",
    "mig", "nvlink", "p2p", "fused_experts_4bit", "dsa",
})  # fmt: skip
"""Formats, kernels and programs that a card may not run."""
UNITS = KERNELS & {
    "bf16", "fp8", "fp4", "int8", "fp8_kv_cache", "awq", "gptq", "marlin", "nvfp4", "flash_attention_2",
    "flash_attention_3", "bitsandbytes", "dsa",
}  # fmt: skip
"""Of those, number formats and kernels, which a card without units of its own may run otherwise."""
LINKS = frozenset({"nvlink", "p2p"})
"""Of those, how cards are joined: that a card has none is no fault by itself, whoever names it."""
RUNS = ("weights_only", "unlisted")
"""Ways in which what a rule refuses runs all the same, with released software."""
_SM = re.compile(r"\b(?:sm|compute)_(\d{2,3})[af]?\b")
_CURRENT = re.compile(
    r"(?:current capability:? ?|has compute capability |cuda capability |capability )(\d)[. ]?(\d)\b"
    r"|\(cc=(\d{1,2})\.(\d)\)"
)
_CUDA = re.compile(r"\+cu(\d{2})(\d)\b|\bcu(\d{2})(\d)\b|\bcuda ?(?:version)?[ =:]{0,3}v?(\d{1,2}\.\d{1,2})\b")
_REQUIRED = re.compile(r"\bcuda ?>=? ?(\d{1,2}\.\d{1,2})\b")
"""The CUDA that a container or program requires of the driver."""
_TORCH = re.compile(r"\b(?:py)?torch(?:==|[ -]?v?)(\d\.\d{1,2})")
_DRIVER = re.compile(r"(?:driver|驱动)(?: version)?[ =:是]{0,3}(\d{3}(?:\.\d{1,3}){0,2})(?![\d.])")
_NEEDED = re.compile(
    r"min(?:imum)?\.? capability:? ?(?P<bare>\d{2,3})\b|arch(?:itecture)? ?<=? ?(?P<below>\d{2,3})\b"
    r"|(?:capability|sm|arch)[ _]{0,2}(?:>=|of at least|at least|from) ?(?:sm_)?(?P<least>\d{1,2}\.?\d)\b"
    r"|(?:requires|needs)[^.]{0,24}(?:sm_|capability )(?P<target>\d{1,2}\.?\d)\b"
)
_HIP = re.compile(r"\bhip\b|\brocm|\bgfx\d{3,4}")


class Asked(NamedTuple):
    """What the text and the set-up say of a build and a card."""

    capability: Version | None
    card: Gpu | None
    cuda: str | None
    torch: str | None
    driver: str | None
    amd: bool
    needed: Version | None
    """Least compute capability that the text asks for."""


def of_card(causes: list[ObservedCause], setup: Setup, flat: str, beside: str = "") -> list[ObservedCause]:
    """The causes with what follows from the card's compute capability, and those that its rules add.

    `flat`: the error text as it is read, or the symptom; lower case or not. `beside`: what else was told of the machine
    (a command, versions in words), from which versions are read alone. A rule that refuses what was set or named
    comes first where no text says why it failed, else after what the text states.
    """
    asked = _asked(setup, f"{flat} {beside}".lower())
    causes = [_shorter(_versioned(_built(one, asked), asked), asked) for one in causes]
    refused = list(_refused(setup, flat, said=any(one.id == SHORT for one in causes)))
    if not refused:
        otherwise = list(_otherwise(setup, flat))
        return [*causes, *([_with_finding(known([OTHERWISE], setup, "known")[0], otherwise)] if otherwise else [])]
    short = next((place for place, one in enumerate(causes) if one.id == SHORT), None)
    cause = _with_finding(causes[short] if short is not None else known([SHORT], setup, "known")[0], refused)
    if short is not None:
        return [*causes[:short], cause, *causes[short + 1 :]]
    return [*causes[:1], cause, *causes[1:]] if causes else [cause]


def _asked(setup: Setup, flat: str) -> Asked:
    cuda, torch, driver = _CUDA.search(flat), _TORCH.search(flat), _DRIVER.search(flat)
    number = next((group for group in cuda.groups()[4:] if group), None) if cuda else None
    required = _REQUIRED.search(flat)
    number = required[1] if required else number
    wheel = [group for group in cuda.groups()[:4] if group] if cuda else []
    card = setup.card
    capability = (compute_capability(card) if card else None) or _capability(flat)
    return Asked(
        capability, card, number or (f"{wheel[0]}.{wheel[1]}" if wheel else None), torch[1] if torch else None,
        driver[1] if driver else None, bool(_HIP.search(flat)) or (card is not None and card.vendor == "AMD"),
        _needed(flat),
    )  # fmt: skip


def _capability(flat: str) -> Version | None:
    """The compute capability that a text gives the card."""
    if match := _CURRENT.search(flat):
        major, minor = [group for group in match.groups() if group is not None]
        return int(major), int(minor)
    if "capability" in flat and (match := _SM.search(flat)):
        return int(match[1][:-1]), int(match[1][-1])
    return None


def _needed(flat: str) -> Version | None:
    """The least compute capability that a text asks for: “Minimum capability: 75”, “arch < 89”, “sm_80 or higher”."""
    match = _NEEDED.search(flat)
    if match is None:
        return None
    digits = next(group for group in match.groups() if group).replace(".", "")
    return int(digits[:-1]), int(digits[-1])


def _words(sentence: str, /, **values: object) -> Words:
    """A sentence in both languages, with what stands in it; a value of two languages is given as `Words`."""
    table = observation_facts().settings["capability_words"]

    def of(language: str) -> str:
        written = {key: getattr(one, language) if isinstance(one, Words) else one for key, one in values.items()}
        return str(table[language][sentence]).format(**written)

    return Words(en=of("en"), zh=of("zh"))


def _joined(*parts: Words) -> Words:
    return Words(en=" ".join(one.en for one in parts), zh="".join(one.zh for one in parts))


NOTHING = Words(en="", zh="")


def _shorter(cause: ObservedCause, asked: Asked) -> ObservedCause:
    """A kernel that needs more than the card has, with both in figures."""
    if cause.id != SHORT or asked.needed is None:
        return cause
    born = _generation(asked.needed)
    name = Words(en=born.name, zh=born.name) if born else _words("newer")
    needs = _words("needs", needed=_dotted(asked.needed), name=name)
    ending = _words("stop")
    if asked.capability is not None:
        card = Words(en=asked.card.name, zh=asked.card.name) if asked.card else _words("this_card")
        ending = _words("needs_has", card=card, has=_dotted(asked.capability))
    needs = Words(en=needs.en + ending.en, zh=needs.zh + ending.zh)
    return cause.model_copy(update={"what": _joined(needs, cause.what)})


def _dotted(capability: Version) -> str:
    return ".".join(map(str, capability))


def _built(cause: ObservedCause, asked: Asked) -> ObservedCause:
    """A cause whose remedy is a build, with the build that this card needs; as it is where the card is not known."""
    if cause.id not in OF_BUILDS:
        return cause
    if asked.amd:
        return _of_rocm(cause, asked)
    born = _generation(asked.capability)
    if asked.capability is None or born is None:
        return cause
    dotted, bare = _dotted(asked.capability), "".join(map(str, asked.capability))
    wheel = wheel_for(asked.capability, asked.driver)
    up_to = _words("up_to", last=born.last_cuda_major) if born.last_cuda_major else NOTHING
    what = _words("built", dotted=dotted, bare=bare, name=born.name, first=born.first_cuda, up_to=up_to,
                  held=_held(asked, born))  # fmt: skip
    major = asked.capability[0]
    family = _words("family", major=major) if major >= FAMILIES_FROM else NOTHING
    fix = _words("fix", install=_install(born, wheel), driver=_driver(born, wheel), dotted=dotted, family=family)
    index = f"pip install torch --index-url {WHEELS}{wheel[1].replace('.', '')}; " if wheel else ""
    if cause.id == "ptxas_old":  # the compiler beside Triton's own may know the card already
        index = f"TRITON_PTXAS_PATH=/usr/local/cuda-{born.first_cuda}/bin/ptxas (or newer); {index}"
    setting = f'{index}TORCH_CUDA_ARCH_LIST="{_arches(asked.capability)}"; CMAKE_CUDA_ARCHITECTURES={bare}'
    return cause.model_copy(update={"what": what, "fix": fix, "setting": setting})


def _install(born: Generation, wheel: tuple[Release, str] | None) -> Words:
    """The wheel by its CUDA, and whether it is the last for the card."""
    if wheel is None:
        return _words("install_none")
    last = _words("install_last", label=wheel[0].label) if born.last_cuda_major else NOTHING
    return _words("install", cuda=wheel[1], last=last)


def _driver(born: Generation, wheel: tuple[Release, str] | None) -> str:
    """The oldest driver that knows the card and runs the build."""
    runs = next((one.minimum_driver for one in software().toolkits if wheel and one.major == version(wheel[1])[0]), "0")
    return max(born.first_driver, runs, key=version)


def _arches(capability: Version) -> str:
    """How a build names the card: its capability, with the accelerated code of the newest."""
    dotted = ".".join(map(str, capability))
    return f"{dotted}a" if capability[0] >= FAMILIES_FROM and capability[1] else dotted


def _held(asked: Asked, born: Generation) -> Words:
    """What the build at hand holds of the card, by its CUDA."""
    cuda = asked.cuda
    if cuda is None:
        return _words("held_none")
    if version(cuda) < version(born.first_cuda):
        return _words("held_older", cuda=cuda)
    dropped = born.last_cuda_major and version(cuda)[0] > born.last_cuda_major
    return _words("held_dropped" if dropped else "held_known", cuda=cuda)


def wheel_for(capability: Version, driver: str | None = None) -> tuple[Release, str] | None:
    """The newest release of PyTorch with a wheel for cards of that compute capability, which the driver runs where one
    is given and any does, and the oldest such CUDA."""
    born = _generation(capability)
    if born is None:
        return None
    held = [
        (one, cuda) for one in reversed(releases()["pytorch"]) for cuda in one.cudas
        if version(cuda) >= version(born.first_cuda) and one.covers(cuda, capability)
        and (born.last_cuda_major is None or version(cuda)[0] <= born.last_cuda_major)
    ]  # fmt: skip
    running = [row for row in held if driver and cuda_on_driver(row[1], driver).verdict == "works"]
    return next(iter(running or held), None)


def _generation(capability: Version | None) -> Generation | None:
    return next((one for one in software().generations if capability and capability >= one.at_least), None)


def _of_rocm(cause: ObservedCause, asked: Asked) -> ObservedCause:
    """AMD's builds hold code by chip (gfx…): what a card that is left out may pass for."""
    rule = features()["rocm"].rule(asked.card) if asked.card else None
    passing = observation_facts().settings["gfx_override"]
    own = next((value for name, value in passing.items() if asked.card and asked.card.architecture == name), None)
    any_ = ", ".join(f"{value} for {name}" for name, value in passing.items())
    what = _words("rocm")
    if rule is not None:
        what = _joined(what, Words(en=_sentence(rule.reason), zh=f"{rule.reason_zh}。"))
    check = cause.check.model_copy(update={"command": ROCM_CHECK})
    setting = f"HSA_OVERRIDE_GFX_VERSION={own or f'… ({any_})'}"
    return cause.model_copy(update={"what": what, "fix": _words("rocm_fix"), "setting": setting, "check": check})


def _versioned(cause: ObservedCause, asked: Asked) -> ObservedCause:
    """A driver that is older than the CUDA at hand, with the least one that runs it."""
    if cause.id != DRIVER or asked.cuda is None or asked.driver is None:
        return cause
    return _with_finding(cause, [cuda_on_driver(asked.cuda, asked.driver, [asked.card] if asked.card else [])])


def _refused(setup: Setup, flat: str, *, said: bool) -> Iterator[Finding]:
    """What was set or named and a rule of compatibility refuses on this card; where the text says that it is refused
    (`said`), by the card's own rule, not by an engine's way round it."""
    card = setup.card
    if card is None:
        return
    engine = setup.ruled_as
    for key in (one for one in _named(setup, flat) if said or one not in LINKS):
        rule = features()[key].rule(card, None if said else engine)
        if rule is None or rule.verdict != "does_not" or (rule.way in RUNS and not said):
            continue
        title = Words(en=features()[key].title, zh=features()[key].title_zh or features()[key].title)
        reason = Words(en=_sentence(rule.reason), zh=rule.reason_zh)
        said_of = _words("refused", title=title, card=card.name, reason=reason)
        yield Finding(
            gpu=card.id, asked=features()[key].title, asked_zh=features()[key].title_zh, verdict=rule.verdict,
            reason=said_of.en, reason_zh=said_of.zh, instead=rule.instead, instead_zh=rule.instead_zh,
            sources=rule.sources,
        )  # fmt: skip


def _otherwise(setup: Setup, flat: str) -> Iterator[Finding]:
    """Number formats and kernels that the text names and the card runs in a way of its own, by the engine's rule."""
    card = setup.card
    if card is None:
        return
    told = UNITS.intersection(_told(flat))
    for key in (one for one in _named(setup, flat) if one in told or one == setup.request.weight_format):
        rule = features()[key].rule(card, setup.ruled_as)
        if rule is not None and (key in told or rule.engine) and (rule.way in RUNS or rule.verdict == "works_with"):
            title = Words(en=features()[key].title, zh=features()[key].title_zh or features()[key].title)
            said_of = _words("refused", title=title, card=card.name,
                             reason=Words(en=_sentence(rule.reason), zh=rule.reason_zh))  # fmt: skip
            yield Finding(
                gpu=card.id, asked=title.en, asked_zh=title.zh, verdict=rule.verdict, reason=said_of.en,
                reason_zh=said_of.zh, instead=rule.instead, instead_zh=rule.instead_zh, sources=rule.sources,
            )  # fmt: skip


def _named(setup: Setup, flat: str) -> Iterable[str]:
    """Formats and programs of the set-up first, then those that the text names."""
    asked = setup.request
    held = None if setup.kind == "pictures" else asked.weight_format  # generators widen what they hold narrow
    stated = [held, "fp8_kv_cache" if asked.kv_format == "fp8" else None, asked.engine]
    return dict.fromkeys(one for one in (*stated, *_told(flat)) if one in KERNELS and one in features())


def _told(flat: str) -> list[str]:
    """Features that a text names, in its order."""
    return [mention.ids[0] for mention in feature_names().scan(flat.lower()) if mention.exact]


def _with_finding(cause: ObservedCause, findings: list[Finding]) -> ObservedCause:
    one = findings[0]
    fix = Words(en=one.instead, zh=one.instead_zh or one.instead) if one.instead else cause.fix
    return cause.model_copy(
        update={
            "what": Words(en=one.reason, zh=one.reason_zh or one.reason), "fix": fix,
            "setting": None if one.instead else cause.setting,
        }
    )  # fmt: skip


def _sentence(text: str) -> str:
    named = text[1:2].isupper()  # vLLM stays as it is written
    return f"{text if named else text[:1].upper() + text[1:]}."


__all__ = ["of_card", "wheel_for"]
