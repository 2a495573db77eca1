"""Commands as units: what starts what, with the environment that each sees."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kb.artifacts.setups.options import parsed
from kb.artifacts.setups.programs import of_image, started
from kb.artifacts.setups.shell import Command, Word, assignment, commands, expanded
from kb.artifacts.setups.written import Given, Unit, line_of, typed

DOCKER_TAKES = {
    "-p", "--publish", "-v", "--volume", "-e", "--env", "--env-file", "--name", "--gpus", "--shm-size", "--ipc",
    "--network", "--net", "--restart", "--memory", "-m", "--cpus", "--device", "--entrypoint", "-w", "--workdir",
    "--runtime", "--mount", "--ulimit", "--user", "-u", "--group-add", "--cap-add", "--security-opt", "--hostname",
    "-h",
    "--pull", "--platform", "--label", "-l", "--add-host", "--cpuset-cpus", "--cpuset-mems", "--pid", "--log-driver",
    "--log-opt", "--tmpfs", "--stop-timeout", "--memory-swap", "--link", "--dns", "--expose", "--health-cmd",
}  # fmt: skip
"""Options of `docker run` that a value follows."""
SRUN_SHORT = {"-N": "nodes", "-n": "ntasks", "-c": "cpus_per_task", "-p": "partition", "-t": "time", "-w": "nodelist",
              "-G": "gpus", "-J": "job_name", "-A": "account"}  # fmt: skip
SRUN_ALONE = {"--exclusive", "--pty", "--label", "--overlap", "--unbuffered", "-l", "-u", "-v", "--kill-on-bad-exit",
              "--no-kill", "--container-writable", "--container-remap-root", "--no-container-mount-home"}  # fmt: skip
_SHELLS = {"bash", "sh", "/bin/bash", "/bin/sh", "zsh"}
MPI_TAKES = {"-np", "-n", "-H", "--host", "--hostfile", "-hostfile", "-x", "--bind-to", "--map-by", "-npernode",
             "--oversubscribe-n", "-N", "-ppn", "-mca", "--mca"}  # fmt: skip


@dataclass
class Scope:
    """What a shell knows while it is read."""

    known: dict[str, str] = field(default_factory=dict)
    env: dict[str, Given] = field(default_factory=dict)


def units(text: str, start: int = 0, end: int | None = None, within: Unit | None = None) -> Iterator[Unit]:
    """Every program that a shell text starts, the started ones with what starts them."""
    scope = Scope()
    if within is not None:
        scope.env = {name: one for unit in within.chain() for name, one in unit.env.items()}
    for command in commands(text, start, end):
        yield from _of(command, text, scope, within)


def of_words(words: Sequence[Word], text: str, within: Unit | None) -> Iterator[Unit]:
    """The same of words that are one command already: a manifest's list."""
    if not words:
        return
    command = Command(tuple(words), (), words[0].start, words[-1].end)
    yield from _of(command, text, Scope(), within)


def _of(command: Command, text: str, scope: Scope, within: Unit | None) -> Iterator[Unit]:
    pairs = [_assigned(one, text, scope) for one in command.assigned]
    local = {name: given for name, given in pairs if given}
    if not command.words:
        scope.env |= local
        return
    yield from _program(command.words, text, scope, {**scope.env, **local}, within)


def _assigned(word: Word, text: str, scope: Scope) -> tuple[str, Given | None]:
    pair = assignment(word)
    if pair is None:
        return "", None
    name, value = pair[0], expanded(pair[1], scope.known)
    scope.known[name] = value
    return name, variable(name, value, word, text)


def variable(name: str, value: str, word: Word, text: str) -> Given:
    """A variable of the environment as a setting."""
    first = text.find("=", word.start, word.end) + 1
    end = word.end
    line = line_of(text, word.start)
    return Given(name, typed(value), first, end, word.start, end, line, text[word.start : end][:160],
                 "env")  # fmt: skip


def _program(
    words: Sequence[Word], text: str, scope: Scope, env: dict[str, Given], within: Unit | None
) -> Iterator[Unit]:
    if words[0].text in _SHELLS and len(words) > 1:
        inner = next(
            (one for at, one in enumerate(words) if at and words[at - 1].text in {"-c", "-lc", "-ec", "-xc"}), None
        )
        if inner is not None:
            yield from _inside(
                inner, text, replace(within, env={**within.env, **env}) if within else _shell(words, env, text)
            )
        return
    start = started(words)
    if start is None:
        return
    if start.program == "docker":
        yield from _docker(words, start.at, text, scope, env, within)
        return
    if start.program in {"srun", "mpirun"}:
        yield from _job_step(start.program, words, start.at, text, scope, env, within)
        return
    own = words[start.at :]
    read = parsed(start.program, own, text, scope.known, stops=start.launches)
    end = own[read.rest - 1].end if read.rest else words[start.at - 1].end
    unit = Unit(start.program, line_of(text, words[0].start), words[0].start, end, read.given, read.repeated,
                read.unknown, read.words, env, within)  # fmt: skip
    if not start.launches:
        yield replace(unit, words=read.words, env=env)
        return
    yield unit
    rest = own[read.rest - 1 :] if read.words else ()
    yield from _launched(rest, text, scope, unit)


def _launched(rest: Sequence[Word], text: str, scope: Scope, launcher: Unit) -> Iterator[Unit]:
    """The script that a launcher starts, itself a program with options."""
    if not rest:
        return
    first = rest[0]
    if first.text.endswith(".py") or started(rest) is not None:
        yield from _program(rest, text, scope, dict(launcher.env), launcher)
    elif "--module" in launcher.given or "m" in launcher.given:
        read = parsed("trainer", rest[1:], text, scope.known)
        yield Unit("trainer", line_of(text, first.start), first.start, rest[-1].end, read.given, read.repeated,
                   (), read.words, launcher.env, launcher)  # fmt: skip


def _shell(words: Sequence[Word], env: dict[str, Given], text: str) -> Unit:
    return Unit("shell", line_of(text, words[0].start), words[0].start, words[-1].end, env=env)


def _inside(word: Word, text: str, within: Unit) -> Iterator[Unit]:
    """Commands in quotes: their places are those in the text."""
    start = word.start + (1 if word.quoted else 0)
    yield from units(text, start, word.end - (1 if word.quoted else 0), within)


def _docker(
    words: Sequence[Word], at: int, text: str, scope: Scope, env: dict[str, Given], within: Unit | None
) -> Iterator[Unit]:
    given: dict[str, Given] = {}
    several: list[Given] = []
    inner: dict[str, Given] = {}
    while at < len(words) and words[at].text.startswith("-"):
        word = words[at]
        name, equals, inline = word.text.partition("=")
        takes = not equals and name in DOCKER_TAKES and at + 1 < len(words)
        last = words[at + 1] if takes else word
        value = typed(expanded(last.text if takes else inline, scope.known)) if takes or equals else True
        key = {"-e": "env", "-v": "volume", "-p": "publish", "-m": "memory", "-u": "user", "--net": "network"}.get(
            name, name.lstrip("-").replace("-", "_")
        )
        begin = last.start if takes else (text.find("=", word.start, word.end) + 1 if equals else word.start)
        one = Given(key, value, begin, last.end, word.start, last.end, line_of(text, word.start),
                    text[word.start : last.end][:160])  # fmt: skip
        if key == "env" and isinstance(value, str):
            variable_name, _, set_to = value.partition("=")
            after = text.find("=", last.start, last.end) + 1 or last.start
            set_to = set_to if "=" in value else scope.known.get(variable_name, "$" + variable_name)
            inner[variable_name] = replace(one, name=variable_name, value=typed(set_to), start=after, hand="env")
        elif key in given:
            several.append(given[key])
        given[key] = one
        at += 2 if takes else 1
    if at >= len(words):
        return
    image = words[at]
    given["image"] = Given("image", expanded(image.text, scope.known), image.start, image.end, image.start, image.end,
                           line_of(text, image.start), image.text[:160])  # fmt: skip
    box = Unit("docker", line_of(text, words[0].start), words[0].start, image.end, given, tuple(several), (), (),
               inner, within)  # fmt: skip
    yield box
    yield from in_container(words[at + 1 :], given["image"], text, scope.known, box)


def in_container(
    rest: Sequence[Word], image: Given, text: str, known: dict[str, str], box: Unit, *, command: bool = False
) -> Iterator[Unit]:
    """What runs in a container: its own command, or the arguments of its image's entry point."""
    scope = Scope(dict(known), dict(box.env))
    program = of_image(str(image.value))
    entry = box.given.get("entrypoint")
    explicit = rest and (rest[0].text in _SHELLS or started(rest) is not None)
    if explicit or entry is not None or program is None or command:
        if rest:
            yield from _program(rest, text, scope, dict(box.env), box)
        return
    read = parsed(program, rest, text, known)
    last = rest[-1].end if rest else image.end
    yield Unit(program, image.line, rest[0].start if rest else image.start, last, read.given, read.repeated,
               read.unknown, read.words, box.env, box)  # fmt: skip


def _job_step(
    program: str, words: Sequence[Word], at: int, text: str, scope: Scope, env: dict[str, Given], within: Unit | None
) -> Iterator[Unit]:
    """srun and mpirun: their options, then the command they start."""
    given: dict[str, Given] = {}
    while at < len(words) and words[at].text.startswith("-"):
        word = words[at]
        name, equals, inline = word.text.partition("=")
        takes = (
            not equals
            and at + 1 < len(words)
            and not words[at + 1].text.startswith("-")
            and (name in MPI_TAKES if program == "mpirun" else name not in SRUN_ALONE)
        )
        last = words[at + 1] if takes else word
        key = (
            SRUN_SHORT.get(name, name.lstrip("-").replace("-", "_"))
            if program == "srun"
            else ("np" if name in {"-np", "-n"} else name.lstrip("-").replace("-", "_"))
        )
        value = typed(expanded(last.text if takes else inline, scope.known)) if takes or equals else True
        begin = last.start if takes else (text.find("=", word.start, word.end) + 1 if equals else word.start)
        given[key] = Given(key, value, begin, last.end, word.start, last.end, line_of(text, word.start),
                           text[word.start : last.end][:160])  # fmt: skip
        at += 2 if takes else 1
    step = Unit(program, line_of(text, words[0].start), words[0].start, words[max(at - 1, 0)].end, given, env=env,
                within=within)  # fmt: skip
    yield step
    if at < len(words):
        yield from _program(words[at:], text, scope, env, step)
