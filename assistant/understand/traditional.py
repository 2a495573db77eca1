"""Traditional characters and the words of Taiwan and Hong Kong, so that one grammar reads both ways of writing."""

from assistant.understand.text import Text, grammar

WORDS = {
    "显示记忆体": "显存", "显卡记忆体": "显存", "主记忆体": "内存", "系统记忆体": "内存", "记忆体": "内存",
    "显示卡": "显卡", "绘图卡": "显卡", "伺服器": "服务器", "主机板": "主板", "电源供应器": "电源",
    "笔电": "笔记本", "桌机": "台式机", "硬碟": "硬盘", "软体": "软件", "硬体": "硬件", "晶片": "芯片",
    "资料集": "数据集", "训练资料": "训练数据", "笔资料": "条数据", "资料中心": "数据中心", "网路": "网络",
    "影片": "视频", "解析度": "分辨率", "效能": "性能", "频宽": "带宽", "推论": "推理",
    "云端": "云", "支援": "支持", "相容": "兼容", "使用者": "用户", "语音辨识": "语音识别", "影像": "图像",
    "程式": "程序", "平行": "并行", "部属": "部署", "架设": "部署",
    "爆记忆体": "爆显存",
}  # fmt: skip
"""Words for the same thing, already in simplified characters."""
_WORDS = grammar("|".join(sorted(WORDS, key=len, reverse=True)))


def mainland(text: Text) -> Text:
    """The text in the words of the mainland; offsets still lead to what was written."""
    return text.replaced([(match.start(), match.end(), WORDS[match[0]]) for match in _WORDS.finditer(text.plain)])
