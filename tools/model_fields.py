"""The fields that name a model or give its shape, shared by the requests about memory, speed and time."""

from pydantic import Field

from kb.base import Frozen


class ModelFields(Frozen):
    """A catalog model, or the counts of one outside the catalog."""

    model: str | None = Field(default=None, max_length=200)
    """Catalog id, Hugging Face id or alias; or give `params` and what is known of the shape."""
    params: int | None = Field(default=None, gt=0, le=10**14)
    """Parameter count of a model outside the catalog."""
    active_params: int | None = Field(default=None, gt=0, le=10**14)
    """Parameters one token visits (mixture of experts)."""
    layers: int | None = Field(default=None, gt=0, le=10_000)
    hidden_size: int | None = Field(default=None, gt=0, le=1_000_000)
    heads: int | None = Field(default=None, gt=0, le=100_000)
    kv_heads: int | None = Field(default=None, gt=0, le=100_000)
    head_dim: int | None = Field(default=None, gt=0, le=100_000)
    intermediate_size: int | None = Field(default=None, gt=0, le=10_000_000)
    vocab_size: int | None = Field(default=None, gt=0, le=10_000_000)
    experts: int | None = Field(default=None, gt=0, le=100_000)
    """Routed experts a layer."""
    experts_per_token: int | None = Field(default=None, gt=0, le=100_000)
    """Routed experts a token visits."""
