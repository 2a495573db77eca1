"""Every refusal of the code can be told in Chinese, and is where the reader asks for it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from kb.base import AdvisorError, AmbiguousName, BadDocument, BadInput, NothingFits, UnknownName
from ui.entrance.refusals import HOLE, PLACE, sentences, told

ROOT = Path(__file__).parents[3]
ROOMS = ("kb", "tools", "ingest", "assistant", "ui/api", "ui/web", "ui/slack/command.py", "ui/serving/uploads.py")
"""What a person's words can run into; options of commands and settings of an operator are told in English."""
FOR_MODELS = ("tools/agent_tools", "assistant/llm/choosing", "kb/model_choice.py")
"""Read by a language model that calls a tool, or by whoever sets one up: no face shows these to the person who asks."""
OPERATORS = re.compile(r"GPU_ADVISOR_|--")
PLACES = {"BadInput": {1: "reasons", 2: "remedies"}, "BadDocument": {1: "reasons"}, "Refused": {0: "reasons"}}
"""Errors and which of their arguments are sentences."""
CARDS = 'Write [{"gpu": "rtx-4090", "count": 2}].'
Said = tuple[str, str, str]


def templates(node: ast.expr) -> list[str]:
    """What an expression may say, with a hole for each value; nothing for one that is a variable alone."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)]
    if isinstance(node, ast.IfExp):
        return templates(node.body) + templates(node.orelse)
    return []


def said() -> Iterator[Said]:
    """Every sentence the code refuses with: where, which list it belongs to, the sentence."""
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py")) or [ROOT / room]]
    for file in files:
        if str(file.relative_to(ROOT)).startswith(FOR_MODELS):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            places = PLACES.get(node.func.id, {})
            first = templates(node.args[0]) if node.args else []
            if any(OPERATORS.match(field) for field in first):
                continue
            for place, of in places.items():
                for sentence in templates(node.args[place]) if len(node.args) > place else []:
                    if re.search("[a-z]", sentence.replace(HOLE, "")):
                        yield f"{file.relative_to(ROOT)}:{node.lineno}", of, sentence


SAID = list(said())


def test_the_code_is_read() -> None:
    assert len(SAID) > 150
    assert {of for _, of, _ in SAID} == {"reasons", "remedies"}


@pytest.mark.parametrize(("where", "of", "sentence"), SAID, ids=[f"{where} {of}" for where, of, _ in SAID])
def test_every_refusal_has_its_chinese(where: str, of: str, sentence: str) -> None:
    sample = sentence.replace(HOLE, "7")
    error = BadInput("model", sample) if of == "reasons" else BadInput("model", "is empty.", sample)
    assert sample not in told(error, "zh"), f"{where}: add to ui/assets/refusals.yaml, {of}: {sentence!r}"


@pytest.mark.parametrize("of", ["reasons", "remedies"])
def test_chinese_carries_over_only_what_the_code_put_in(of: str) -> None:
    for english, chinese in sentences()[of].items():
        places = {int(number) for number in PLACE.findall(chinese)}
        assert places <= set(range(english.count(HOLE))), english
        assert re.search(r"[一-鿿]", chinese), english


@pytest.mark.parametrize(
    ("error", "chinese"),
    [
        (UnknownName("model", "Qwen9", ["Qwen3"]), "没有找到叫“Qwen9”的模型。是不是想说：Qwen3？"),
        (UnknownName("GPU", "RTX 9999"), "没有找到叫“RTX 9999”的显卡。请换个写法。"),
        (AmbiguousName("GPU", "A100", ["a", "b"]), "“A100”可能是：a、b。请说明是哪一个。"),
        (BadInput("users", "must lie between 1 and 10."), "：必须在 1 到 10 之间。"),
        (BadInput("question", "is 9 characters long; at most 5 are read."), "有 9 个字符，最多读 5 个。"),
        (BadInput("tensor_parallel", "3 GPUs cannot share 64 attention heads."), "64 个注意力头不能平分到 3 张卡。"),
        (BadInput("context_tokens", "Input should be greater than 0."), "上下文：必须大于 0。"),
        (BadInput("gpus", "is not a list of cards.", CARDS), '不是显卡清单。写成 [{"gpu": "rtx-4090", "count": 2}]。'),
        (BadDocument("a.pdf", "has 9,000 pages; at most 2000 are read."), "a.pdf：有 9,000 页，最多读 2000 页。"),
        (NothingFits("It does not fit: 40 GiB on each card, 23 GiB usable."), "每张卡要 40 GiB，可用 23 GiB。"),
        (BadInput("model", "a sentence nobody has written yet."), "a sentence nobody has written yet."),
    ],
)
def test_told_in_chinese(error: AdvisorError, chinese: str) -> None:
    assert chinese in told(error, "zh")
    assert told(error, "en") == str(error)
    assert told(error, "fr") == str(error)


@pytest.mark.parametrize(
    ("path", "chinese"),
    [
        ("/v1/catalog/gpus/RTX 9999", "没有找到叫“RTX 9999”的显卡"),
        ("/v1/catalog/gpus/A100", "请说明是哪一个"),
        ("/v1/catalog/cards", "没有找到叫“cards”的目录"),
        ("/v1/catalog/cards/1", "没有找到叫“cards”的目录"),
        ("/v1/tools/estimate_memry", "没有找到叫“estimate_memry”的工具"),
    ],
)
def test_what_is_not_found_is_told_in_the_readers_language(site: TestClient, path: str, chinese: str) -> None:
    asked, plain = site.get(path, headers={"Accept-Language": "zh-CN"}).json(), site.get(path).json()
    assert chinese in asked["detail"]
    assert re.search(r"[一-鿿]", plain["detail"]) is None
    assert {**asked, "detail": ""} == {**plain, "detail": ""}


@pytest.mark.parametrize(
    ("path", "body", "chinese"),
    [
        ("/v1/tools/estimate_memry", {}, "没有找到叫“estimate_memry”的工具"),
        ("/v1/tools/estimate_memry/batch", {"requests": [{"request": {}}]}, "没有找到叫“estimate_memry”的工具"),
        ("/v1/tools/estimate_memory", {"model": "llama-3.1-8b", "context_tokens": -1}, "必须大于"),
        ("/v1/tools/estimate_memory", {"model": "Qwen99-7B"}, "没有找到叫“Qwen99-7B”的模型"),
        ("/v1/ask", {"question": "   "}, "还没有填写"),
        ("/v1/ask", {}, "没有填写"),
        ("/page/form/what_fits", {"gpu": "4090", "gpu_count": "many"}, "不是数字"),
        ("/page/rename", {"conversation_id": "nobody", "title": "x"}, "没有这段对话"),
    ],
)
def test_a_problem_speaks_the_readers_language(site: TestClient, path: str, body: object, chinese: str) -> None:
    asked = site.post(path, json=body, headers={"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}).json()
    plain = site.post(path, json=body).json()
    assert chinese in asked["detail"]
    assert re.search(r"[一-鿿]", plain["detail"].replace("Qwen99-7B", "")) is None
    assert {**asked, "detail": ""} == {**plain, "detail": ""}
