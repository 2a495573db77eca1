"""Compose services and Kubernetes pods as units: the container with what it is given, then what runs in it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kb.artifacts.setups import commands
from kb.artifacts.setups.shell import Word
from kb.artifacts.setups.shell import commands as split
from kb.artifacts.setups.tree import Branch
from kb.artifacts.setups.written import Given, Unit, typed

PROBES = {"livenessProbe": "liveness", "readinessProbe": "readiness", "startupProbe": "startup"}
PROBE_FIELDS = {
    "initialDelaySeconds": "delay_s", "periodSeconds": "period_s", "failureThreshold": "failures",
    "timeoutSeconds": "timeout_s",
}  # fmt: skip
GPU = re.compile(r"(?:nvidia\.com|amd\.com|gpu\.intel\.com|habana\.ai|huawei\.com)/(?:gpu|mig|gaudi|Ascend|i915|xe).*")
WORKLOADS = {"Deployment", "StatefulSet", "DaemonSet", "Job", "Pod", "ReplicaSet", "LeaderWorkerSet", "CronJob"}
SHARED = {
    "hostIPC": "host_ipc", "hostNetwork": "network", "runtimeClassName": "runtime", "restartPolicy": "restart",
    "terminationGracePeriodSeconds": "grace_s",
}  # fmt: skip
"""What all containers of a pod share → setting."""
SELECTORS = ("nvidia.com/gpu.product", "cloud.google.com/gke-accelerator", "node.kubernetes.io/instance-type",
             "accelerator")  # fmt: skip


def compose(root: Branch) -> Iterator[Unit]:
    """Every service of a Compose file."""
    services = root.at("services")
    for name, key, service in services.items() if services else ():
        given: dict[str, Given] = {"service": replace(key.given("service"), value=name)}
        for path, said in (
            (("image",), "image"), (("shm_size",), "shm_size"), (("ipc",), "ipc"), (("restart",), "restart"),
            (("runtime",), "runtime"), (("network_mode",), "network"), (("mem_limit",), "memory"),
            (("deploy", "resources", "limits", "memory"), "memory"), (("privileged",), "privileged"),
            (("entrypoint",), "entrypoint"), (("stop_grace_period",), "stop_grace_period"),
            (("deploy", "replicas"), "replicas"), (("gpus",), "gpus"),
            (("healthcheck", "start_period"), "liveness_delay"), (("healthcheck", "interval"), "liveness_period"),
            (("healthcheck", "retries"), "liveness_failures"),
        ):  # fmt: skip
            _put(given, said, service, path)
        _compose_gpus(given, service)
        for said in ("ports", "volumes", "devices", "group_add", "cap_add", "security_opt", "env_file"):
            found = service.at(said)
            if found is not None:
                joined = ",".join(str(one.value if one.kind == "value" else _flat(one)) for one in found.entries())
                given[said] = replace(found.given(said), value=joined or str(found.value or ""))
        env = _environment(service.at("environment"))
        box = Unit("compose", key.line, key.start, service.end, given, env=env, hand="yaml")
        yield box
        yield from _run(service.at("entrypoint"), service.at("command"), given.get("image"), root.text, box)


def kubernetes(root: Branch) -> Iterator[Unit]:
    """Every container of a manifest's pods."""
    kind = root.at("kind")
    if kind is None or kind.value not in WORKLOADS:
        return
    for spec in _pod_specs(root):
        shared: dict[str, Given] = {}
        _put(shared, "replicas", root, ("spec", "replicas"))
        _put(shared, "strategy", root, ("spec", "strategy", "type"))
        _put(shared, "progress_deadline_s", root, ("spec", "progressDeadlineSeconds"))
        for name, said in SHARED.items():
            _put(shared, said, spec, (name,))
        for name in SELECTORS:
            _put(shared, "node_product", spec, ("nodeSelector", name))
        shared |= _tolerations(spec)
        shared["kind"] = kind.given("kind")
        containers = spec.at("containers")
        for container in containers.entries() if containers else ():
            yield from _container(container, spec, shared, root.text)


def _container(container: Branch, spec: Branch, shared: dict[str, Given], text: str) -> Iterator[Unit]:
    given = dict(shared)
    for path, said in (
        (("name",), "service"), (("image",), "image"), (("imagePullPolicy",), "pull"),
        (("resources", "limits", "memory"), "memory"), (("resources", "limits", "cpu"), "cpus"),
        (("resources", "requests", "memory"), "memory_requested"), (("resources", "requests", "cpu"), "cpus_requested"),
        (("securityContext", "privileged"), "privileged"),
    ):  # fmt: skip
        _put(given, said, container, path)
    for level, said in (("limits", "gpus"), ("requests", "gpus_requested")):
        resources = container.at("resources", level)
        for name, key, value in resources.items() if resources else ():
            if GPU.fullmatch(name):
                given[said] = value.given(said, key)
    _probes(given, container)
    _shared_memory(given, container, spec)
    ports = container.at("ports")
    if ports is not None:
        numbers = [str(port.value) for one in ports.entries() if (port := one.at("containerPort"))]
        given["ports"] = replace(ports.given("ports"), value=",".join(numbers))
    env = _environment(container.at("env"))
    box = Unit("pod", container.line, container.start, container.end, given, env=env, hand="yaml")
    yield box
    yield from _run(container.at("command"), container.at("args"), given.get("image"), text, box)


def _run(head: Branch | None, tail: Branch | None, image: Given | None, text: str, box: Unit) -> Iterator[Unit]:
    """What a container runs: the command, then the arguments."""
    words = [*_words(head, text), *_words(tail, text)]
    if image is None or (not words and head is None and tail is None and _entry(image) is None):
        return
    if len(words) == 1 and " " in words[0].text and head is None:  # a shell's words in one text
        parts = split(text, words[0].start, words[0].end)
        words = [one for part in parts for one in (*part.assigned, *part.words)]
    for unit in commands.in_container(words, image, text, {}, box):
        yield replace(unit, hand="list" if tail is not None and tail.kind == "list" else unit.hand)


def _entry(image: Given) -> str | None:
    from kb.artifacts.setups.programs import of_image

    return of_image(str(image.value))


def _words(branch: Branch | None, text: str) -> Iterator[Word]:
    if branch is None:
        return
    for one in [branch] if branch.kind == "value" else branch.entries():
        if one.kind == "value":
            block = one.node.style in ("|", ">")
            start = text.index("\n", one.start) + 1 if block and "\n" in text[one.start : one.end] else one.start
            mark = 1 if one.node.style in ("'", '"') else 0
            yield Word(str(one.node.value), start + mark, one.end - mark)


def _environment(branch: Branch | None) -> dict[str, Given]:
    """Variables of a list of {name, value}, of `A=b`, or of a mapping."""
    found: dict[str, Given] = {}
    for name, key, value in branch.items() if branch else ():
        found[name] = replace(value.given(name, key), hand="yaml")
    for one in branch.entries() if branch else ():
        if one.kind == "value":
            name, equals, said = str(one.node.value).partition("=")
            start = one.end - len(said) - (1 if one.node.style else 0) if equals else one.start
            found[name] = Given(name, typed(said) if equals else "$", start, start + len(said), one.start, one.end,
                                one.line, str(one.node.value)[:160], "env")  # fmt: skip
        elif (label := one.at("name")) is not None:
            said_name, set_to = str(label.value), one.at("value")
            found[said_name] = set_to.given(said_name, label) if set_to else replace(one.given(said_name), value="$")
    return found


def _compose_gpus(given: dict[str, Given], service: Branch) -> None:
    devices = service.at("deploy", "resources", "reservations", "devices")
    for one in devices.entries() if devices else ():
        capabilities = one.at("capabilities")
        if capabilities is None or "gpu" not in [str(inner.value) for inner in capabilities.entries()]:
            continue
        count, ids = one.at("count"), one.at("device_ids")
        if count is not None:
            given["gpus"] = count.given("gpus")
        if ids is not None:
            given["device_ids"] = replace(ids.given("device_ids"), value=",".join(str(i.value) for i in ids.entries()))
            given.setdefault("gpus", replace(given["device_ids"], name="gpus", value=len(list(ids.entries()))))
        if count is None and ids is None:
            given["gpus"] = replace(one.given("gpus"), value="all")


def _probes(given: dict[str, Given], container: Branch) -> None:
    for probe, said in PROBES.items():
        branch = container.at(probe)
        if branch is None:
            continue
        given[said] = replace(branch.given(said), value=True)
        for name, field in PROBE_FIELDS.items():
            _put(given, f"{said}_{field}", branch, (name,))
        for path, field in ((("httpGet", "port"), "port"), (("httpGet", "path"), "path")):
            _put(given, f"{said}_{field}", branch, path)


def _shared_memory(given: dict[str, Given], container: Branch, spec: Branch) -> None:
    """Mounts by their path, and the size of what lies at /dev/shm."""
    volumes: dict[str, Branch] = {}
    listed = spec.at("volumes")
    for one in listed.entries() if listed else ():
        if (name := one.at("name")) is not None:
            volumes[str(name.value)] = one
    mounts = container.at("volumeMounts")
    paths = []
    for one in mounts.entries() if mounts else ():
        path, name = one.at("mountPath"), one.at("name")
        if path is None or name is None:
            continue
        paths.append(f"{name.value}:{path.value}")
        volume = volumes.get(str(name.value))
        if path.value == "/dev/shm" and volume is not None:  # noqa: S108
            given["shm"] = replace(path.given("shm"), value=True)
            _put(given, "shm_size", volume, ("emptyDir", "sizeLimit"))
            _put(given, "shm_medium", volume, ("emptyDir", "medium"))
        if volume is None and spec.at("volumeClaimTemplates") is None:
            given.setdefault("mount_missing", replace(name.given("mount_missing"), value=str(name.value)))
        elif volume is not None and volume.at("emptyDir") is not None and _caches(str(path.value)):
            given["cache_lost"] = replace(path.given("cache_lost"), value=str(path.value))
    if mounts is not None:
        given["volumes"] = replace(mounts.given("volumes"), value=",".join(paths))


def _caches(path: str) -> bool:
    return "huggingface" in path or path.rstrip("/").endswith((".cache", "/models", "/hub"))


def _tolerations(spec: Branch) -> dict[str, Given]:
    listed = spec.at("tolerations")
    keys = [str(key.value) for one in listed.entries() if (key := one.at("key"))] if listed else []
    return {"tolerations": replace(listed.given("tolerations"), value=",".join(keys))} if listed else {}


def _pod_specs(root: Branch) -> Iterator[Branch]:
    for path in (("spec", "template", "spec"), ("spec",), ("spec", "jobTemplate", "spec", "template", "spec"),
                 ("spec", "leaderWorkerTemplate", "leaderTemplate", "spec"),
                 ("spec", "leaderWorkerTemplate", "workerTemplate", "spec")):  # fmt: skip
        branch = root.at(*path)
        if branch is not None and branch.at("containers") is not None:
            yield branch


def _put(given: dict[str, Given], name: str, branch: Branch, path: tuple[str, ...]) -> None:
    """The leaf at a path, with its key's place."""
    parent = branch.at(*path[:-1]) if len(path) > 1 else branch
    for key_text, key, value in parent.items() if parent else ():
        if key_text == path[-1] and (value.kind == "value" or path[-1] == "entrypoint"):
            given[name] = value.given(name, key)


def _flat(branch: Branch) -> str:
    parts: dict[str, Any] = {name: value.value for name, _, value in branch.items()}
    return f"{parts.get('source', '')}:{parts.get('target', '')}"
