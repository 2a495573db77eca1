"""Shell scripts and Slurm jobs: every word quoted, variables only where one was meant."""

import re
import shlex
from collections.abc import Mapping, Sequence

from tools.launch.serve import command, environment, ollama_model, several_nodes
from tools.launch.setting import Setting

HEAD = "#!/usr/bin/env bash\nset -euo pipefail\n"
NEEDS = """: "${NODE_RANK:?0 on the first machine, 1 on the next …}"
: "${MASTER_ADDR:?address of the first machine}"
"""
"""Lines that stop a script which does not know its place among several machines."""
_OURS = re.compile(r"\$\{(?:MODEL|NODE_RANK|MASTER_ADDR|SLURM_NODEID)\}")
_BREAK = " \\\n    "


def word(text: str) -> str:
    """One argument: quoted so that nothing in it is read by the shell, our own variables apart."""
    if _OURS.search(text) and not re.search(r'["`\\]|\$(?!\{(?:MODEL|NODE_RANK|MASTER_ADDR|SLURM_NODEID)\})', text):
        return f'"{text}"'
    return shlex.quote(text)


def joined(words: Sequence[str]) -> str:
    """A command over several lines: a new line before each flag."""
    lines: list[list[str]] = [[]]
    for one in words:
        if one.startswith("-") and lines[-1]:
            lines.append([])
        lines[-1].append(word(one))
    return _BREAK.join(" ".join(line) for line in lines)


def guard(setting: Setting) -> str:
    """The line that stops a script whose checkpoint nobody named."""
    if setting.checkpoint is not None:
        return ""
    return f': "${{MODEL:?set MODEL to the Hugging Face id of a {setting.form} checkpoint of {setting.model.name}}}"\n'


def exports(variables: Mapping[str, str]) -> str:
    """Variables for the program."""
    return "".join(f"export {key}={shlex.quote(value)}\n" for key, value in variables.items())


def serve_script(setting: Setting) -> str:
    """A script that starts the server in the foreground."""
    start = HEAD + guard(setting) + exports(environment(setting))
    if setting.program == "ollama":
        return (
            start + "ollama serve &\nserver=$!\ntrap 'kill \"$server\"' EXIT\n"
            "until ollama list >/dev/null 2>&1; do sleep 1; done\n"
            f"ollama pull {word(ollama_model(setting))}\nwait \"$server\"\n"
        )  # fmt: skip
    if setting.request.nodes == 1:
        return start + "exec " + joined(command(setting)) + "\n"
    first, others = several_nodes(setting)
    head, rest = joined([*command(setting), *first]), joined([*command(setting), *others])
    if head == rest:
        return start + NEEDS + "exec " + head + "\n"
    return f'{start}{NEEDS}if [ "$NODE_RANK" = 0 ]; then\n    exec {head}\nelse\n    exec {rest}\nfi\n'


def slurm_job(setting: Setting, script: str, *, hours: int) -> str:
    """A batch job that runs `script` once a machine.

    The first machine's name is MASTER_ADDR, its place NODE_RANK: what both torchrun and the servers want.
    """
    lines = [
        "#!/bin/bash", f"#SBATCH --job-name={setting.name}", f"#SBATCH --nodes={setting.request.nodes}",
        "#SBATCH --ntasks-per-node=1", f"#SBATCH --gpus-per-node={setting.per_node}",
        f"#SBATCH --cpus-per-task={8 * setting.per_node}", "#SBATCH --mem=0", "#SBATCH --exclusive",
        f"#SBATCH --time={hours:d}:00:00", "#SBATCH --output=%x-%j.log", "set -euo pipefail",
        'MASTER_ADDR="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"', "export MASTER_ADDR",
        "export MASTER_PORT=29500",
        # What sbatch gives a task, srun has not taken over since Slurm 22.05.
        f"srun --cpus-per-task=$SLURM_CPUS_PER_TASK bash -c 'NODE_RANK=$SLURM_NODEID exec bash {script}'",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"
