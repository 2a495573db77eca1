"""Speech recognition (Whisper): encoder, decoder with cross-attention, one 30 s window a sequence."""

from kb.memory_constants import constants
from tools.memory.term import Phase, Term, constant
from tools.memory.workload import Workload


def speech_phases(work: Workload) -> tuple[Phase, ...]:
    """Weights, window buffers that scale with layers · hidden_size, and the context."""
    numbers, shape = constants().speech, work.shape
    bits = work.format.body_bits
    scale = shape.layers * shape.hidden / numbers.reference_width if shape.hidden else 1.0
    batch = max(work.sequences, work.images)
    terms = [
        Term("weights", "Weights", shape.params * bits / 8, "params · bits / 8",
             {"params": shape.params, "bits": bits}, constants().formats.source),
        Term("activations", "30 s windows", numbers.sequence_bytes * scale * batch, "window · scale · sequences",
             {"window": numbers.sequence_bytes, "scale": round(scale, 3), "sequences": batch}, numbers.source),
        constant("buffers", "Workspaces", numbers.base_bytes, numbers.source),
        constant("framework", "CUDA context", numbers.context_bytes, numbers.source),
    ]  # fmt: skip
    if work.training:
        states = shape.params * (12.0 + 4.0) if not work.adapted else shape.params * 0.16
        terms.append(
            Term(
                "optimizer", "Gradients and optimizer states", states, "states", {"states": round(states)}, "zero-paper"
            )
        )
    return (Phase("transcribing", tuple(terms)),)
