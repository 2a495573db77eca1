"""Docker Compose and Kubernetes manifests, as data that a YAML writer quotes."""

import math
from typing import Any

import yaml

from kb.base import BadInput
from kb.programs.launch import launch_facts
from kb.units import GIB
from tools.launch.serve import command, environment, ollama_model
from tools.launch.setting import Setting

CACHE = {"ollama": "/root/.ollama"}
HUB_CACHE = "/root/.cache/huggingface"
UNSET = "set-me/checkpoint"
"""A Hugging Face id that does not exist: a manifest cannot ask for a variable, so the server says what is missing."""


class _Plain(yaml.SafeDumper):
    """Writes what occurs twice twice: anchors are for machines."""

    def ignore_aliases(self, data: Any) -> bool:
        """Never an anchor."""
        return True


def dumped(*documents: dict[str, Any]) -> str:
    """YAML of one or several documents, in the order given."""
    return "---\n".join(
        yaml.dump(one, Dumper=_Plain, sort_keys=False, width=110, allow_unicode=True) for one in documents
    )


def image(setting: Setting) -> str:
    """The container image for the maker of the card.

    Raises:
        BadInput: none is known, or the release of it that is has no kernels for the card.
    """
    if setting.older is not None:
        raise BadInput(
            "target", f"{setting.program}'s image of {setting.engine.release if setting.engine else 'today'} has no "
            f"kernels for {setting.card.name}: the newest release read that has them is {setting.older}.",
            "Use target shell with that release installed, or llama.cpp.",
        )  # fmt: skip
    images = setting.engine.images if setting.engine else {}
    found = images.get(setting.card.vendor)
    if found is None:
        raise BadInput("target", f"no image of {setting.program} for {setting.card.vendor} cards is known here.",
                       "Use target shell, or vllm.")  # fmt: skip
    return found


def _start(setting: Setting) -> tuple[list[str], list[str]]:
    """Entry point and arguments: stated both, whatever the image's own is."""
    words = command(setting)
    if setting.program == "llama.cpp":
        return ["/app/llama-server"], words[1:]
    cut = {"vllm": 2, "sglang": 3}.get(setting.program, 1)
    return words[:cut], words[cut:]


def _host_memory_gib(setting: Setting) -> int:
    """Host memory of one copy: the weights as they are read, with room."""
    weights = sum(part.bytes for part in setting.estimate.per_gpu.parts if part.name == "weights")
    share = launch_facts().host.memory_over_weights_ratio
    return max(16, math.ceil(share * weights * setting.tensor * setting.pipeline / GIB / 8) * 8)


def compose_file(setting: Setting) -> str:
    """`compose.yaml` for one machine.

    Raises:
        BadInput: several machines: Compose starts containers on one.
    """
    if setting.request.nodes > 1:
        raise BadInput("nodes", "Docker Compose starts one machine.", "Use target slurm, or shell on each machine.")
    entry, arguments = _start(setting)
    missing = f"${{MODEL:?set MODEL to a {setting.form} checkpoint of {setting.model.name}}}"
    arguments = [one.replace("${MODEL}", missing) for one in arguments]
    port, cache = setting.engine.port if setting.engine else 8000, CACHE.get(setting.program, HUB_CACHE)
    shown = environment(setting)
    service: dict[str, Any] = {
        "image": image(setting), "entrypoint": entry, "command": arguments,
        "environment": {**shown, **({} if setting.program == "ollama" else {"HF_TOKEN": "${HF_TOKEN:-}"})},
        "ports": [f"127.0.0.1:{port}:{port}"], "volumes": [f"models:{cache}"], "ipc": "host",
        **_devices(setting), "restart": "unless-stopped", "healthcheck": _health(setting, port),
    }  # fmt: skip
    services = {setting.program.replace(".", "-"): service}
    if setting.program == "ollama":
        services["pull"] = {
            "image": image(setting), "entrypoint": ["ollama"],
            "command": ["pull", ollama_model(setting).replace("${MODEL}", missing)],
            "environment": {"OLLAMA_HOST": f"http://ollama:{port}"},
            "depends_on": {"ollama": {"condition": "service_healthy"}},
        }  # fmt: skip
    return dumped({"name": setting.name, "services": services, "volumes": {"models": {}}})


def _devices(setting: Setting) -> dict[str, Any]:
    if setting.card.vendor == "AMD":
        return {"devices": ["/dev/kfd", "/dev/dri"], "group_add": ["video"], "security_opt": ["seccomp=unconfined"]}
    asked = {"driver": "nvidia", "count": setting.request.gpu_count, "capabilities": ["gpu"]}
    return {"deploy": {"resources": {"reservations": {"devices": [asked]}}}}


def _health(setting: Setting, port: int) -> dict[str, Any]:
    path = setting.engine.health if setting.engine else "/"
    fetch = f"import urllib.request as u; u.urlopen('http://127.0.0.1:{port}{path}', timeout=5)"
    test = ["CMD", "python3", "-c", fetch]
    if setting.program == "llama.cpp":
        test = ["CMD", "curl", "-fsS", f"http://127.0.0.1:{port}{path}"]
    if setting.program == "ollama":
        test = ["CMD", "ollama", "list"]
    return {"test": test, "interval": "15s", "timeout": "10s", "retries": 4, "start_period": "20m"}


def kubernetes_manifest(setting: Setting) -> str:
    """PriorityClass, PersistentVolumeClaim, Deployment, Service and KEDA ScaledObject.

    Raises:
        BadInput: a copy over several machines, which a Deployment cannot start.
    """
    if setting.request.nodes > 1 and setting.pipeline > 1:
        raise BadInput("nodes", "a Deployment starts each copy on one machine.",
                       "Use slurm, or shell on each machine, for a copy over several.")  # fmt: skip
    pods, setting = setting.request.nodes, _one_machine(setting)
    documents = [_priority(setting), _claim(setting), _deployment(setting, pods), _service(setting)]
    if setting.engine and setting.engine.metrics_waiting:
        documents.append(_scaling(setting, pods))
    return dumped(*documents)


def _labels(setting: Setting) -> dict[str, str]:
    return {"app.kubernetes.io/name": setting.name}


def _priority(setting: Setting) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": f"{setting.name}-serving"},
        "value": 100000, "globalDefault": False, "preemptionPolicy": "PreemptLowerPriority",
        "description": "Serving goes before batch work on the same cards.",
    }  # fmt: skip


def _claim(setting: Setting) -> dict[str, Any]:
    return {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": f"{setting.name}-models"},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": f"{_disk_gib(setting)}Gi"}}},
    }  # fmt: skip


def _disk_gib(setting: Setting) -> int:
    """The checkpoint twice: while it is downloaded and when it is there."""
    weights = sum(part.bytes for part in setting.estimate.per_gpu.parts if part.name == "weights")
    return math.ceil(2 * weights * setting.tensor * setting.pipeline / GIB / 10) * 10


def _one_machine(setting: Setting) -> Setting:
    """What one machine's container starts: the copies that it holds, on its own cards."""
    nodes = setting.request.nodes
    request = setting.request.model_copy(update={"gpu_count": setting.per_node, "nodes": 1})
    return setting._replace(request=request, data=max(setting.data // nodes, 1))


def _deployment(setting: Setting, pods: int) -> dict[str, Any]:
    entry, arguments = _start(setting)
    arguments = [one.replace("${MODEL}", UNSET) for one in arguments]
    port = setting.engine.port if setting.engine else 8000
    each, facts = setting.request.gpu_count, launch_facts().host  # every rank, copies and shared experts too
    card = "amd.com/gpu" if setting.card.vendor == "AMD" else "nvidia.com/gpu"
    memory = f"{_host_memory_gib(setting) + facts.shared_memory_gib}Gi"  # what lies in /dev/shm counts in the limit
    token = {"secretKeyRef": {"name": "hugging-face", "key": "token", "optional": True}}
    health = {"httpGet": {"path": setting.engine.health if setting.engine else "/", "port": port}}
    container = {
        "name": setting.program.replace(".", "-"), "image": image(setting), "command": entry, "args": arguments,
        "env": [*({"name": key, "value": value} for key, value in environment(setting).items()),
                {"name": "HF_TOKEN", "valueFrom": token}],
        "ports": [{"name": "http", "containerPort": port}],
        "resources": {
            "requests": {"cpu": str(facts.cpus_per_gpu * each), "memory": memory, card: str(each)},
            "limits": {"memory": memory, card: str(each)},
        },
        "startupProbe": {**health, "periodSeconds": 10, "failureThreshold": 180},
        "readinessProbe": {**health, "periodSeconds": 10},
        "livenessProbe": {**health, "periodSeconds": 30, "failureThreshold": 4},
        "volumeMounts": [{"name": "models", "mountPath": CACHE.get(setting.program, HUB_CACHE)},
                         {"name": "shm", "mountPath": "/dev/shm"}],  # noqa: S108
    }  # fmt: skip
    pod = {
        "priorityClassName": f"{setting.name}-serving", "terminationGracePeriodSeconds": 120,
        "containers": [container],
        "volumes": [
            {"name": "models", "persistentVolumeClaim": {"claimName": f"{setting.name}-models"}},
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": f"{facts.shared_memory_gib}Gi"}},
        ],
    }  # fmt: skip
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": setting.name, "labels": _labels(setting)},
        "spec": {
            "replicas": pods, "selector": {"matchLabels": _labels(setting)},
            "strategy": {"type": "Recreate"},
            "template": {"metadata": {"labels": _labels(setting)}, "spec": pod},
        },
    }  # fmt: skip


def _service(setting: Setting) -> dict[str, Any]:
    port = setting.engine.port if setting.engine else 8000
    return {
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": setting.name, "labels": _labels(setting)},
        "spec": {"selector": _labels(setting), "ports": [{"name": "http", "port": 80, "targetPort": port}]},
    }  # fmt: skip


def _scaling(setting: Setting, pods: int) -> dict[str, Any]:
    """Scale on waiting requests: the use of the card is near 100 % whatever the load."""
    facts, metric = launch_facts().serving, setting.engine.metrics_waiting if setting.engine else ""
    query = f'sum({metric}{{namespace="default", pod=~"{setting.name}-.*"}})'
    trigger = {
        "type": "prometheus",
        "metadata": {
            "serverAddress": "http://prometheus-operated.monitoring.svc:9090", "query": query,
            "threshold": str(facts.threshold_waiting),
        },
    }  # fmt: skip
    return {
        "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": setting.name},
        "spec": {
            "scaleTargetRef": {"name": setting.name}, "minReplicaCount": pods,
            "maxReplicaCount": max(setting.request.max_replicas, pods), "pollingInterval": 15,
            "cooldownPeriod": facts.cooldown_s, "triggers": [trigger],
        },
    }  # fmt: skip
