"""Values of Helm charts that serve models, as the container and the server they make."""

from collections.abc import Iterator

from kb.artifacts.setups.options import options
from kb.artifacts.setups.tree import Branch
from kb.artifacts.setups.written import Given, Unit

STACK = {
    "tensorParallelSize": "tensor_parallel_size", "maxModelLen": "max_model_len", "dtype": "dtype",
    "gpuMemoryUtilization": "gpu_memory_utilization", "maxNumSeqs": "max_num_seqs", "maxLoras": "max_loras",
    "enableChunkedPrefill": "enable_chunked_prefill", "enablePrefixCaching": "enable_prefix_caching",
    "pipelineParallelSize": "pipeline_parallel_size",
}  # fmt: skip
"""The production stack's `vllmConfig` → vLLM's options."""


def values(root: Branch, kind: str) -> Iterator[Unit]:
    """Each model of the production stack, or a chart's single server."""
    specs = root.at("servingEngineSpec", "modelSpec")
    for spec in specs.entries() if specs and kind == "helm-production-stack" else (root,):
        given: dict[str, Given] = {}
        for name, key, value in spec.items():
            said = {"requestGPU": "gpus", "replicaCount": "replicas", "shmSize": "shm_size", "tag": "tag"}.get(name)
            if said and value.kind == "value":
                given[said] = value.given(said, key)
        limits = spec.at("resources", "limits")
        for name, key, value in limits.items() if limits else ():
            if name.endswith("/gpu"):
                given["gpus"] = value.given("gpus", key)
        box = Unit("helm", spec.line, spec.start, spec.end, given, hand="yaml")
        yield box
        yield from _server(spec, box)


def _server(spec: Branch, box: Unit) -> Iterator[Unit]:
    given: dict[str, Given] = {}
    model, config = spec.at("modelURL") or spec.at("model"), spec.at("vllmConfig")
    if model is not None and model.kind == "value":
        given["model"] = model.given("model")
    for name, key, value in config.items() if config else ():
        said = STACK.get(name)
        if said and value.kind == "value":
            given[said] = value.given(said, key)
    extra = (config.at("extraArgs") if config else None) or spec.at("extraArgs")
    for one in extra.entries() if extra else ():
        name, _, said = str(one.node.value).partition("=")
        option = options("vllm").get(name.lstrip("-").replace("-", "_"))
        if option is not None:
            from kb.artifacts.setups.written import typed

            start = one.end - len(said) - (1 if one.node.style else 0)
            given[option.name] = Given(option.name, typed(said) if said else True, start, start + len(said), one.start,
                                       one.end, one.line, str(one.node.value)[:160], "list")  # fmt: skip
    if given:
        yield Unit("vllm", box.line, box.start, box.end, given, within=box, hand="yaml")
