"""What one may ask about the speed of serving."""

from typing import Literal

from pydantic import Field

from tools.memory.request import Engine
from tools.model_fields import ModelFields


class InferenceSpeedRequest(ModelFields):
    """A model, the cards it runs on, and the load."""

    gpu: str = Field(max_length=200)
    """Catalog id or name of the card; `cpu` = none, a language model on the processor and its memory alone."""
    gpu_count: int = Field(default=1, gt=0, le=100_000)
    """Cards in all; those beyond tensor_parallel × pipeline_parallel serve further copies."""
    weight_format: str | None = Field(default=None, max_length=40)
    """fp32 bf16 fp16 fp8 int8 int4 nf4 awq gptq mxfp4 nvfp4 gguf:Q4_K_M …; null = as published."""
    kv_format: Literal["auto", "bf16", "fp16", "fp8", "int8", "q8_0", "q4_0"] = "auto"
    """Format of the key-value cache; auto = 16 bit."""
    tensor_parallel: int | None = Field(default=None, gt=0, le=10**4)
    """Cards that share every layer; null = all of them (llama.cpp: 1)."""
    pipeline_parallel: int | None = Field(default=None, gt=0, le=10**4)
    """Groups of cards that take the layers in turn; null = 1 (llama.cpp: all cards)."""
    expert_parallel: int | None = Field(default=None, gt=0, le=10**4)
    """Cards that share the experts of a mixture, each with attention and sequences of its own; null = 1."""
    engine: Engine | None = None
    """What serves; null = llama.cpp for GGUF formats and for graphics within a processor, else vllm."""
    engine_built: str | None = Field(default=None, pattern=r"^20\d\d-(0[1-9]|1[0-2])$")
    """Month the engine was released (YYYY-MM), for one of before; null = today's, llama.cpp's of their time for models
    older than mid-2024."""
    concurrent_sequences: int = Field(default=1, gt=0, le=10**7)
    """Sequences being answered at any time."""
    requests_per_s: float | None = Field(default=None, gt=0, le=10**7)
    """Requests that arrive a second; gives the concurrent sequences by Little's law when they are not stated."""
    context_tokens: int | None = Field(default=None, gt=0, le=10**9)
    """Prompt and answer of one request together, when input_tokens is not stated."""
    input_tokens: int | None = Field(default=None, ge=0, le=10**9)
    """Prompt tokens of one request; null = 512 (one sequence) or 1024."""
    images_per_sample: int | None = Field(default=None, gt=0, le=10_000)
    """Pictures in every prompt of a vision-language model, whose tokens are read besides `input_tokens`."""
    cached_tokens: int | None = Field(default=None, ge=0, le=10**9)
    """Tokens of that prompt that the engine holds from earlier requests (prefix cache). null = none; of a long
    context_tokens that several share, all beyond what requests bring on average."""
    output_tokens: int | None = Field(default=None, ge=0, le=10**9)
    """Answer tokens of one request; null = 256 (one sequence) or 1024."""
    steps: int | None = Field(default=None, gt=0, le=1000)
    """Denoising steps of one picture; null = as the model is usually run."""
    width_px: int | None = Field(default=None, ge=64, le=16384)
    height_px: int | None = Field(default=None, ge=64, le=16384)
    frames: int | None = Field(default=None, gt=0, le=10_000)
    """Frames of one clip."""
    offload: Literal["none", "components", "all"] | None = None
    """Of pictures and clips: parts of the pipeline on the card one after the other, or weights in host memory that come
    block by block, as many as the card has no room for (block swap, group offloading). null = none."""
    measured_s: float | None = Field(default=None, gt=0, le=10**7)
    """Seconds that one picture or clip was measured to take on `measured_gpu`, by which the time here is told."""
    measured_gpu: str | None = Field(default=None, max_length=200)
    """The card that `measured_s` was measured on."""
    images: int | None = Field(default=None, gt=0, le=10**13)
    """Pictures, clips or images in all, for the time they take together."""
    audio_s: float | None = Field(default=None, gt=0, le=10**13)
    """Speech to transcribe, for the time it takes."""
    live_chunk_s: float | None = Field(default=None, ge=0.1, le=60)
    """Live speech: seconds between two updates of what was heard; null = one."""
    within_s: float | None = Field(default=None, gt=0, le=10**10)
    """Seconds in which items are counted: how many pictures, clips, seconds of audio or texts are done."""
    images_per_s: float | None = Field(default=None, gt=0, le=10**9)
    """Pictures a second to keep up with, for the cards that takes."""
    audio_s_per_s: float | None = Field(default=None, gt=0, le=10**9)
    """Seconds of speech that come every second and are to be kept up with, for the cards that takes."""
    documents: int | None = Field(default=None, gt=0, le=10**13)
    """Texts to embed, of `input_tokens` each, for the time they take."""
    tokens: int | None = Field(default=None, gt=0, le=10**18)
    """Answer tokens to write in all, for the time they take at `concurrent_sequences` at once."""
    documents_per_s: float | None = Field(default=None, gt=0, le=10**9)
    """Texts a second to keep up with, of `input_tokens` each, for the cards that takes."""
    separate_prefill: bool = False
    """Whether prompts are read on other cards than these, which only answer (prefill and decode disaggregated)."""
    host_bandwidth_bytes_per_s: float | None = Field(default=None, gt=0, le=10**13)
    """Bandwidth of the host's memory, read when weights do not fit the cards (llama.cpp); null = a desktop's."""
