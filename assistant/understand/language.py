"""Which language a question is in, so that it is answered in it where the advisor can."""

from assistant.understand.text import grammar

_HAN = grammar(r"[一-鿿]")
_KANA = grammar(r"[぀-ヿ]")
_HANGUL = grammar(r"[가-힣]")
_CYRILLIC = grammar(r"[а-яё]")
_ARABIC = grammar(r"[؀-ۿ]")
_THAI = grammar(r"[฀-๿]")
_DEVANAGARI = grammar(r"[ऀ-ॿ]")
_WORD = grammar(r"(?<![a-z])[a-zà-ÿ]{1,20}(?![a-z])")


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STOP_WORDS = {
    "en": _words("the is what how can my for to of a with and i do does on in it or are need which why run"),
    "es": _words(
        "el la los las una un de con para puedo qué que cuánta cuántas necesito mejor y es correr cuál tengo "
        "memoria en del más"
    ),
    "pt": _words(
        "o os uma um de com para posso quero qual quanta quantas preciso melhor e é rodar tenho placa não "
        "você ou no na vale"
    ),
    "fr": _words(
        "le les une un de des avec pour puis je quel quelle combien faut il et est sur mémoire c du temps carte dans"
    ),
    "de": _words(
        "der die das ein eine mit für kann ich welche wieviel wie viel brauche und ist auf reicht grafikkarte "
        "nicht speicher zum"
    ),
    "it": _words("il lo gli una un di con per posso quale quanta serve e è scheda voglio che memoria meglio sulla"),
}
_SCRIPTS = (("ko", _HANGUL), ("ru", _CYRILLIC), ("ar", _ARABIC), ("th", _THAI), ("hi", _DEVANAGARI))
_ENOUGH_KANA = 2
_ENOUGH_WORDS = 3
_CLEARLY_HAN = 4
"""Han characters from which a text is Chinese however much log is pasted beside it."""


_OF_NONE = _words(
    "bit bits int fp bf nf awq gptq gguf mxfp nvfp lora qlora dpo grpo ppo sft vs ddp zero fsdp tp pp dp ep kv cache"
    " k m b g gb gib tb x q s v w kw h vllm sglang ollama llama cpp batch token tokens context seq epoch epochs ctx"
    " fps p px ok aws gcp azure usd cny rmb eur"
)
"""Words that people of any language write."""


def speaks(plain: str) -> bool:
    """Whether a turn is of any language: a word that is no name, unit or format, or a sign of a script."""
    return _HAN.search(plain) is not None or any(word not in _OF_NONE for word in _WORD.findall(plain))


def language_of(prose: str) -> str:
    """ISO 639-1 code; `prose` is the lower-case text without names of GPUs, models and without pasted logs."""
    if len(_KANA.findall(prose)) >= _ENOUGH_KANA:
        return "ja"
    for code, script in _SCRIPTS:
        if len(script.findall(prose)) >= _ENOUGH_KANA:
            return code
    words = _WORD.findall(prose)
    counts = {code: sum(word in stop for word in words) for code, stop in _STOP_WORDS.items()}
    han = len(_HAN.findall(prose))
    if han >= _CLEARLY_HAN or (han and not (counts["en"] >= _ENOUGH_WORDS and han < len(words) // 2)):
        return "zh"
    code = max(counts, key=lambda key: (counts[key], key == "en"))
    return code if counts[code] >= _ENOUGH_WORDS and counts[code] > counts["en"] + 1 else "en"
