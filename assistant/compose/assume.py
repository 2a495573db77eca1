"""What was taken for granted, said in the asker's language: only what the asker did not state."""

from typing import Any

from assistant.compose import names, numbers
from assistant.compose.material import Estimate, Material


def assumed(material: Material, main: Estimate) -> list[str]:
    """The settings of the estimate that the asker left open."""
    say, need = material.say, material.need
    values = _inputs(main)
    found = []
    if need.weight_format is None and main.task == "inference":
        found.append(say("assume.format", format=names.format_name(main.result.weight_format)))
    if main.task == "inference":
        tokens = main.request.get("context_tokens") or values.get("context_tokens")
        sequences = main.request.get("concurrent_sequences") or values.get("concurrent_sequences")
        if need.context_tokens is None and tokens:
            found.append(say("assume.context", tokens=numbers.count(float(tokens))))
        if need.concurrent_sequences is None and need.users is None and sequences:
            found.append(say("assume.sequences", count=numbers.count(float(sequences))))
    else:
        tokens = main.request.get("sequence_tokens") or values.get("sequence_tokens")
        batch = main.request.get("micro_batch_size") or values.get("micro_batch_size")
        if need.sequence_tokens is None and need.context_tokens is None and tokens:
            found.append(say("assume.training_sequence", tokens=numbers.count(float(tokens))))
        if need.batch_size is None and batch:
            found.append(say("assume.batch", count=numbers.count(float(batch))))
    if need.engine is None:
        found.append(say("assume.engine", engine=main.result.engine))
    for doubt in material.understanding.ambiguities:
        if not doubt.unknown and doubt.candidates:
            shown = names.gpu_name if doubt.kind == "gpu" else names.model_name
            found.append(say("assume.ambiguous", text=doubt.text, chosen=shown(doubt.candidates[0])))
    return found


def _inputs(main: Estimate) -> dict[str, Any]:
    """Every input of the derivation by its symbol; the settings among them are those the calculator chose."""
    return {key: value for step in main.result.derivation for key, value in step.inputs.items()}
