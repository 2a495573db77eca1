"""Slips of the finger in the words that decide what is asked: "vrma", "mnay", "conncurrent", 「布署」."""

from functools import lru_cache

from assistant.understand.text import Text, grammar
from kb.catalog import gpus, models, providers, servers


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


VOCABULARY = _words(
    """electricity maximum minimum realistic allocate bandwidth batch better between biggest budget buying card cards"
    " cheaper cheapest choose cloud
    command compare comparison compatible compose concurrency concurrent context cost could dataset days deploy
    deploying deployment difference docker does enough epochs error explain faster finetune finetuning fit
    graphics hardware hours how inference input interconnect lambda laptop largest latency length llama long
    lora many memory minimum model models month much need needed number nvidia nvlink ollama output parameters
    pcie possible power pretrain pretraining price qlora quantization quantized recommend recommendation rent
    rental renting requests requirements running runpod scratch second seconds sequence serve server servers
    serving sglang should simultaneous size slower specs sufficient supply support supported supports than
    throughput token tokens train training under users vllm vram week weeks what which with workstation would"""
)
"""English words that the grammar turns on."""
_REAL = _words(
    """allocated aloud bath beater belter bester bettor bitter blower brain budged burying busying butter catch
    cheapen cheater chooser chose clouds cloudy clout cold commend compared compares compatibly composed
    composer content contest contexts cunning datasets dental deployments deploys dockers drain draining easter
    errors explains ferror fester fetter finetuned finetunes flower fours geeks getter glower grain graphic
    gunning hatch heeded inferences inputs laptops latch lengthy letter llava locker loud lower lumber master
    match mental modal mode months motel moth mould mouth netter numbers ours outputs patch peeks possibly pours
    powers pride prime prince prise prize quantisation quantize quantizer ranting raster recommends renal
    rending request rocker ruining scratchy seeded seeks sequenced served serves setter sever severs shower
    slowed socker spec strain supporter swerving taken taster terror throughout tours tower trail trailing
    trains trait user uses vaster watch weeded weeds wetter whose wold world xinference yodel yours"""
)
"""Ordinary words a slip away from those of the vocabulary: right as they stand."""
_WORD = grammar(r"(?<![a-zà-ÿ0-9_./\-])[a-z]{3,16}(?![a-zà-ÿ0-9_/\-])")
_LONG = 5
"""Letters from which any one slip is forgiven; in shorter words only two swapped or one doubled."""
_HAN = {
    "布署": "部署", "部暑": "部署", "现存": "显存", "显村": "显存", "显寸": "显存", "现卡": "显卡", "线卡": "显卡",
    "推里": "推理",
    "微条": "微调", "训炼": "训练", "量华": "量化", "并法": "并发", "予算": "预算", "予训练": "预训练",
}  # fmt: skip
"""Words that an input method offers by mistake, of the same length."""
_HAN_SLIP = grammar("|".join(_HAN))


def spelled(text: Text) -> Text:
    """The text with slips in words of the vocabulary set right; offsets still lead to what was written."""
    text = text.replaced([(match.start(), match.end(), _HAN[match[0]]) for match in _HAN_SLIP.finditer(text.plain)])
    words = ((match, _right(match[0])) for match in _WORD.finditer(text.plain))
    return text.replaced([(match.start(), match.end(), right) for match, right in words if right is not None])


@lru_cache(maxsize=20_000)
def _right(word: str) -> str | None:
    """The one word of the vocabulary that `word` slipped from; None for words that are right."""
    if word in VOCABULARY or word in _REAL or word in _names():
        return None
    near = [right for right in _near(word) if not _inflected(word, right)]
    return near[0] if len(near) == 1 and len(near) == len(_near(word)) else None


def _inflected(word: str, right: str) -> bool:
    """ "hour" is no slip of "hours"."""
    longer, shorter = sorted((word, right), key=len, reverse=True)
    return longer in {shorter + "s", shorter + "d", shorter + "r"}


def _near(word: str) -> list[str]:
    """Words of the vocabulary one slip away."""
    index = _index()
    found = index.get(word, set()) | {w for less in _one_less(word) for w in index.get(less, ())}
    return sorted(w for w in found if _one_slip(word, w) and (len(w) >= _LONG or _is_small(word, w)))


@lru_cache(maxsize=1)
def _index() -> dict[str, set[str]]:
    """Each word of the vocabulary under itself and under itself less any one letter."""
    index: dict[str, set[str]] = {}
    for word in VOCABULARY:
        for key in {word, *_one_less(word)}:
            index.setdefault(key, set()).add(word)
    return index


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    """Words that names of the catalog are made of: never corrected."""
    labels = [label for model in models().values() for label in (model.name, model.family, *model.aliases)]
    labels += [label for gpu in gpus().values() for label in (gpu.name, *gpu.aliases)]
    labels += [label for provider in providers().values() for label in (provider.name, *provider.aliases)]
    labels += [label for server in servers().values() for label in (server.name, *server.aliases)]
    return frozenset(match[0] for label in labels for match in _LETTERS.finditer(label.lower()))


_LETTERS = grammar(r"[a-z]{3,16}")


def _one_less(word: str) -> set[str]:
    return {word[:place] + word[place + 1 :] for place in range(len(word))}


def _one_slip(word: str, right: str) -> bool:
    """One letter more, less or other, or two swapped."""
    if abs(len(word) - len(right)) == 1:
        longer, shorter = sorted((word, right), key=len, reverse=True)
        return shorter in _one_less(longer)
    wrong = [place for place, (a, b) in enumerate(zip(word, right, strict=False)) if a != b]
    if len(word) != len(right) or not wrong or len(wrong) > 2:
        return False
    return len(wrong) == 1 or (
        wrong[1] == wrong[0] + 1 and word[wrong[0]] == right[wrong[1]] and word[wrong[1]] == right[wrong[0]]
    )


def _is_small(word: str, right: str) -> bool:
    """Two letters swapped, or one doubled."""
    if len(word) == len(right):
        return sorted(word) == sorted(right)
    doubled = {right[:place] + right[place] + right[place:] for place in range(len(right))}
    return word in doubled
