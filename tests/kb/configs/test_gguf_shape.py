"""A GGUF file says how large its model is, and its shape where the architecture is understood."""

import struct
from pathlib import Path
from typing import Any

import pytest

from kb.base import BadDocument
from kb.configs.gguf_shape import shape_from_gguf
from kb.models import model, read_local_configs

U32, STRING, ARRAY = 4, 8, 9
SHAPE = {
    "block_count": 2, "embedding_length": 64, "feed_forward_length": 128, "attention.head_count": 4,
    "attention.head_count_kv": 2, "context_length": 512, "vocab_size": 100,
}  # fmt: skip


def text(words: str) -> bytes:
    return struct.pack("<Q", len(words)) + words.encode()


def written(path: Path, architecture: str, tensors: dict[str, tuple[int, ...]], **extra: Any) -> Path:
    entries = [text("general.architecture") + struct.pack("<I", STRING) + text(architecture)]
    entries += [text("general.file_type") + struct.pack("<II", U32, 15)]
    entries += [text("tokenizer.ggml.tokens") + struct.pack("<IIQ", ARRAY, STRING, 2) + text("a") + text("b")]
    for key, value in {**SHAPE, **extra}.items():
        entries.append(text(f"{architecture}.{key}") + struct.pack("<II", U32, value))
    infos = [
        text(name) + struct.pack("<I", len(sizes)) + struct.pack(f"<{len(sizes)}Q", *sizes) + struct.pack("<IQ", 12, 0)
        for name, sizes in tensors.items()
    ]
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries))
    path.write_bytes(head + b"".join(entries) + b"".join(infos))
    return path


def test_size_is_that_of_the_tensors_and_shape_that_of_the_metadata(tmp_path: Path) -> None:
    file = written(tmp_path / "m.gguf", "llama", {"token_embd.weight": (64, 100), "blk.0.ffn_up.weight": (64, 128)})
    read = shape_from_gguf(file)
    assert (read.params, read.layers, read.kv_heads, read.head_dim) == (64 * 100 + 64 * 128, 2, 2, 16)
    assert (read.native_format, read.tied_embeddings) == ("gguf:Q4_K_M", True)


def test_a_head_of_its_own_is_seen(tmp_path: Path) -> None:
    tensors = {"token_embd.weight": (64, 100), "output.weight": (64, 100)}
    assert not shape_from_gguf(written(tmp_path / "m.gguf", "llama", tensors)).tied_embeddings


def test_of_an_architecture_that_is_not_understood_only_the_size_is_told(tmp_path: Path) -> None:
    read = shape_from_gguf(written(tmp_path / "m.gguf", "rwkv7", {"token_embd.weight": (64, 100)}))
    assert (read.params, read.layers, read.attention) == (6400, None, "none")
    assert "rwkv7" in read.notes


def test_it_may_be_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.models._LOCAL", [])
    read_local_configs()
    file = written(tmp_path / "m.gguf", "llama", {"token_embd.weight": (64, 100)})
    assert model(str(file)).params == 6400


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + struct.pack("<IQQ", 3, 10**9, 1), b"PK\x03\x04" * 9])
def test_what_is_no_gguf_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(content)
    with pytest.raises(BadDocument):
        shape_from_gguf(file)
