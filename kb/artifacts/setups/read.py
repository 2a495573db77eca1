"""One text into its units: a manifest, a file of settings, a Modelfile, a job or a shell's commands."""

from collections.abc import Iterator
from dataclasses import replace

from kb.artifacts.setups import commands, configs, containers, helm
from kb.artifacts.setups.tree import Branch, documents
from kb.artifacts.setups.written import Setup, Unit

READ_MAX = 400_000


def read_setup(text: str) -> Setup:
    """Everything that a text sets up; a text that is none has no units.

    Linear in the text, of which at most the first 400,000 characters are read; nothing is executed.
    """
    text = text[:READ_MAX]
    if may_be_tree(text):
        roots, broken = documents(text)
        units = tuple(unit for root in roots for unit in _of_tree(root))
        if units or (broken and text.lstrip()[:1] == "{"):
            return Setup(text, units, broken)
    if (model := configs.modelfile(text)) is not None:
        return Setup(text, (model,))
    job = configs.job(text)
    units = tuple(commands.units(text, within=job))
    if job is not None:
        units = (job, *units)
    return Setup(text, units)


def may_be_tree(text: str) -> bool:
    """Whether the first line that says something may begin a mapping."""
    for line in text.splitlines()[:200]:
        plain = line.strip()
        if not plain or plain.startswith(("#", "//")):
            continue
        if plain.startswith(("{", "---")):
            return True
        head = plain.split(":", 1)[0]
        return ":" in plain and " " not in head and "=" not in head and not plain.startswith(("-", "$"))
    return False


def _of_tree(root: Branch) -> Iterator[Unit]:
    if root.kind != "map":
        return
    kind = configs.kind_of(root)
    if kind == "compose":
        yield from containers.compose(root)
    elif kind == "kubernetes":
        yield from containers.kubernetes(root)
    elif kind in {"helm-production-stack", "helm-values"}:
        yield from helm.values(root, kind)
    elif kind is not None:
        for unit in configs.settings(root, kind):
            yield replace(unit, program=kind)
