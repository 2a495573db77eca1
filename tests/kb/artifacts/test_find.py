"""What is found in a text: places, lines, prose around, and nothing secret."""

from kb.artifacts import find_artifacts

LOG = (
    "Hi, what is wrong?\n```\nINFO 05-12 12:33:22 [kv_cache_utils.py:829] GPU KV cache size: 302,921 tokens\n"
    "(EngineCore_0 pid=77) ERROR 05-12 12:33:22 [core.py:700] CUDA out of memory. Tried to allocate 20.00 MiB\n"
    "```\nThanks."
)


def test_a_fenced_log_is_an_artifact_and_the_rest_prose() -> None:
    found = find_artifacts(LOG)
    assert [(one.kind, one.family, one.first_line) for one in found.artifacts] == [("vllm", "log", 3)]
    assert [LOG[one.start : one.end] for one in found.prose] == ["Hi, what is wrong?", "Thanks."]
    assert found.artifacts[0].get("kv_pool_tokens") == 302921


def test_a_fact_says_its_line_and_which_process() -> None:
    fact = next(one for one in find_artifacts(LOG).artifacts[0].facts if one.name == "error")
    assert (fact.value, fact.line, fact.of) == ("torch", 4, "pid 77")


def test_words_alone_are_prose() -> None:
    text = "Which card should I buy for a 70B model? I have two 3090s and 64 GB of memory."
    found = find_artifacts(text)
    assert not found.artifacts
    assert [text[one.start : one.end] for one in found.prose] == [text]


def test_secrets_are_hidden_in_all_that_is_kept() -> None:
    key = "hf_" + "a1B2" * 8
    found = find_artifacts(f"INFO 05-12 12:33:22 [x.py:1] token={key} GPU KV cache size: 9,000 tokens\n")
    assert found.artifacts
    assert key not in repr(found)


def test_several_things_in_one_message_are_told_apart() -> None:
    text = (
        "My box:\n$ free -g\n              total        used        free      shared  buff/cache   available\n"
        "Mem:             503          21         470           0          11         479\n\nand then\n"
        "NAME         ID              SIZE     PROCESSOR    UNTIL\n"
        "qwen3:8b     500a1f067a9f    5.9 GB   100% GPU     Forever\nis that slow?"
    )
    found = find_artifacts(text)
    assert [one.kind for one in found.artifacts] == ["free", "ollama_list"]
    assert [text[one.start : one.end] for one in found.prose] == ["My box:", "and then", "is that slow?"]


def test_a_wording_in_a_sentence_is_an_artifact_of_its_words_alone() -> None:
    text = "When I start it the server says offloaded 27/43 layers to GPU and then it is slow"
    (one,) = find_artifacts(text).artifacts
    assert text[one.start : one.end] == "offloaded 27/43 layers to GPU"
    assert (one.get("layers_offloaded"), one.get("layers_total")) == (27, 43)


def test_nothing_pasted_is_executed_or_looked_up(tmp_path: object) -> None:
    text = "```yaml\nx: !!python/object/apply:os.system ['touch /tmp/never']\n```\n{\"a\": __import__('os')}"
    assert find_artifacts(text).artifacts == ()
