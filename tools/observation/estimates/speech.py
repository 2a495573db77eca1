"""The figure of transcribing: seconds of computing over seconds of speech."""

from tools.observation.estimates.expected import Expected
from tools.observation.setup import Machine, Setup
from tools.speed.estimate import estimate_inference_speed
from tools.speed.interval import times
from tools.speed.request import InferenceSpeedRequest


def speech_figures(setup: Setup, machine: Machine, found: Expected) -> None:
    """The real-time factor of a transcriber; nothing where no card is named, or the model is no transcriber."""
    if setup.card is None or setup.model_kind != "speech":
        return
    asked = setup.request
    speed = estimate_inference_speed(
        InferenceSpeedRequest(model=asked.model, gpu=setup.card.id, weight_format=asked.weight_format)
    )
    if speed.realtime_factor is None:
        return
    slower = 1 / machine.clock_ratio / (1 - machine.waiting_ratio)
    found.put("realtime_factor", times(speed.realtime_factor, slower))
    found.binds["realtime_factor"] = str(speed.bound)
    found.steps += speed.derivation
    found.assumptions += speed.assumptions
    found.warnings += speed.warnings
    found.sources += speed.sources
