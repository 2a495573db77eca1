"""Every sentence the planner can say, in Chinese and English, in one place: `zh.yaml` and `en.yaml`."""

from functools import lru_cache
from pathlib import Path

from kb.snapshot import parse_yaml

LANGUAGES = ("zh", "en")


class Phrases:
    """The wording of one language; call it with a key and what goes into the gaps."""

    def __init__(self, language: str, wording: dict[str, str]) -> None:
        self.language = language
        self._wording = wording
        groups: dict[str, list[str]] = {}
        for key in sorted(wording):
            groups.setdefault(key.partition(".")[0], []).append(key)
        self._groups = {group: tuple(keys) for group, keys in groups.items()}

    def __call__(self, key: str, **values: object) -> str:
        """The phrase `key` with its gaps filled.

        Raises:
            KeyError: no such phrase, or a gap without a value; both are mistakes in the code.
        """
        return self._wording[key].format_map(values) if values else self._wording[key]

    def get(self, key: str) -> str | None:
        """The phrase without gaps called `key`, or None."""
        return self._wording.get(key)

    def listed(self, items: list[str], *, conjunction: str = "and") -> str:
        """Several things in one sentence: "a, b and c"."""
        if len(items) < 2:
            return "".join(items)
        return self("list.comma").join(items[:-1]) + self(f"list.{conjunction}") + items[-1]

    def keys(self) -> frozenset[str]:
        """Every key there is."""
        return frozenset(self._wording)

    def under(self, group: str) -> tuple[str, ...]:
        """Every key of a group, in order."""
        return self._groups.get(group, ())


def phrases(language: str) -> Phrases:
    """The wording for an asker of `language`: Chinese for zh, English for every other."""
    return _read(language if language in LANGUAGES else "en")


@lru_cache(maxsize=len(LANGUAGES))
def _read(chosen: str) -> Phrases:
    text = (Path(__file__).parent / f"{chosen}.yaml").read_text(encoding="utf-8")
    loaded = parse_yaml(text)
    return Phrases(chosen, {f"{group}.{key}": text for group, part in loaded.items() for key, text in part.items()})
