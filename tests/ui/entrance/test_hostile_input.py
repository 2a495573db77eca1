"""Whatever arrives, no address fails: it is answered or refused, and a refusal does not echo it."""

import json

import pytest
from fastapi.testclient import TestClient

MARK = "zq7-hostile-zq7"
DEEP = "[" * 5000 + "]" * 5000
BODIES: dict[str, bytes] = {
    "nothing": b"",
    "space": b"   ",
    "null": b"null",
    "true": b"true",
    "number": b"12",
    "huge number": b"9" * 6000,
    "string": b'"text"',
    "array": b"[]",
    "array of arrays": b"[[[[]]]]",
    "deep array": DEEP.encode(),
    "deep object": ('{"a":' * 3000 + "1" + "}" * 3000).encode(),
    "nan": b'{"question": NaN}',
    "infinity": b'{"question": Infinity}',
    "minus infinity": b'{"context_tokens": -Infinity}',
    "overflow": b'{"context_tokens": 1e999, "model": "Qwen2.5-72B"}',
    "negative overflow": b'{"context_tokens": -1e999, "model": "Qwen2.5-72B"}',
    "tiny": b'{"context_tokens": 1e-320, "model": "Qwen2.5-72B"}',
    "lone surrogate": b'{"question": "\\ud800"}',
    "lone surrogate as key": b'{"\\udfff": 1}',
    "lone surrogate as name": b'{"model": "\\udc00", "gpu": "\\ud83d"}',
    "nul": b'{"question": "a\\u0000b", "model": "a\\u0000b"}',
    "bad utf-8": b'{"question": "\xff\xfe"}',
    "overlong utf-8": b'{"question": "\xc0\xaf"}',
    "utf-16": '{"question": "4090"}'.encode("utf-16"),
    "bom": b'\xef\xbb\xbf{"question": "4090"}',
    "truncated": b'{"question": "4090',
    "trailing": b'{"question": "4090"} extra',
    "single quotes": b"{'question': '4090'}",
    "comment": b'{"question": "4090" /* x */}',
    "duplicate keys": b'{"question": "4090", "question": ""}',
    "wrong type": b'{"question": {"a": 1}, "model": ["x"], "messages": 3}',
    "list for text": b'{"question": ["4090"]}',
    "boolean for number": b'{"context_tokens": true, "model": "Qwen2.5-72B"}',
    "text for number": b'{"context_tokens": "8k", "model": "Qwen2.5-72B"}',
    "negative": b'{"context_tokens": -1, "model": "Qwen2.5-72B"}',
    "zero": b'{"context_tokens": 0, "concurrent_sequences": 0, "model": "Qwen2.5-72B"}',
    "absurd": b'{"context_tokens": 1000000000000000000000000, "model": "Qwen2.5-72B"}',
    "fraction": b'{"context_tokens": 0.5, "model": "Qwen2.5-72B"}',
    "unknown field": json.dumps({"question": "4090", MARK: 1}).encode(),
    "unknown gpu": json.dumps({"gpu": MARK, "model": "Qwen2.5-72B"}).encode(),
    "script": json.dumps({"model": f"<script>{MARK}</script>"}).encode(),
    "sql": b'{"question": "4090\'; DROP TABLE turn; --", "conversation_id": "\'; DROP TABLE turn; --"}',
    "path": b'{"model": "../../../../etc/passwd", "conversation_id": "../../x", "name": "../../x"}',
    "template": b'{"model": "{{7*7}}${7*7}%s%n", "gpu": "{0.__class__}"}',
    "prototype": b'{"__proto__": {"a": 1}, "constructor": 1, "__class__": "x"}',
    "pickle": b"\x80\x04\x95\x0b\x00\x00\x00",
    "gzip": b"\x1f\x8b\x08\x00\x00\x00",
    "form": b"question=4090&model=x",
    "xml": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    "right to left": '{"model": "\u202e4090\u202c"}'.encode(),
    "zero width": '{"model": "4\u200b0\u200d9\u20600"}'.encode(),
    "zalgo": ('{"model": "' + "Z\u0301\u0302" * 500 + '"}').encode(),
    "emoji": '{"model": "🦙🦙🦙", "gpu": "🎮"}'.encode(),
    "full width": '{"gpu": "ＲＴＸ ４０９０", "model": "Ｑｗｅｎ"}'.encode(),
    "long name": json.dumps({"model": "x" * 100_000, "gpu": "y" * 100_000}).encode(),
    "many fields": json.dumps({f"field{index}": index for index in range(5000)}).encode(),
    "long list": json.dumps({"gpus": ["4090"] * 20_000, "messages": [{}] * 20_000}).encode(),
    "empty names": b'{"model": "", "gpu": "", "query": "", "text": "", "messages": []}',
    "blank names": b'{"model": "  ", "gpu": "\\n\\t", "query": " ", "gpus": ["", " "]}',
    "empty messages": b'{"model": "x", "messages": [{"role": "user", "content": ""}]}',
    "strange role": b'{"model": "x", "messages": [{"role": "root", "content": "4090"}]}',
    "null content": b'{"model": "x", "messages": [{"role": "user", "content": null}]}',
    "parts": b'{"model": "x", "messages": [{"role": "user", "content": [{"type": "image_url", "url": "x"}]}]}',
    "ends with assistant": b'{"model": "x", "messages": [{"role": "assistant", "content": "hi"}]}',
}
PATHS = [
    "/v1/ask",
    "/v1/ask/stream",
    "/v1/tools/estimate_memory",
    "/v1/tools/find_gpus",
    "/v1/tools/compare_gpus",
    "/v1/tools/no_such_tool",
    "/v1/chat/completions",
    "/v1/kb/search",
    "/v1/kb/check",
    "/mcp",
]
QUERIES = [
    "/v1/catalog/gpus?limit=-1",
    "/v1/catalog/gpus?limit=NaN",
    "/v1/catalog/gpus?limit=99999999999999999999",
    "/v1/catalog/gpus?min_memory_bytes=inf",
    "/v1/catalog/gpus?min_memory_bytes=nan",
    "/v1/catalog/gpus?min_memory_bytes=1e400",
    "/v1/catalog/gpus?min_name=3",
    "/v1/catalog/gpus?max_sources=3",
    "/v1/catalog/gpus?sort=sources",
    "/v1/catalog/gpus?sort=-aliases",
    "/v1/catalog/gpus?sort=min_name",
    "/v1/catalog/gpus?name=%FF%FE",
    "/v1/catalog/gpus?%ED%A0%80=1",
    "/v1/catalog/gpus?q=%00",
    "/v1/catalog/offers?q=%ED%A0%80",
    "/v1/catalog/gpus/%00",
    "/v1/catalog/gpus/%FF%FE",
    "/v1/catalog/gpus/..%2f..%2fetc%2fpasswd",
    "/v1/catalog/models/%ED%A0%80",
    "/v1/catalog/offers/x",
    "/v1/catalog/%ED%A0%80",
    "/v1/tools/%ED%A0%80",
    "/v1/conversations/..%2f..%2fx",
    "/v1/conversations/%00",
    "/v1/conversations/x/export?form=exe",
    "/v1/ask",
    "/v1",
    "/v1/",
    "/docs/../v1",
    "/?c=%3Cscript%3E",
    "/?c=%FF",
    "/gradio_api/file=%00",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", BODIES)
def test_no_body_makes_an_address_fail(site: TestClient, path: str, name: str) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    answer = site.post(path, content=BODIES[name], headers=headers)
    assert answer.status_code < 500, answer.text[:300]
    assert "Traceback" not in answer.text
    if "<script>" in answer.text:
        assert answer.headers["content-type"].startswith(("application/", "text/event-stream"))


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "x/y"])
def test_no_content_type_makes_an_address_fail(site: TestClient, kind: str) -> None:
    assert site.post("/v1/ask", content=b'{"question": "4090?"}', headers={"Content-Type": kind}).status_code < 500


@pytest.mark.parametrize("address", QUERIES)
def test_no_query_makes_an_address_fail(site: TestClient, address: str) -> None:
    answer = site.get(address, follow_redirects=False)
    assert answer.status_code < 500, answer.text[:300]
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "BREW"])
def test_no_method_makes_an_address_fail(site: TestClient, method: str) -> None:
    assert site.request(method, "/v1/ask").status_code < 500


def test_a_refused_value_is_not_repeated(site: TestClient) -> None:
    answer = site.post("/v1/tools/estimate_memory", json={"model": "Qwen2.5-72B", "context_tokens": MARK})
    assert answer.status_code == 422
    assert MARK not in answer.text
