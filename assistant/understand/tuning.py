"""Words of fine-tuning, and those that say in which way."""

import re

_TUNES = re.compile(
    r"微调|精调|fine-?\s?tun|\bsft\b|指令调优|领域适配|domain adapt|finetunear|affiner|feinabstimm",
    re.I,
)
_SAID = re.compile(
    r"lora|\bdora\b|全参|全量|满参|\bfull|\bfft\b|from scratch|p-?tuning|freeze|冻结|adapter|\bpeft\b"
    r"|zero-?\s?[123]|fsdp|deepspeed|megatron|adam|galore|badam|lomo|pre-?train|预训练|从头|从零"
    r"|[48][- ]?bit|int[48]|nf4|量化|grpo|\bppo\b|dpo|rlhf|parameter[- ]efficient|参数高效"
    r"|all (?:the )?(?:weights|parameters)",
    re.I,
)
"""Words that name a way to train, or that only go with one."""


def way_left_open(text: str) -> bool | None:
    """Whether fine-tuning is spoken of without saying how; None where neither is said."""
    if _SAID.search(text):
        return False
    return True if _TUNES.search(text) else None
