"""What a person pasted reaches the solver without a model copying it out."""

import pytest

from kb.base import BadInput
from tools.agent_tools.desk import Desk
from tools.agent_tools.explaining import ExplainRequest, explain
from tools.agent_tools.ledger import Ledger

MESSAGE = "Is this normal on a 3090?\nqwen3:32b 030ee887880f 28 GB 21%/79% CPU/GPU 4096\neval rate: 9.31 tokens/s"


def explained(error_text: str, *words: str) -> dict[str, object]:
    request = ExplainRequest(model="qwen3:32b", cards="RTX 3090", engine="ollama", error_text=error_text)
    return explain(request, Desk(Ledger(), words))


def test_pasted_stands_for_what_the_person_pasted() -> None:
    told = explained("pasted", MESSAGE)
    assert {fact for one in told["stated"] for fact in one["facts"]} >= {"line 2: tokens_per_s = 9.31 tokens/s"}
    assert told["answer"]["seen"] == "9.31 tokens/s"


def test_pasted_without_a_paste_is_refused() -> None:
    with pytest.raises(BadInput):
        explained("pasted", "Is 9 tokens a second normal?")
