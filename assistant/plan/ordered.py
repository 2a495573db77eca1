"""Questions that only hardware to order answers: a service is described, and no card is named."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.understand.scope import sets_up
from assistant.understanding import Understanding
from tools.need import Intent

_SEEMING: tuple[Intent, ...] = (
    "min_vram", "how_many_gpus", "can_it_run", "what_fits", "other", "guidance", "launch_files", "concurrency",
    "compatibility",
)  # fmt: skip
"""What such a question may have been read as."""
_SOLUTION = re.compile(
    r"(?:硬件|显卡|gpu|服务器|机器|算力|整机|设备)(?:的)?(?:配置|方案|选型|清单|配|选|要求)|配置(?:方案|清单|单|推荐|建议)|配什么|怎么配|咋配"
    r"|(?:求|出|给|要|来)(?:个|一?套|一?份|点)?\s?(?:推荐|方案|配置|建议)|选型|一体机|采购|有(?:什么|啥|哪些)(?:可选|选择|方案|推荐|办法|卡)"
    r"|推荐(?:啥|什么|哪|几|一|个|下)|(?:要|用|买|上|配|需要|得)(?:啥|什么|哪种|哪款|什么样的?)\s?(?:卡|显卡|gpu|机器|服务器|硬件|配置)"
    r"|(?:hardware|gpu|server|card) (?:options?|choices?|recommendations?|suggestions?|sizing|config\w*)"
    r"|what (?:are )?(?:my |our |the )?options|bill of materials|\bbom\b",
    re.I,
)
"""Words for hardware as a whole."""
_HOW = re.compile(
    r"怎么|如何|为什么|为啥|什么是|原理|区别|教程|步骤|流程"
    r"|\bhow (?:do|does|to|should|can|is)\b|\bwhy\b|\bexplain|\bsteps\b|tutorial|\bbest practice",
    re.I,
)
"""Words that ask how something is done: the documents answer."""
_MEMORY = re.compile(
    r"(?<!ecc)(?<!ecc )(?<!ecc的)显存|多少\s?g|内存|\bv?ram\b|gpu memory|\bgb\b|video memory"
    r"|多大的?模型|启动(?:命令|脚本|参数)|docker|k8s",
    re.I,
)
"""Words that ask for memory, or for files, and mean it."""


def hardware(understanding: Understanding, main: Intent) -> bool:
    """Whether hardware is to be proposed: nothing is in hand, and a service or what the cards must meet is stated."""
    need, text = understanding.need, understanding.text
    if main == "how_many_gpus" and need.target_tokens_per_s and not need.gpus_owned and not requests.is_training(need):
        return requests.sized(need)
    if main not in _SEEMING or requests.cards(need) or need.memory_bytes_per_gpu or understanding.error_text:
        return False
    if requests.is_training(need) or model_kind(need) not in ("llm", "vlm", None):
        return False
    family = any(
        doubt.kind == "model" and doubt.candidates and not doubt.unknown for doubt in understanding.ambiguities
    )
    if not (requests.sized(need) or need.purpose or family) or (main == "what_fits" and need.gpu_count):
        return False
    if main != "how_many_gpus" and _MEMORY.search(text):
        return False
    crowd = need.users or need.concurrent_sequences or understanding.need.conversations_per_day
    if need.purpose and main in ("other", "guidance") and (sets_up(text) or crowd) and not _HOW.search(text):
        return True
    limited = bool(need.conditions or need.max_gpus)
    served = bool(need.users or need.concurrent_sequences)
    return limited or (served and main == "how_many_gpus") or _SOLUTION.search(text) is not None
