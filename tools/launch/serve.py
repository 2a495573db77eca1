"""The command line of each server."""

from collections.abc import Iterator

from kb.programs.repositories import repository
from tools.launch.setting import Setting

MODEL = "${MODEL}"
"""Where the model's id goes, when whoever runs it must set it."""


def command(setting: Setting) -> list[str]:
    """Program and arguments; MODEL stands for a checkpoint that nobody named."""
    if setting.program == "vllm":
        return ["vllm", "serve", setting.checkpoint or MODEL, *_vllm(setting)]
    if setting.program == "sglang":
        return ["python3", "-m", "sglang.launch_server", "--model-path", setting.checkpoint or MODEL, *_sglang(setting)]
    if setting.program == "llama.cpp":
        return ["llama-server", "-hf", _gguf(setting), *_llama(setting)]
    return ["ollama", "serve"]


def environment(setting: Setting) -> dict[str, str]:
    """Variables the server reads."""
    if setting.program == "ollama":
        return dict(_ollama(setting))
    return {}


def _port(setting: Setting) -> str:
    return str(setting.engine.port if setting.engine else 8000)


def _vllm(setting: Setting) -> Iterator[str]:
    yield from ("--host", "0.0.0.0", "--port", _port(setting), "--served-model-name", setting.model.name)  # noqa: S104
    yield from ("--tensor-parallel-size", str(setting.tensor))
    if setting.pipeline > 1:
        yield from ("--pipeline-parallel-size", str(setting.pipeline))
    if setting.data > 1:
        yield from ("--data-parallel-size", str(setting.data))
    yield from ("--max-model-len", str(setting.context), "--max-num-seqs", str(setting.slots))
    yield from ("--gpu-memory-utilization", f"{setting.memory_ratio:g}")
    if setting.quantization:
        yield from ("--quantization", setting.quantization)
    if setting.request.kv_format == "fp8":
        yield from ("--kv-cache-dtype", "fp8")
    if setting.half == "fp16":
        yield from ("--dtype", "float16")
    if setting.expert > 1:
        yield "--enable-expert-parallel"


def _sglang(setting: Setting) -> Iterator[str]:
    yield from ("--host", "0.0.0.0", "--port", _port(setting), "--served-model-name", setting.model.name)  # noqa: S104
    copied = setting.expert > setting.tensor  # attention on every card, experts shared
    yield from ("--tp-size", str(setting.expert if copied else setting.tensor))
    if setting.pipeline > 1:
        yield from ("--pp-size", str(setting.pipeline))
    if setting.data > 1:
        yield from ("--dp-size", str(setting.data))
    if copied:
        yield "--enable-dp-attention"
    if setting.expert > 1:
        yield from ("--ep-size", str(setting.expert))
    yield from ("--context-length", str(setting.context), "--max-running-requests", str(setting.slots))
    yield from ("--mem-fraction-static", f"{setting.memory_ratio:g}")
    if setting.quantization:
        yield from ("--quantization", setting.quantization)
    if setting.request.kv_format == "fp8":
        yield from ("--kv-cache-dtype", "fp8_e4m3")
    if setting.half == "fp16":
        yield from ("--dtype", "float16")
    yield "--enable-metrics"


def _gguf(setting: Setting) -> str:
    """Repository and file type, as `-hf` wants them."""
    known = repository(setting.model.id, setting.form)
    if known is not None and known.id == setting.checkpoint:
        return known.named
    return f"{setting.checkpoint or MODEL}:{setting.form.split(':')[-1]}"


def _llama(setting: Setting) -> Iterator[str]:
    """`-c` counts the tokens of all slots together."""
    yield from ("--host", "0.0.0.0", "--port", _port(setting), "--alias", setting.model.name)  # noqa: S104
    yield from ("-c", str(setting.context * setting.sequences), "-np", str(setting.sequences))
    yield from setting.placed
    yield from ("-fa", "on")
    kv = setting.request.kv_format
    if kv in {"q8_0", "q4_0", "fp8"}:
        name = "q8_0" if kv == "fp8" else kv
        yield from ("-ctk", name, "-ctv", name)
    if setting.request.gpu_count > 1 and "-sm" not in setting.placed:
        yield from ("--split-mode", "layer")
    yield from ("--jinja", "--metrics")


def _ollama(setting: Setting) -> Iterator[tuple[str, str]]:
    yield "OLLAMA_HOST", f"0.0.0.0:{_port(setting)}"
    yield "OLLAMA_CONTEXT_LENGTH", str(setting.context)
    yield "OLLAMA_NUM_PARALLEL", str(setting.sequences)
    yield "OLLAMA_FLASH_ATTENTION", "1"
    if setting.request.kv_format in {"q8_0", "q4_0", "fp8"}:
        yield "OLLAMA_KV_CACHE_TYPE", "q8_0" if setting.request.kv_format == "fp8" else setting.request.kv_format
    if setting.request.gpu_count > 1:
        yield "OLLAMA_SCHED_SPREAD", "1"
    yield "OLLAMA_KEEP_ALIVE", "-1"


def ollama_model(setting: Setting) -> str:
    """The name by which Ollama pulls the model from Hugging Face."""
    return f"hf.co/{_gguf(setting)}"


def several_nodes(setting: Setting) -> tuple[list[str], list[str]]:
    """Arguments for the first machine and for the others; NODE_RANK and MASTER_ADDR are set where it starts."""
    nodes = str(setting.request.nodes)
    if setting.program == "vllm":
        shared = ["--nnodes", nodes, "--node-rank", "${NODE_RANK}", "--master-addr", "${MASTER_ADDR}"]
        return shared, [*shared, "--headless"]
    shared = ["--nnodes", nodes, "--node-rank", "${NODE_RANK}", "--dist-init-addr", "${MASTER_ADDR}:5000"]
    return shared, shared
