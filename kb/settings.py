"""Settings: the one place that reads the environment."""

import os
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field

from kb.base import Frozen
from kb.model_choice import ModelChoice, read_models

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "GRADIO_ANALYTICS_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
    "LANGGRAPH_STRICT_MSGPACK": "true",
    "TOKENIZERS_PARALLELISM": "false",
}
"""What keeps the libraries from calling home; a person's own setting wins."""


class Settings(Frozen):
    """What a person may set, each by the environment variable `GPU_ADVISOR_<FIELD>`."""

    home: Path
    """Folder of all state: index, conversations, keys (`GPU_ADVISOR_HOME`)."""
    llm: str | None = None
    """Language model as `provider:model`, `local` or `local:FILE.gguf`; none = the one that `gpu-advisor model choose`
    kept in the home, else the deterministic planner (`GPU_ADVISOR_LLM`)."""
    llm_base_url: str | None = None
    """Address of an OpenAI-compatible server (`GPU_ADVISOR_LLM_BASE_URL`)."""
    llm_api_key: str | None = Field(default=None, repr=False)
    """Key for that server (`GPU_ADVISOR_LLM_API_KEY`)."""
    llm_timeout_s: float = Field(default=300.0, gt=0, le=600)
    """Longest wait for the language model in one turn (`GPU_ADVISOR_LLM_TIMEOUT_S`)."""
    llm_role: Literal["auto", "drive", "read"] = "auto"
    """Whether the language model calls tools and writes, or only reads the question; `auto` lets it drive where it
    passed `gpu-advisor model try` (`GPU_ADVISOR_LLM_ROLE`)."""
    llm_figures: Literal["any", "reference"] = "any"
    """Whether a driving model may type the figures of results, which are then traced, or only refer to them
    (`GPU_ADVISOR_LLM_FIGURES`)."""
    reading: Literal["learned", "rules"] = "rules"
    """Who reads a message that no language model answers: the rules, or the small reader learned from examples, whose
    marks topics answer, with the rules where these cannot (`GPU_ADVISOR_READING`)."""
    strict: bool = False
    """Whether statements of the model's own knowledge are left out (`GPU_ADVISOR_STRICT`)."""
    embedding_model: str | None = None
    """Any sentence-transformers model id or path; none = the packaged MiniLM (`GPU_ADVISOR_EMBEDDING_MODEL`)."""
    rerank_model: str | None = None
    """A cross-encoder that orders what search finds, id or path; none = no reranking (`GPU_ADVISOR_RERANK_MODEL`)."""
    prices_url: str = Field(
        default="https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3", pattern=r"^https?://[^\s]+$"
    )
    """Where `gpu-advisor prices refresh` finds gpuhunt's catalogs (`GPU_ADVISOR_PRICES_URL`)."""
    slack_bot_token: str | None = Field(default=None, repr=False)
    """Bot token of the Slack app, `xoxb-…` (`GPU_ADVISOR_SLACK_BOT_TOKEN`)."""
    slack_signing_secret: str | None = Field(default=None, repr=False)
    """Signing secret of the Slack app, for events over HTTP (`GPU_ADVISOR_SLACK_SIGNING_SECRET`)."""
    slack_app_token: str | None = Field(default=None, repr=False)
    """App-level token, `xapp-…`; with it events come over Socket Mode (`GPU_ADVISOR_SLACK_APP_TOKEN`)."""
    slack_api_url: str = Field(default="https://slack.com/api/", pattern=r"^https?://[^\s]+/$")
    """Where Slack's Web API is; GovSlack has another (`GPU_ADVISOR_SLACK_API_URL`)."""
    public_url: str | None = Field(default=None, pattern=r"^https?://[^\s/]+[^\s]*$")
    """Where people reach this advisor's pages; links below it are recognised in Slack (`GPU_ADVISOR_PUBLIC_URL`)."""
    host: str = "127.0.0.1"
    """Address the chat and the API listen on (`GPU_ADVISOR_HOST`)."""
    port: int = Field(default=7860, ge=0, le=65535)
    """Port they listen on (`GPU_ADVISOR_PORT`)."""

    today: date | None = None
    """Day by which the age of prices is judged, for tests and replays; none = the day it is (`GPU_ADVISOR_TODAY`)."""
    processes: int | None = Field(default=None, ge=1, le=64)
    """Processes a server runs as, itself included: the others work out new questions, some 400 MB each; none = two
    where there are two cores (`GPU_ADVISOR_PROCESSES`)."""
    database_url: str | None = Field(default=None, repr=False)
    """Postgres that several workers share, `postgresql://…`; none = SQLite in the home (`GPU_ADVISOR_DATABASE_URL`)."""
    retention_days: int | None = Field(default=None, ge=1, le=36_500)
    """Conversations not used for so long are forgotten; none = kept (`GPU_ADVISOR_RETENTION_DAYS`)."""
    auth: Literal["off", "keys", "proxy"] = "off"
    """Who may ask: everybody who reaches the port, holders of a key, or whom a proxy vouches for; a key does too
    (`GPU_ADVISOR_AUTH`)."""
    trusted_proxies: str = "127.0.0.1,::1"
    """Addresses or networks whose word about the user is believed (`GPU_ADVISOR_TRUSTED_PROXIES`)."""
    user_header: str = Field(default="X-Forwarded-User", pattern=r"^[A-Za-z0-9-]{1,64}$")
    """Header in which the proxy names the user (`GPU_ADVISOR_USER_HEADER`)."""
    groups_header: str = Field(default="X-Forwarded-Groups", pattern=r"^[A-Za-z0-9-]{1,64}$")
    """Header in which the proxy names the user's groups, with commas (`GPU_ADVISOR_GROUPS_HEADER`)."""
    editors: str = ""
    """Users and groups of the proxy who may add and remove documents, with commas (`GPU_ADVISOR_EDITORS`)."""
    admins: str = ""
    """Users and groups of the proxy who may do everything, with commas (`GPU_ADVISOR_ADMINS`)."""
    log: Literal["off", "text", "json"] = "off"
    """One line a request on standard error (`GPU_ADVISOR_LOG`)."""
    traces: Literal["off", "console", "otlp"] = "off"
    """OpenTelemetry spans of every step, to standard error or to a collector (`GPU_ADVISOR_TRACES`)."""

    @classmethod
    def from_environment(cls) -> "Settings":
        """Read every field from its variable; an empty variable counts as unset."""
        values: dict[str, Any] = {"home": Path(platformdirs.user_data_dir("gpu-advisor", appauthor=False))}
        for field in cls.model_fields:
            value = os.environ.get(f"GPU_ADVISOR_{field.upper()}", "").strip()
            if value:
                values[field] = value
        if "llm" not in values and (chosen := read_models(Path(values["home"])).chosen):
            values |= cls.reaching(chosen)
        return cls.model_validate(values)

    @staticmethod
    def reaching(choice: ModelChoice) -> dict[str, Any]:
        """The fields that name a chosen model, with the key of its own variable: no server is sent another's."""
        if choice.base_url is None:
            return {"llm": choice.llm, "llm_base_url": None, "llm_api_key": None}
        key = os.environ.get(choice.key_variable, "").strip() if choice.key_variable else ""
        return {"llm": choice.llm, "llm_base_url": choice.base_url, "llm_api_key": key or "none"}


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process; `settings.cache_clear()` reads them anew."""
    return Settings.from_environment()


def are_set(names: Iterable[str]) -> list[str]:
    """Those of these environment variables that hold something; what they hold stays there."""
    return [name for name in names if os.environ.get(name, "").strip()]


def hub_address() -> str:
    """Where models are downloaded from: Hugging Face, or the mirror that `HF_ENDPOINT` names."""
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or "https://huggingface.co"


def hub_allowed() -> bool:
    """Whether a model's configuration may be asked of the hub: unless `HF_HUB_OFFLINE` says no."""
    return os.environ.get("HF_HUB_OFFLINE", "").strip().lower() not in {"1", "true", "yes", "on"}


def stay_offline(*, hub: bool = False) -> None:
    """Keep libraries from calling home; with `hub`, model downloads stay allowed."""
    for name, value in OFFLINE.items():
        if hub and name in {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}:
            continue
        os.environ.setdefault(name, value)
