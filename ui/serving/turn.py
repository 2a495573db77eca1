"""One turn run to its end in a thread of its own, whoever still listens: a closed tab loses no answer."""

import contextvars
import logging
import queue
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from assistant.agent import Advisor, Step
from assistant.conversations import Receipt
from kb.base import AdvisorError, ModelFailed
from ui.serving.metrics import counted

logger = logging.getLogger(__name__)
Message = Step | AdvisorError | None


def steps(
    advisor: Advisor,
    question: str,
    conversation_id: str | None,
    face: str,
    changes: Mapping[str, Any] | None = None,
    receipt: Receipt | None = None,
    patience_s: float | None = None,
) -> Iterator[Step]:
    """The steps of a turn as they happen; `changes` corrects fields of what was understood before.

    Raises:
        AdvisorError: what the advisor refuses; anything unforeseen is logged and comes as ModelFailed.
    """
    messages: queue.SimpleQueue[Message] = queue.SimpleQueue()

    def run() -> None:
        try:
            given = {"changes": changes, "receipt": receipt, "patience_s": patience_s}
            extra: dict[str, Any] = {name: value for name, value in given.items() if value}
            for step in advisor.stream(question, conversation_id, **extra):
                if step.told is not None:
                    counted(step.told.gist, face)
                messages.put(step)
        except AdvisorError as problem:
            messages.put(problem)
        except Exception:  # the thread's own border: its listener must hear of the failure, whatever it was
            logger.exception("a turn failed")
            messages.put(ModelFailed("something failed here; it was logged"))
        finally:
            messages.put(None)

    asked_by = contextvars.copy_context()  # whose question it is, and which request's
    threading.Thread(target=asked_by.run, args=(run,), name="turn", daemon=True).start()
    while (message := messages.get()) is not None:
        if isinstance(message, AdvisorError):
            raise message
        yield message
