"""What a model is wanted for, when the words say that rather than which one."""

from assistant.understand.text import Found, grammar
from kb.purposes import PurposeName

_B, _E = r"(?<![a-z0-9])", r"(?![a-z0-9])"
_RULES: tuple[tuple[PurposeName, str], ...] = (
    ("coding", (
        rf"{_B}(?:cod(?:ing|e) (?:model|assistant|agent|copilot|llm|completion|help|generation)s?|coding|copilot"
        rf"|programming|code completion|write code|writing code|coder model|vibe[- ]?coding|claude code|cursor"
        rf"|cline|roo ?code|aider){_E}"
        r"|写代码|代码(?:助手|补全|生成|模型|大模型|审查)|编程|辅助开发|敲代码"
    )),
    ("vision_language", (
        rf"{_B}(?:vlms?|vision[- ]language|multimodal|image understanding|document understanding|describe images"
        rf"|read(?:ing)? (?:invoices|receipts|screenshots|charts)){_E}"
        r"|多模态|图文(?:理解|问答|大模型)|看图|识图|图片理解|票据识别|视觉语言"
    )),
    ("reasoning", (
        rf"{_B}(?:reasoning(?: model)?s?|math(?:s|ematics)? (?:model|problems?)|thinking model){_E}"
        r"|深度思考|数学(?:模型|解题|推理)|逻辑推理"
    )),
    ("chat", (
        rf"{_B}(?:chat ?bots?|chat assistant|assistant for|office assistant|customer (?:service|support)|help ?desk"
        rf"|knowledge base|rag|internal (?:assistant|chatgpt|gpt)|local chatgpt|own chatgpt|llm for (?:my|our)"
        rf"|translation|role ?play){_E}"
        r"|聊天|客服|问答|知识库|办公助手|智能助手|写文案|写文章|翻译|公文|内部 ?(?:chatgpt|gpt|助手|大模型)"
        r"|私有(?:化(?:部署)?)? ?(?:大模型|llm)|角色扮演|酒馆|企业大模型|智能体"
    )),
)  # fmt: skip
_PATTERNS = tuple((name, grammar(rule)) for name, rule in _RULES)


def find_purpose(plain: str, *, chinese: bool) -> Found[PurposeName] | None:
    """The first purpose the words name, the more particular ones before talk in general.

    Talk asked for in Chinese is talk in Chinese, for which other models are published.
    """
    for name, pattern in _PATTERNS:
        match = pattern.search(plain)
        if match:
            value: PurposeName = "chinese_chat" if name == "chat" and chinese else name
            return Found(value, match.start(), match.end())
    return None
