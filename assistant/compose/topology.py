"""What joins the cards: how to group them, what is wrong, what to type."""

from assistant.compose import numbers
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from kb.machines.topology import topology_facts
from tools.topology.result import Group, Topology

GROUPS_MAX = 8
PROBLEMS_MAX = 8


def topology(material: Material) -> Section | None:
    """The reading of what was pasted; None when nothing was."""
    read = next(material.results("read_topology"), None)
    if read is None:
        return None
    result = Topology.model_validate(read)
    grave = any(one.severity != "note" for one in result.problems)
    section = Section("diagnosis" if grave else "fact", _headline(material, result))
    section.body = [_groups(material, result), _problems(material, result), _nics(material, result)]
    if result.actions:
        section.body.append(material.say("topology.actions") + "\n\n```bash\n" + "\n".join(result.actions) + "\n```")
    if not result.links and len(result.devices) > 1:
        section.levers.append(material.say("topology.no_matrix"))
    return section


def _headline(material: Material, result: Topology) -> str:
    say, count = material.say, len(result.devices)
    marker = _cite(material, result)
    if result.tensor_parallel is None:
        driver = say("topology.driver", driver=result.driver, cuda=result.cuda or "?") if result.driver else ""
        problems = sum(one.severity != "note" for one in result.problems)
        return say("topology.cards", count=count, driver=driver, problems=problems) + marker
    if count == 1:
        return say("topology.single") + marker
    best = result.groups[0]
    key = "all" if len(best.devices) == count and best.tensor_parallel != "poor" else "none"
    key = "groups" if 1 < result.tensor_parallel < count else key
    said = {"count": count, "width": result.tensor_parallel, "stages": result.pipeline_parallel, "code": best.code}
    return say(f"topology.{key}", **said, way=_way(material, best.code)) + marker


def _way(material: Material, code: str) -> str:
    path = topology_facts().path(code)
    return (path.name_zh if material.say.language == "zh" else path.name) if path else code


def _cite(material: Material, result: Topology) -> str:
    groups = "; ".join(f"{', '.join(f'GPU{at}' for at in one.devices)}: {one.code}" for one in result.groups)
    facts = "; ".join(one.detail for one in result.problems)
    quote = "; ".join(filter(None, (groups, facts))) or f"{len(result.devices)} GPUs"
    return joined([material.cites.cite("calculation", material.say("topology.cite"), "read_topology", quote)])


def _groups(material: Material, result: Topology) -> str:
    say = material.say
    rows = [_row(material, result, one) for one in result.groups[:GROUPS_MAX] if len(one.devices) > 1]
    head = [say(f"topology.{key}") for key in ("group", "link", "speed", "tensor")]
    return table(head, rows, numeric=False) if rows else ""


def _row(material: Material, result: Topology, one: Group) -> list[str]:
    speeds = [
        link.bytes_per_s for link in result.links
        if link.code == one.code and link.bytes_per_s and {int(link.a[3:]), int(link.b[3:])} <= set(one.devices)
    ]  # fmt: skip
    speed = numbers.rate(min(speeds), "B/s") if speeds else "–"
    cards = ", ".join(f"GPU{at}" for at in one.devices)
    return [cards, f"{one.code} ({_way(material, one.code)})", speed, material.say(f"topology.{one.tensor_parallel}")]


def _problems(material: Material, result: Topology) -> str:
    if not result.problems:
        return ""
    say, chinese = material.say, material.say.language == "zh"
    lines = [
        f"- **{say(f'topology.{one.severity}')}**{say('list.colon')}"
        + (f"{one.detail_zh}{one.action_zh}" if chinese else f"{one.detail} {one.action}")
        for one in result.problems[:PROBLEMS_MAX]
    ]
    return "\n".join(lines)


def _nics(material: Material, result: Topology) -> str:
    if not result.near_nics:
        return ""
    near = [f"GPU{one.device} → {one.nic} ({one.code})" for one in result.near_nics]
    return material.say("topology.nics", pairs=material.say("list.comma").join(near))
