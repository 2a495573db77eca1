"""Speech: encoder, decoder with cross-attention, one 30 s window a sequence; voices that are trained on samples."""

from kb.constants.memory_constants import constants
from tools.memory.shape import Shape
from tools.memory.term import Phase, Term, constant
from tools.memory.workload import Workload


def speech_phases(work: Workload) -> tuple[Phase, ...]:
    """Weights, window buffers that scale with layers · hidden_size, and the context; states and samples to train."""
    numbers, shape, bits = constants().speech, work.shape, work.format.body_bits
    terms = [
        Term("weights", "Weights", shape.params * bits / 8, "params · bits / 8",
             {"params": shape.params, "bits": bits}, constants().formats.source),
        _samples(work) if work.training else _windows(work),
        constant("buffers", "Workspaces", numbers.base_bytes, numbers.source),
        constant("framework", "CUDA context", numbers.context_bytes, numbers.source),
    ]  # fmt: skip
    if work.training:
        states = shape.params * (12.0 + 4.0) if not work.adapted else shape.params * 0.16
        inputs = {"states": round(states)}
        terms.append(Term("optimizer", "Gradients and optimizer states", states, "states", inputs, "zero-paper"))
    return (Phase("training step" if work.training else "transcribing", tuple(terms)),)


def _windows(work: Workload) -> Term:
    """One 30 s window a sequence: bytes of the large model, by layers · hidden_size."""
    numbers, batch = constants().speech, max(work.sequences, work.images)
    inputs = {"window": numbers.sequence_bytes, "scale": round(_scale(work.shape), 3), "sequences": batch}
    size = numbers.sequence_bytes * _scale(work.shape) * batch
    return Term("activations", "30 s windows", size, "window · scale · sequences", inputs, numbers.source)


def _samples(work: Workload) -> Term:
    """What a batch of samples keeps: measured for voices, else a multiple of the window and its logits."""
    numbers, family = constants().speech, work.shape.family
    each = numbers.training_sample_bytes.get(family)
    if each is None:
        each = round(numbers.sequence_bytes * _scale(work.shape) * numbers.training_ratio + numbers.logit_bytes)
    inputs = {"samples": work.images, "bytes": each}
    return Term("activations", "Samples kept", float(each * work.images), "samples · bytes", inputs, numbers.source)


def _scale(shape: Shape) -> float:
    """Against the large model; 1 where the shape is not known."""
    return shape.layers * shape.hidden / constants().speech.reference_width if shape.hidden else 1.0
