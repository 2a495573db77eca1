"""The speed of a language model on a processor alone: every token reads the active weights from the host's memory."""

from kb.constants.memory_constants import constants as memory_constants
from kb.constants.speed_constants import constants
from kb.lexicon.memory.host import DESKTOP_CHANNELS, DESKTOP_MOST_BYTES, SERVER_CHANNELS
from tools.base import Step
from tools.cache_format import cache_format
from tools.memory.formats import canonical, weight_format
from tools.speed.architecture import Architecture, architecture_of
from tools.speed.interval import interval, inverse
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import InferenceSpeed
from tools.speed.work import as_read

CPU = "cpu"
"""What is given as the card where there is none."""
USUAL = "gguf:Q4_K_M"
"""The file that people run without a card, where no format is said."""
ANSWER_TOKENS = 256


DESKTOP_MOST_CARDS = 3
"""Cards that a desktop's board has slots and lanes for; boards for more are those of servers and workstations."""


def host_bandwidth(size_bytes: int | None, channels: int | None, cards: int = 0) -> tuple[float, str]:
    """Bytes a second of a host whose modules were not told, and what was taken: by its channels, else by its size and
    its number of cards.

    Of one socket: desktop modules up to four channels, server modules beyond, two sockets from sixteen on.
    """
    usual = constants().host
    if channels is not None:
        bandwidth = _channels_bytes_per_s(channels)
        said = f"{channels} memory channels are taken to move {bandwidth / 1e9:.0f} GB/s"
        return bandwidth, f"{said}; a second socket adds capacity and hardly speed."
    server = (size_bytes or 0) > DESKTOP_MOST_BYTES or cards > DESKTOP_MOST_CARDS
    bandwidth = usual.server_bandwidth_bytes_per_s if server else usual.bandwidth_bytes_per_s
    what = "one socket of a server (eight channels of DDR4-3200)" if server else "two channels of DDR5-5600"
    return bandwidth, f"host_bandwidth_bytes_per_s not stated: {what}, {bandwidth / 1e9:.0f} GB/s."


def _channels_bytes_per_s(channels: int) -> float:
    usual = constants().host
    desktop = usual.bandwidth_bytes_per_s / DESKTOP_CHANNELS
    server = usual.server_bandwidth_bytes_per_s / SERVER_CHANNELS
    if channels <= 2 * DESKTOP_CHANNELS:
        return desktop * channels
    socket = channels // 2 if channels >= 2 * SERVER_CHANNELS else channels
    return max(server * socket, desktop * 2 * DESKTOP_CHANNELS)


def estimate_host_speed(request: InferenceSpeedRequest) -> InferenceSpeed:
    """Tokens a second of one user of llama.cpp without a card.

        t = bytes · (1 / bandwidth + 1 / cores) + cache / bandwidth

    bytes: dense weights, and the k of E routed experts that a token visits; cores: quantised weights that they widen
    and multiply a second. The same as for weights left in host memory beside a card (`decode._spill_s`), without the
    handing over. One socket: a second one adds capacity, and hardly speed where data are not placed per socket.
    """
    arch = architecture_of(request)
    native = canonical(arch.native_format)
    name = canonical(request.weight_format or (native if native == "mxfp4" else USUAL))
    host = constants().host
    bandwidth = request.host_bandwidth_bytes_per_s or host.bandwidth_bytes_per_s
    read = _read_bytes(arch, name, native)
    cache = _cache_bytes(arch, request, name, native)
    seconds = read * (1 / bandwidth + 1 / host.cores(bandwidth, name)) + cache / bandwidth
    token = interval(seconds, "offload", guessed=arch.guessed)
    users = request.concurrent_sequences
    each = inverse(token)
    steps = (
        Step(label="Weights read a token", formula="dense + routed · k / E", value=read, unit="bytes",
             inputs={"experts": arch.experts, "experts_per_token": arch.experts_per_token}, source=host.source),
        Step(label="Reading from host memory and multiplying there",
             formula="bytes · (1 / bandwidth + 1 / cores) + cache / bandwidth", value=seconds, unit="s",
             inputs={"bandwidth_bytes_per_s": bandwidth, "cores_bytes_per_s": host.cores(bandwidth, name),
                     "cache_bytes": cache}, source=host.source),
    )  # fmt: skip
    return InferenceSpeed(
        model=arch.id, gpu=CPU, gpu_count=1, weight_format=name, engine="llama.cpp", tensor_parallel=1,
        pipeline_parallel=1, replicas=1, concurrent_sequences=users, input_tokens=request.input_tokens or 0,
        output_tokens=request.output_tokens or ANSWER_TOKENS, time_per_output_token_s=token,
        tokens_per_s_per_user=each, tokens_per_s_total=each, bound="memory_bandwidth", label="formula",
        derivation=steps, assumptions=() if request.host_bandwidth_bytes_per_s else (
            "host_bandwidth_bytes_per_s not stated: two channels of DDR5-5600.",), warnings=(), sources=(),
    )  # fmt: skip


def _read_bytes(arch: Architecture, name: str, native: str) -> int:
    """Bytes of weights that one token visits."""
    form = weight_format(name, tied=arch.tied, experts_only=arch.moe and name == native)
    form = as_read(form, native if arch.moe else None)
    wide = constants().decode.gguf_wide_bits if name == "mxfp4" == native else None
    body, head = wide or form.body_bits, wide or form.head_bits
    visited = arch.routed_params * arch.experts_per_token / arch.experts if arch.moe else 0.0
    return round((arch.dense_params * body + arch.head_params * head + visited * form.expert_bits) / 8)


def _cache_bytes(arch: Architecture, request: InferenceSpeedRequest, name: str, native: str) -> int:
    """Cache of one sequence that a step reads, half-way through its answer."""
    answer = request.output_tokens or ANSWER_TOKENS
    prompt = request.input_tokens
    prompt = max((request.context_tokens or 0) - answer, 0) if prompt is None else prompt
    tokens = prompt + answer / 2
    local = min(tokens, arch.window) if arch.window else tokens
    each = memory_constants().kv.bytes[cache_format(request.kv_format, "llama.cpp", name, native)]
    return round((arch.full_width * tokens + arch.local_width * local) * each + 2 * arch.state_bytes)
