"""Multi-Instance GPU: the instances a card can be cut into, each with its own memory, bandwidth and multiprocessors."""

from functools import lru_cache

from pydantic import Field, model_validator

from kb.base import Frozen
from kb.catalog import FACTS, gpus, load_yaml
from kb.records.source import Source


class Profile(Frozen):
    """One size of instance."""

    name: str
    """As `nvidia-smi mig -lgip` writes it: compute slices and gigabytes."""
    most: int = Field(gt=0)
    """Instances of it on one card."""
    compute_ratio: float = Field(gt=0, le=1)
    """Share of the multiprocessors."""
    memory_ratio: float = Field(gt=0, le=1)
    """Share of the memory and of its bandwidth: a memory slice brings its controllers."""
    usable_bytes: int = Field(gt=0)


class Cut(Frozen):
    """The profiles of one card, the smallest first; without the one that is the whole card."""

    gpu: str
    profiles: tuple[Profile, ...]
    sources: tuple[Source, ...]

    @model_validator(mode="after")
    def _within_the_card(self) -> "Cut":
        if any(one.most * one.memory_ratio > 1 or one.most * one.compute_ratio > 1 for one in self.profiles):
            raise ValueError("instances of one profile must not exceed the card")
        return self


@lru_cache(maxsize=1)
def cuts() -> dict[str, Cut]:
    """Every card whose profiles are known, by catalog id."""
    read = load_yaml(FACTS / "mig.yaml")
    sources = {key: Source(id=key, **row) for key, row in read["sources"].items()}
    found = {}
    for gpu, row in read["cards"].items():
        cut = read["cuts"][row["cut"]]
        usable = gpus()[gpu].usable_bytes * read["usable_ratio"]["value"]
        profiles = tuple(
            Profile(
                name=f"{one['compute']}g.{named}gb",
                most=one["most"],
                compute_ratio=one["compute"] / cut["compute_slices"],
                memory_ratio=one["memory_ratio"],
                usable_bytes=int(usable * one["memory_ratio"]),
            )
            for one, named in zip(cut["profiles"], row["named_gb"], strict=True)
        )
        found[gpu] = Cut(gpu=gpu, profiles=profiles, sources=tuple(sources[key] for key in cut["sources"]))
    return found
