"""Files of settings as units: what their keys say they are."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from kb.artifacts.setups.options import OPEN, options
from kb.artifacts.setups.shell import commands
from kb.artifacts.setups.tree import Branch
from kb.artifacts.setups.written import Given, Unit, line_of, typed
from kb.catalog import load_yaml

SBATCH = re.compile(
    r"^[ \t]*#SBATCH[ \t]+(--?[A-Za-z][\w-]*)(?:[= \t]+([^\s#][^\n#]*?))?[ \t]*(?:#[^\n]*)?$", re.MULTILINE
)
SHORT = {
    "N": "nodes", "n": "ntasks", "c": "cpus_per_task", "G": "gpus", "p": "partition", "t": "time", "J": "job_name",
    "o": "output", "e": "error", "w": "nodelist", "A": "account", "C": "constraint", "q": "qos", "a": "array",
}  # fmt: skip
_INSTRUCTION = re.compile(
    r"^(FROM|PARAMETER|TEMPLATE|SYSTEM|ADAPTER|LICENSE|MESSAGE|REQUIRES)[ \t]+(.+?)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


@lru_cache(maxsize=1)
def kinds() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Kind of file → (keys of which one must be there, keys of which another must)."""
    rows = load_yaml(Path(__file__).parent / "known" / "configs.yaml")
    return {name: (frozenset(row["one_of"]), frozenset(row.get("and_one_of", ()))) for name, row in rows.items()}


def kind_of(root: Branch) -> str | None:
    """What a mapping is, by its keys."""
    keys = {key.replace("-", "_") if key[:1].islower() else key for key, _, _ in root.items()}
    for name, (one, other) in kinds().items():
        if keys & one and (not other or keys & other):
            return name
    return None


def settings(root: Branch, program: str) -> Iterator[Unit]:
    """A file of settings as one unit; nested ones are named by their path with underscores."""
    table = options(program)
    given: dict[str, Given] = {}
    repeated: list[Given] = []
    for one in root.leaves():
        name = one.name.replace(".", "_").replace("-", "_")
        option = table.get(name)
        name = option.name if option else name
        if name in given:
            repeated.append(given[name])
        given[name] = replace(one, name=name)
    top = [(key, branch, value) for key, branch, value in root.items()]
    seen: set[str] = set()
    for key, branch, value in top:
        if key in seen:
            repeated.append(value.given(key, branch))
        seen.add(key)
    unknown = [
        value.given(key, branch)
        for key, branch, value in top
        if table and program not in OPEN and key.replace("-", "_") not in table
    ]
    start = root.start
    yield Unit(program, root.line, start, root.end, given, tuple(repeated), tuple(unknown),
               hand="json" if root.json else "yaml")  # fmt: skip


def job(text: str) -> Unit | None:
    """What the #SBATCH lines of a script ask for; those after the first command count for nothing."""
    given: dict[str, Given] = {}
    repeated: list[Given] = []
    first_command = next((one.start for one in commands(text[:100_000]) if one.words or one.assigned), len(text))
    first = last = None
    directives = list(SBATCH.finditer(text))
    if all(one.start() > first_command for one in directives):  # a script that writes another
        first_command = len(text)
    for found in directives:
        written = found[1].lstrip("-")
        name = SHORT.get(written, written) if found[1][1] != "-" else written.replace("-", "_")
        name = {"gpus_per_node": "gpus_per_node", "tasks_per_node": "ntasks_per_node"}.get(name, name)
        if found.start() > first_command:
            name = f"late_{name}"
        value = typed(found[2].strip()) if found[2] else True
        start, end = (found.start(2), found.end(2)) if found[2] else found.span(1)
        one = Given(name, value, start, end, found.start(), found.end(), line_of(text, found.start()),
                    found[0].strip()[:160], "directive")  # fmt: skip
        if name in given:
            repeated.append(given[name])
        given[name] = one
        first = found.start() if first is None else first
        last = found.end()
    if first is None or last is None:
        return None
    return Unit("slurm", line_of(text, first), first, last, given, tuple(repeated), hand="directive")


def modelfile(text: str) -> Unit | None:
    """An Ollama Modelfile: FROM and PARAMETER lines."""
    given: dict[str, Given] = {}
    repeated: list[Given] = []
    found = list(_INSTRUCTION.finditer(text))
    if not any(one[1].upper() == "FROM" for one in found) or not _is_modelfile(text, [one[1].upper() for one in found]):
        return None
    for one in found:
        name, value, start = one[1].lower(), one[2], one.start(2)
        if name == "parameter":
            head, _, rest = value.partition(" ")
            start += len(value) - len(rest.lstrip()) if rest else 0
            name, value = head.strip(), rest.strip()
        line = line_of(text, one.start())
        made = Given(name, typed(value.strip('"')), start, one.end(2), one.start(), one.end(), line,
                     one[0].strip()[:160], "modelfile")  # fmt: skip
        if name in given and name != "stop" and name != "message":
            repeated.append(given[name])
        given[name] = made
    return Unit("modelfile", given["from"].line if "from" in given else 1, found[0].start(), found[-1].end(), given,
                tuple(repeated), hand="modelfile")  # fmt: skip


def _is_modelfile(text: str, names: list[str]) -> bool:
    """FROM alone also begins a Dockerfile, whose other instructions a Modelfile does not have."""
    docker = re.search(r"^(?:RUN|COPY|CMD|ENTRYPOINT|WORKDIR|ENV|EXPOSE|ARG)\b", text, re.MULTILINE)
    return docker is None and (len(names) > 1 or ".gguf" in text.lower())
