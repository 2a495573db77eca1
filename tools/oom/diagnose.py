"""`diagnose_oom`: an error text and settings in; the cause and the remedies in order out."""

from collections.abc import Iterator

from kb.base import BadInput
from kb.oom import Cause, Signature, oom_facts
from kb.records.source import Source
from kb.units import format_bytes
from tools.base import Step
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest
from tools.memory.result import MemoryEstimate
from tools.oom.cause import causes, signature_of
from tools.oom.fixes import outside_fixes, reckoned_fixes
from tools.oom.quantities import folded, quantities
from tools.oom.request import OomRequest
from tools.oom.result import Basis, OomDiagnosis, OtherCause, Quantities

_NO_SETTING_HELPS: tuple[Cause, ...] = ("host_memory", "shared_memory")


def diagnose_oom(request: OomRequest) -> OomDiagnosis:
    """Diagnose running out of memory from an error text, from the settings, or from both: cause, ordered fixes.

    Reads PyTorch, vLLM, SGLang, llama.cpp, TensorRT-LLM, CUDA, ROCm, Ascend and operating-system wordings. Name the
    model, card and settings that were run, and each fix carries the bytes it saves and the new estimate.
    """
    text = folded(request.error_text or "")
    if not text and not (request.model or request.params):
        raise BadInput("error_text", "there is neither a text nor a model.", "Paste the error, or name the model.")
    read = quantities(text)
    signature = signature_of(text, read)
    estimate = _estimate(request)
    found = causes(text, signature, read, estimate)
    first = found[0]
    software = _software(signature, request, estimate)
    every: list[Cause] = [one.cause for one in found if one.basis != "reckoned"]
    fixes = list(outside_fixes(every, read, software))
    if estimate is not None and first.cause not in _NO_SETTING_HELPS:
        taken = {fix.change for fix in fixes}
        fixes += [fix for fix in reckoned_fixes(request, estimate, software) if fix.change not in taken]
    return OomDiagnosis(
        software=software, signature=signature.id if signature else None,
        where=signature.where if signature else "device", cause=first.cause, basis=first.basis,
        other_causes=tuple(found[1:]), quantities=read, model=estimate.model if estimate else None,
        gpu=estimate.fit.gpu if estimate and estimate.fit else None, gpus=estimate.gpus if estimate else None,
        usable_bytes=estimate.fit.usable_bytes if estimate and estimate.fit else None,
        verdict=estimate.fit.verdict if estimate and estimate.fit else None,
        estimate=estimate.per_gpu if estimate else None, fixes=tuple(fixes), checks=tuple(_checks(first.cause)),
        derivation=(*_read(read, signature), *(estimate.derivation if estimate else ())),
        assumptions=estimate.assumptions if estimate else (), warnings=tuple(_warnings(text, first, signature)),
        sources=(*_sources(signature), *(estimate.sources if estimate else ())),
    )  # fmt: skip


def _estimate(request: OomRequest) -> MemoryEstimate | None:
    if not (request.model or request.params):
        return None
    return estimate_memory(MemoryRequest.model_validate(request.model_dump(exclude={"error_text", "gpu_count"})))


def _software(signature: Signature | None, request: OomRequest, estimate: MemoryEstimate | None) -> str:
    """Whose flags to speak in: the program of the wording, else the one stated."""
    generic = {"unknown", "pytorch", "cuda", "linux", "nccl"}
    if signature is not None and signature.software not in generic:
        return signature.software
    if request.engine:
        return request.engine
    if estimate is not None and estimate.task == "inference" and signature is None:
        return estimate.engine
    return signature.software if signature else "unknown"


def _read(read: Quantities, signature: Signature | None) -> Iterator[Step]:
    source = signature.source if signature else None
    for name, value in read.model_dump(exclude_none=True).items():
        unit = "bytes" if name.endswith("_bytes") else "tokens" if name.endswith("_tokens") else ""
        shown = {"readable": format_bytes(value, 2)} if unit == "bytes" else {}
        label = name.removesuffix("_bytes").replace("_", " ").capitalize()
        yield Step(label=label, formula="as the text states it", inputs=shown, value=value, unit=unit, source=source)


def _checks(cause: Cause) -> Iterator[str]:
    if cause == "host_memory":
        yield "dmesg -T | grep -i -E 'out of memory|killed process'"
        yield "free -h"
    elif cause == "shared_memory":
        yield "df -h /dev/shm"
    else:
        yield "nvidia-smi --query-gpu=index,memory.used,memory.total --format=csv"
        if cause in {"fragmentation", "settings_differ", "unknown", "activations", "attention"}:
            yield 'python -c "import torch; print(torch.cuda.memory_summary())"  # inside the program, before it fails'


def _warnings(text: str, first: OtherCause, signature: Signature | None) -> Iterator[str]:
    if text and signature is None:
        yield "The text holds no wording of memory that ran out which is known here: the settings alone were judged."
    weak: tuple[Basis, ...] = ("likely", "reckoned")
    if first.basis in weak and first.cause != "unknown":
        yield "The text does not prove the cause: it is what the rest of it, or the estimate, makes likely."


def _sources(signature: Signature | None) -> tuple[Source, ...]:
    known = oom_facts().sources
    return (known[signature.source],) if signature else ()
