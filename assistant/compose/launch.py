"""Launch files: what they start, how to run them, the files themselves, what they were tested with."""

from collections.abc import Iterator

from assistant.compose import names, numbers
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from tools.launch.make import CHECKED
from tools.launch.result import LaunchFile, LaunchFiles

LINES_MAX = 320
"""Lines of files written out; the rest stay in the answer's data."""
AS_TABLE = ("acceptance.md", "acceptance.sh")
"""Files whose content the table of tests says already."""
_TARGETS = {"docker_compose": "Docker Compose", "kubernetes": "Kubernetes", "slurm": "Slurm"}


def launch(material: Material) -> Section | None:
    """The files made; None when none were."""
    made = next(material.results("make_launch_files"), None)
    if made is None:
        return None
    result, say = LaunchFiles.model_validate(made), material.say
    section = Section("fits", _headline(material, result))
    section.body = [_settings(material, result), say("launch.run") + "\n\n```bash\n" + "\n".join(result.run) + "\n```"]
    section.body += list(_files(material, result))
    section.body += [_acceptance(material, result), _tested(material, result)]
    section.caveats = list(_caveats(material, result))
    section.assumptions = list(_assumed(material, result))
    return section


def _headline(material: Material, result: LaunchFiles) -> str:
    say, (served, count) = material.say, (_name(result), result.gpu_count)
    return say(
        "launch.headline" if result.context_tokens else "launch.headline_training",
        target=_TARGETS.get(result.target) or say("launch.shell"),
        program=f"{result.program} {result.release}",
        model=served,
        format=names.format_name(result.weight_format),
        cards=names.cards(result.gpu, count),
        total=numbers.gib(result.per_gpu.total_bytes),
        usable=numbers.gib(result.usable_bytes),
    )


def _name(result: LaunchFiles) -> str:
    """The very model that is loaded: `names.model_name` speaks of the family's base."""
    return result.model.split("/")[-1]


def _settings(material: Material, result: LaunchFiles) -> str:
    """The values that were computed, in one table."""
    say = material.say
    layout = f"{result.tensor_parallel} × {result.pipeline_parallel} × {result.data_parallel}"
    rows = {
        "layout": layout if result.gpu_count > 1 else None,
        "context": numbers.count(result.context_tokens) if result.context_tokens else None,
        "full": numbers.count(result.concurrent_sequences) if result.concurrent_sequences else None,
        "admitted": numbers.count(result.admitted_sequences) if result.admitted_sequences else None,
        "ratio": f"{result.memory_ratio:g}" if result.memory_ratio and result.memory_ratio < 1 else None,
        "micro": str(result.micro_batch_size) if result.micro_batch_size else None,
        "accumulation": str(result.gradient_accumulation_steps) if result.gradient_accumulation_steps else None,
        "global": str(result.global_batch_size) if result.global_batch_size else None,
    }
    shown = [[say(f"launch.{key}"), value] for key, value in rows.items() if value]
    return table([say("launch.setting"), say("launch.value")], shown)


def _files(material: Material, result: LaunchFiles) -> Iterator[str]:
    """Each file as a block; those beyond the limit are named."""
    left, named = LINES_MAX, []
    for one in result.files:
        lines = one.content.count("\n")
        if one.name in AS_TABLE or lines > left:
            named.append(f"`{one.name}`")
            continue
        left -= lines
        yield _block(material, one)
    if named:
        yield material.say("launch.more", files=material.say.listed(named))


def _block(material: Material, one: LaunchFile) -> str:
    marker = material.cites.cite("calculation", one.name, f"make_launch_files · {one.name}", one.content)
    return f"`{one.name}`{joined([marker])}\n\n```{one.language}\n{one.content.rstrip()}\n```"


def _acceptance(material: Material, result: LaunchFiles) -> str:
    if not result.acceptance:
        return ""
    say = material.say
    rows = [[say.get(f"acceptance.{one.name.replace(' ', '_')}") or one.name, f"`{one.command}`",
             one.passes_zh if say.language == "zh" else one.passes]
            for one in result.acceptance]  # fmt: skip
    head = [say("launch.test"), say("launch.command"), say("launch.passes")]
    return say("launch.acceptance") + "\n\n" + table(head, rows, numeric=False)


def _tested(material: Material, result: LaunchFiles) -> str:
    say = material.say
    keys = {text: key for key, text in CHECKED.items()}
    how = [say.get(f"checked.{keys[one]}") or one for one in result.checked_with]
    text = say("launch.tested", how=say.listed(how))
    if result.unchecked:
        text += say("launch.untested", programs=say.listed(list(result.unchecked), conjunction="and"))
    return text


def _caveats(material: Material, result: LaunchFiles) -> Iterator[str]:
    say = material.say
    if result.checkpoint is None:
        yield say("launch.no_checkpoint", format=names.format_name(result.weight_format))
    elif result.checkpoint != result.model:
        yield say("launch.named_checkpoint", checkpoint=result.checkpoint)
    if result.verdict == "tight":
        yield say("launch.tight")


def _assumed(material: Material, result: LaunchFiles) -> Iterator[str]:
    """What the asker did not say and the files had to settle."""
    say, need = material.say, material.need
    if result.context_tokens and not need.context_tokens:
        yield say("launch.assumed_context", tokens=numbers.count(result.context_tokens))
    if result.model != need.model:
        yield say("launch.assumed_chat", model=_name(result))
    if need.gpus_owned == () and not need.gpus_asked:
        yield say("launch.assumed_cards", cards=names.cards(result.gpu, result.gpu_count))
    if result.micro_batch_size:
        yield say("launch.assumed_data")
