"""Export control: which cards may be sold into a country, by the rules of the day, each with its date and source."""

from functools import lru_cache
from typing import Literal

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.gpu import Gpu

TERA = 1e12
BITS = {"fp16_flops": 16, "bf16_flops": 16, "fp8_flops": 8, "int8_ops": 8, "fp4_flops": 4}
"""Field of a card → bits of the operation, as processing performance counts them."""
Effect = Literal["barred", "licence", "case_by_case"]


class ExportRule(Frozen):
    """One rule: whom it binds, which cards it catches, what it means for an order."""

    countries: tuple[str, ...]
    """ISO 3166 codes of the places it closes."""
    vendors: tuple[str, ...]
    rule: str
    """Stable name."""
    processing_performance: int | None = None
    """Dense tera-operations a second · bits, from which a card is caught; null = only those named."""
    named: tuple[str, ...] = ()
    """Beginnings of catalog ids the maker or the rule names."""
    since: str
    """ISO date."""
    effect: Effect
    """barred: not sold; licence: sold while the maker holds licences; case_by_case: only to approved buyers."""
    sources: tuple[str, ...]


@lru_cache(maxsize=1)
def export_rules() -> tuple[ExportRule, ...]:
    """Every rule, in the order of their dates."""
    return tuple(ExportRule.model_validate(row) for row in load_yaml(FACTS / "exports.yaml"))


def processing_performance(gpu: Gpu) -> float:
    """Total processing performance of a card: the largest product of dense tera-operations a second and bits."""
    return max((getattr(gpu, field) or 0) / TERA * bits for field, bits in BITS.items())


@lru_cache(maxsize=4096)
def restriction(gpu_id: str, country: str | None) -> ExportRule | None:
    """The rule that stands between a card and a country, the strictest reading of the latest one; null when none that
    is held does, which says nothing of a country without rules: see `rules_held`."""
    from kb.catalog import gpus

    if country is None:
        return None
    gpu = gpus()[gpu_id]
    found = [rule for rule in export_rules() if country in rule.countries and _catches(rule, gpu)]
    return max(found, key=lambda rule: rule.since, default=None)


def rules_held(country: str) -> bool:
    """Whether any rule that is held is about the country; where none is, nothing follows for what may be sold there."""
    return any(country in rule.countries for rule in export_rules())


def _catches(rule: ExportRule, gpu: Gpu) -> bool:
    if gpu.vendor not in rule.vendors:
        return False
    if any(gpu.id.startswith(name) for name in rule.named):
        return True
    limit = rule.processing_performance
    return limit is not None and gpu.status != "export_variant" and processing_performance(gpu) >= limit
