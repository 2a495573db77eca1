"""Releases of frameworks and engines against cards, toolkits and drivers."""

import pytest

from kb.base import BadInput
from kb.catalog import gpus, sources
from kb.programs.releases import releases
from kb.programs.software import version
from tools.check_compatibility import Compatibility, CompatibilityRequest, check_compatibility
from tools.release_check import Named, named_in


def check(**fields: object) -> Compatibility:
    return check_compatibility(CompatibilityRequest.model_validate(fields))


@pytest.mark.parametrize(
    ("fields", "verdict", "instead"),
    [
        ({"gpu": "RTX 5080", "framework": "pytorch 2.5"}, "does_not", "PyTorch 2.7"),
        ({"gpu": "RTX 5060 Ti 16G", "framework": "torch==2.7.1"}, "works_with", "cu128"),
        ({"gpu": "B200", "framework": "torch 2.8"}, "works", ""),
        ({"gpu": "GTX 1080 Ti", "framework": "torch==2.8.0"}, "works_with", "cu126"),
        ({"gpu": "V100", "framework": "PyTorch 2.4"}, "works", ""),
        ({"gpu": "L40S", "framework": "torch==2.1.0+cu118"}, "works", ""),
        ({"gpu": "RTX PRO 6000", "framework": "torch==2.1.0+cu118"}, "does_not", "PyTorch 2.7"),
        ({"gpu": "K80", "framework": "pytorch 2.2"}, "works_with", "cu118"),
        ({"gpu": "K80", "framework": "pytorch 2.8"}, "does_not", "PyTorch 2.7"),
        ({"gpu": "V100", "framework": "torch==2.9+cu128"}, "works", ""),
        ({"gpu": "V100", "framework": "torch 2.13"}, "works_with", "cu126"),
        ({"gpu": "V100", "framework": "torch 2.15"}, "does_not", "PyTorch 2.14"),
        ({"gpu": "V100", "engine": "vllm 0.18"}, "works", ""),
        ({"gpu": "V100", "engine": "vllm 0.20"}, "does_not", "vLLM 0.18"),
        ({"gpu": "V100", "engine": "vllm 0.33"}, "does_not", "vLLM 0.18"),
        ({"gpu": "T4", "engine": "vllm 0.33"}, "works", ""),
        ({"gpu": "5090", "engine": "vllm 0.33"}, "works", ""),
        ({"gpu": "5090", "engine": "vllm 0.7.3"}, "does_not", "vLLM 0.9"),
        ({"gpu": "A100", "engine": "vllm 0.6.6"}, "works", ""),
        ({"gpu": "P40", "engine": "vllm 0.6.6"}, "does_not", "another framework"),
        ({"framework": "tensorflow 2.12", "cuda": "12.0"}, "does_not", "CUDA 11.8"),
        ({"framework": "tf 2.15", "cuda": "12.2"}, "works", ""),
        ({"framework": "pytorch 2.4", "cuda": "12.6"}, "works_with", "12."),
        ({"framework": "torch 2.12", "driver": "470"}, "does_not", "driver"),
        ({"framework": "torch 2.0", "driver": "470"}, "works", ""),
        ({"gpu": "MI300X", "framework": "torch 2.8"}, "works_with", "ROCm"),
        ({"gpu": "4090", "framework": "torch 0.9"}, "unknown", ""),
    ],
    ids=str,
)
def test_a_release_is_judged(fields: dict[str, str], verdict: str, instead: str) -> None:
    result = check(**fields)
    assert result.verdict == verdict, result.reason
    assert instead.casefold() in result.instead.casefold()
    assert bool(result.instead) == (verdict in ("works_with", "does_not"))


def test_a_release_in_a_question_is_found() -> None:
    assert named_in("用 PyTorch 2.3 和 torch==2.1.0+cu118，TensorFlow 2.14 呢") == [
        Named("pytorch", "2.3", None),
        Named("pytorch", "2.1", "11.8"),
        Named("tensorflow", "2.14", None),
    ]


@pytest.mark.parametrize("text", ["torchvision 0.18", "pytorch", "use tf", "vllm on 4090", "stuff 2.4", "tfx 1.2"])
def test_other_words_are_no_release(text: str) -> None:
    assert named_in(text) == []


def test_an_unknown_framework_says_how_to_write_one() -> None:
    with pytest.raises(BadInput, match=r"framework.*pytorch 2\.4"):
        check(framework="mxnet 1.9")


@pytest.mark.parametrize("package", list(releases()))
def test_releases_are_in_order_sourced_and_pin_known_ones(package: str) -> None:
    held = releases()[package]
    numbers = [one.version for one in held]
    assert numbers == sorted(set(numbers))
    for one in held:
        assert one.source in sources()
        assert [*map(version, one.cudas)] == sorted(map(version, one.cudas))
        for pinned, number in one.built_on.items():
            assert any(other.label == number for other in releases()[pinned])


def test_a_newer_release_never_serves_an_older_card_than_its_wheels_cover() -> None:
    """What a remedy names must itself be judged to work."""
    for key in ("rtx-5090-32gb", "k80-24gb", "gtx-1080-ti-11gb", "b200-sxm-180gb", "v100-sxm2-16gb"):
        for release in releases()["pytorch"]:
            result = check(gpu=key, framework=f"pytorch {release.label}")
            if result.verdict == "does_not" and "Install PyTorch" in result.instead:
                (named, *_) = named_in(result.instead)
                cuda = result.instead.rpartition("CUDA ")[2]
                again = check(gpu=key, framework=f"pytorch {named.version}+cu{cuda.replace('.', '')}")
                assert again.verdict == "works", (gpus()[key].name, result.instead)


def test_an_engine_runs_on_no_card_that_the_framework_it_pins_leaves_out() -> None:
    """vLLM is no newer for a card than the PyTorch beneath it, whatever its own kernels were built for."""
    for engine in releases()["vllm"]:
        for pinned, number in engine.built_on.items():
            beneath = next(one for one in releases()[pinned] if one.label == number)
            for compute in ("5.0", "6.1", "7.0", "7.5", "9.0"):
                for cuda in engine.cudas:
                    assert not engine.covers(cuda, version(compute)) or beneath.covers(cuda, version(compute))


@pytest.mark.parametrize("key", ["v100-sxm2-32gb", "t4-16gb", "k80-24gb", "p40-24gb", "a100-sxm-80gb", "rtx-5090-32gb"])
def test_the_rule_of_an_engine_and_its_releases_say_the_same(key: str) -> None:
    """Some release runs where the rule says it works with something, and the newest where it says it works."""
    for package in ("pytorch", "vllm"):
        rule = next(one for one in check(gpu=key, engine=package).findings if one.gpu == key)
        judged = [check(gpu=key, framework=f"{package} {one.label}").verdict for one in releases()[package]]
        assert (judged[-1] != "does_not") == (rule.verdict == "works" or key == "rtx-5090-32gb"), (package, rule.reason)
        assert any(one != "does_not" for one in judged) == (rule.verdict != "does_not"), (package, rule.reason)
