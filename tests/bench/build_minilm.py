"""Build `kb/vectors/minilm.onnx`: the layers of all-MiniLM-L6-v2 as a graph; weights stay in the package's own file.

    python tests/bench/build_minilm.py [FILE]

BERT as published (Devlin et al. 2018, https://arxiv.org/abs/1810.04805; Wang et al. 2020,
https://arxiv.org/abs/2002.10957), with mean pooling, for texts of one length: there is no padding, hence no mask.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from kb.vectors.minilm import GRAPH, LAYOUT, SIZE, WEIGHTS, layout, packaged

HEADS = 12
EPSILON = 1e-12
OPSET = 20
"""The first with Gelu."""
FORMAT = 10
"""Of the file: what ONNX Runtime read in 2024."""
ROWS, TEXTS, BY_HEAD = "rows", "texts", "by_head"
"""Shapes: a row for every token, which products are made of; rows of each text; parts of a row for each head."""
HEADS_FIRST, TURNED = [0, 2, 1, 3], [0, 2, 3, 1]
"""(texts, tokens, heads, width) as (texts, heads, tokens, width), and with the last two turned."""


class Graph:
    """Nodes and arrays of the graph as it grows."""

    def __init__(self, weights: Path) -> None:
        with weights.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            self.held = json.loads(file.read(length))
        self._data = 8 + length
        self.nodes: list[onnx.NodeProto] = []
        self.arrays: list[onnx.TensorProto] = []

    def weight(self, name: str) -> str:
        """An array of the weights' file, named as there."""
        start, end = self.held[name]["data_offsets"]
        array = TensorProto(
            name=name, data_type=TensorProto.FLOAT, dims=self.held[name]["shape"], data_location=TensorProto.EXTERNAL
        )
        for key, value in (("location", WEIGHTS), ("offset", self._data + start), ("length", end - start)):
            array.external_data.add(key=key, value=str(value))
        self.arrays.append(array)
        return name

    def constant(self, name: str, value: object, kind: type = np.int64) -> str:
        """A small array that the graph holds itself."""
        self.arrays.append(numpy_helper.from_array(np.asarray(value, dtype=kind), name))
        return name

    def node(self, kind: str, *inputs: str, made: str = "", **attributes: object) -> str:
        """What an operation makes of these."""
        made = made or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [made], **attributes))
        return made

    def dense(self, state: str, name: str) -> str:
        """x·Wᵀ + b."""
        return self.node("Gemm", state, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), transB=1)

    def normalised(self, state: str, name: str) -> str:
        """Every row with mean 0 and variance 1, scaled and shifted."""
        return self.node(
            "LayerNormalization", state, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), epsilon=EPSILON
        )

    def layer(self, state: str, name: str) -> str:
        """Attention, then the feed-forward network."""

        def heads(part: str, order: list[int]) -> str:
            rows = self.dense(state, f"{name}.attention.self.{part}")
            return self.node("Transpose", self.node("Reshape", rows, BY_HEAD), perm=order)

        scores = self.node("MatMul", heads("query", HEADS_FIRST), heads("key", TURNED))
        shares = self.node("Softmax", self.node("Mul", scores, "scale"), axis=-1)
        mixed = self.node("Transpose", self.node("MatMul", shares, heads("value", HEADS_FIRST)), perm=HEADS_FIRST)
        mixed = self.dense(self.node("Reshape", mixed, ROWS), f"{name}.attention.output.dense")
        state = self.normalised(self.node("Add", state, mixed), f"{name}.attention.output.LayerNorm")
        inner = self.node("Gelu", self.dense(state, f"{name}.intermediate.dense"))
        outer = self.dense(inner, f"{name}.output.dense")
        return self.normalised(self.node("Add", state, outer), f"{name}.output.LayerNorm")


def built(weights: Path) -> bytes:
    """The graph for this file of weights."""
    graph = Graph(weights)
    shape, length = graph.node("Shape", "tokens"), graph.node("Shape", "tokens", start=1)
    graph.constant(ROWS, [-1, SIZE])
    graph.node("Concat", shape, graph.constant("size", [SIZE]), axis=0, made=TEXTS)
    graph.node("Concat", shape, graph.constant("heads", [HEADS, SIZE // HEADS]), axis=0, made=BY_HEAD)
    graph.constant("scale", 1 / math.sqrt(SIZE // HEADS), np.float32)
    first, second = graph.constant("first", [0]), graph.constant("second", [1])
    words = graph.node("Gather", graph.weight("embeddings.word_embeddings.weight"), "tokens")
    places = graph.node("Slice", graph.weight("embeddings.position_embeddings.weight"), first, length)
    kind = graph.node("Slice", graph.weight("embeddings.token_type_embeddings.weight"), first, second)
    state = graph.node("Reshape", graph.node("Add", graph.node("Add", words, places), kind), ROWS)
    state = graph.normalised(state, "embeddings.LayerNorm")
    for number in range(1 + max(int(name.split(".")[2]) for name in graph.held if name.startswith("encoder.layer."))):
        state = graph.layer(state, f"encoder.layer.{number}")
    mean = graph.node("ReduceMean", graph.node("Reshape", state, TEXTS), second, keepdims=0)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["texts", "length"])],
            [helper.make_tensor_value_info(mean, TensorProto.FLOAT, ["texts", SIZE])],
            graph.arrays,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=FORMAT,
    )
    helper.set_model_props(model, {LAYOUT: layout(weights)})
    return model.SerializeToString(deterministic=True)


def main() -> None:
    """Write the graph and tell its size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=GRAPH)
    options = parser.parse_args()
    print(f"{options.file}: {options.file.write_bytes(built(packaged() / WEIGHTS)):,} bytes")


if __name__ == "__main__":
    main()
