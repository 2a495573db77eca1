"""What the head of a GGUF file says: its metadata, and the shape and type of every tensor."""

import struct
from collections import Counter
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import BinaryIO, NamedTuple

from kb.base import BadDocument

MAGIC = b"GGUF"
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9
MOST_ENTRIES = 1_000_000
LONGEST_STRING = 10_000_000
TENSOR_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K",
    13: "Q5_K", 14: "Q6_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S",
    23: "IQ4_XS", 29: "IQ1_M", 30: "BF16", 39: "MXFP4",
}  # fmt: skip
"""Numbers of `ggml_type`. Source: https://github.com/ggml-org/llama.cpp (ggml/include/ggml.h)."""
Value = str | int | float | bool


class Head(NamedTuple):
    """The head of one file."""

    metadata: dict[str, Value]
    """Scalars by key; of an array its length under `<key>.length`."""
    params: int
    """Elements of all tensors."""
    stored: str
    """Type that holds most of them."""
    own_head: bool
    """Whether the head has weights of its own, not the embedding's."""


def read_head(path: Path) -> Head:
    """Metadata and tensors of a GGUF file, without its weights.

    Source of the layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3).

    Raises:
        BadDocument: the file cannot be read, is no GGUF, or breaks off.
    """
    try:
        with path.open("rb") as file:
            return _head(file)
    except OSError as error:
        raise BadDocument(str(path), error.strerror or "cannot be read") from error
    except (struct.error, UnicodeDecodeError, ValueError, KeyError) as error:
        raise BadDocument(str(path), "is no GGUF file of version 2 or 3, or breaks off.") from error


def _head(file: BinaryIO) -> Head:
    if file.read(4) != MAGIC or _scalar(file, "<I") not in (2, 3):
        raise ValueError("no GGUF")
    tensors, entries = int(_scalar(file, "<Q")), int(_scalar(file, "<Q"))
    if max(tensors, entries) > MOST_ENTRIES:
        raise ValueError("absurd counts")
    metadata: dict[str, Value] = {}
    for _ in range(entries):
        key = _string(file)
        metadata |= _entry(file, key)
    sizes: Counter[str] = Counter()
    names = set()
    for name, elements, kind in _tensors(file, tensors):
        sizes[kind] += elements
        names.add(name)
    stored = sizes.most_common(1)[0][0] if sizes else "F32"
    return Head(metadata, sizes.total(), stored, "output.weight" in names)


def _entry(file: BinaryIO, key: str) -> dict[str, Value]:
    kind = int(_scalar(file, "<I"))
    if kind == STRING:
        return {key: _string(file)}
    if kind != ARRAY:
        return {key: _scalar(file, SCALARS[kind])}
    inner, length = int(_scalar(file, "<I")), int(_scalar(file, "<Q"))
    if length > MOST_ENTRIES * 10:
        raise ValueError("absurd array")
    held = [_string(file) if inner == STRING else _scalar(file, SCALARS[inner]) for _ in range(length)]
    one = {key: held[0]} if held and len(set(held)) == 1 and inner != STRING else {}
    return {f"{key}.length": length, **one}


def _tensors(file: BinaryIO, count: int) -> Iterator[tuple[str, int, str]]:
    for _ in range(count):
        name = _string(file)
        sizes = [int(_scalar(file, "<Q")) for _ in range(int(_scalar(file, "<I")))]
        kind = int(_scalar(file, "<I"))
        _scalar(file, "<Q")
        yield name, prod(sizes), TENSOR_TYPES.get(kind, f"type {kind}")


def _scalar(file: BinaryIO, form: str) -> int | float | bool:
    found: int | float | bool = struct.unpack(form, file.read(struct.calcsize(form)))[0]
    return found


def _string(file: BinaryIO) -> str:
    length = int(_scalar(file, "<Q"))
    if length > LONGEST_STRING:
        raise ValueError("absurd string")
    return file.read(length).decode("utf-8", errors="replace")
