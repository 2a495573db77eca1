"""Releases of frameworks and engines, and the CUDA that each is built for."""

from functools import lru_cache

from pydantic import Field

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.programs.software import Dotted, Version, version


class Least(Frozen):
    """Wheels for this CUDA and newer leave cards below a compute capability out."""

    cuda: Dotted
    at_least: Dotted


class Release(Frozen):
    """One release of one package."""

    package: str
    version: Dotted
    """Major and minor."""
    cuda: str
    """Toolkit of the wheel that pip installs by default."""
    also: tuple[str, ...] = ()
    """Toolkits of other wheels published for it."""
    built_on: dict[str, str] = Field(default_factory=dict)
    """Package → release that it pins."""
    needs: tuple[Least, ...] = ()
    source: str

    def covers(self, cuda: str, compute: Version) -> bool:
        """Whether its wheel for `cuda`, and that of each release it pins, holds kernels for cards of that compute
        capability, as far as dropping goes."""
        pinned = (release(package, number) for package, number in self.built_on.items())
        own = all(version(cuda) < one.cuda or compute >= one.at_least for one in self.needs)
        return own and all(one is None or one.covers(cuda, compute) for one in pinned)

    @property
    def label(self) -> str:
        """As one writes it: `2.7`."""
        return ".".join(map(str, self.version))

    @property
    def cudas(self) -> tuple[str, ...]:
        """Every toolkit there is a wheel for, oldest first."""
        return tuple(sorted((self.cuda, *self.also), key=version))


@lru_cache(maxsize=1)
def releases() -> dict[str, tuple[Release, ...]]:
    """Releases by package, oldest first."""
    held = load_yaml(FACTS / "releases.yaml")
    return {
        package: tuple(Release.model_validate({**row, "package": package}) for row in rows)
        for package, rows in held.items()
    }


def release(package: str, wanted: str) -> Release | None:
    """The release that `wanted` is, or the newest before it; null when it is older than all that were read."""
    held = releases().get(package, ())
    return next((one for one in reversed(held) if one.version <= version(wanted)[:2]), None)
