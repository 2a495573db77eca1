"""What each of several cards holds of an adapter's training: a copy of the model, or a share of it."""

from assistant.compose.arithmetic import cite, total
from assistant.compose.material import Estimate, Material
from assistant.plan.amounts import model_kind

SHARED = {"fsdp": "FSDP", "zero3": "ZeRO-3"}
PLAIN = ("offload", "fused_loss", "sequence_tokens", "pipeline_parallel", "tensor_parallel")
"""Settings beside which a way is another than the usual one."""


def told(material: Material, main: Estimate) -> str:
    """Both ways with what a card holds, or what the one that fits means; empty where nothing is spread."""
    adapters = main.task in ("lora", "qlora")
    if not adapters or main.gpus < 2 or main.fit is None:
        return ""
    if model_kind(material.need) == "diffusion":
        return material.say("shares.copied_trainer") if main.fits else ""
    if model_kind(material.need) not in ("llm", "vlm", None):
        return ""
    same = [one for one in material.estimates if (one.task, one.gpu, one.gpus) == (main.task, main.gpu, main.gpus)]
    plain = [one for one in same if not any(one.request.get(key) for key in PLAIN)]
    copy = next((one for one in plain if one.request.get("sharding") == "ddp"), None)
    share = next((one for one in plain if one.request.get("sharding") in SHARED), None)
    if copy is not None and share is not None:
        return material.say(
            "shares.both", copy=total(copy), share=total(share), how=SHARED[str(share.request["sharding"])]
        ) + cite(material, share)
    return material.say("shares.copies") if copy is not None and copy.fits else ""
