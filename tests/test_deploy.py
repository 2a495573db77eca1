"""What runs the service elsewhere is well formed, as Kubernetes' own models read it, and gives it no rights."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client

from kb.settings import Settings

ROOT = Path(__file__).parents[1]
MANIFESTS = sorted(
    path for path in (ROOT / "deploy" / "kubernetes").rglob("*.yaml") if path.name != "kustomization.yaml"
)
KUSTOMIZATIONS = sorted((ROOT / "deploy" / "kubernetes").rglob("kustomization.yaml"))
QUANTITY = re.compile(r"\d+(\.\d+)?(m|[KMGT]i?)?")


def documents() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in MANIFESTS:
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)}:{document['kind']}", document


DOCUMENTS = dict(documents())


def model_of(document: dict[str, Any]) -> str:
    """Name of the class that describes it: apps/v1 Deployment → V1Deployment."""
    return document["apiVersion"].split("/")[-1].capitalize() + document["kind"]


def faults(document: dict[str, Any]) -> Iterator[str]:
    """Fields that are missing, of the wrong type, or unknown."""
    described = getattr(client, model_of(document))
    try:
        described.model_validate(document)
    except ValueError as problem:
        yield str(problem)
    yield from unknown(document, described.__name__, document["kind"])


def unknown(value: Any, kind: str, place: str) -> Iterator[str]:
    """Fields that Kubernetes does not know, at any depth."""
    if kind.startswith("List["):
        for number, one in enumerate(value):
            yield from unknown(one, kind[5:-1], f"{place}[{number}]")
    elif kind.startswith("V") and isinstance(value, dict):
        described = getattr(client, kind)
        names = {written: name for name, written in described.attribute_map.items()}
        for key, one in value.items():
            if key in names:
                yield from unknown(one, described.openapi_types[names[key]], f"{place}.{key}")
            else:
                yield f"{place}.{key}: unknown"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_field_is_one_that_kubernetes_knows(name: str) -> None:
    document = DOCUMENTS[name]
    assert list(faults(document)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"spec": {"replicaz": 1}}, "unknown"),
        ({"spec": {"replicas": "one"}}, "valid integer"),
        ({"spec": {"replicas": 1}}, "Field required"),
    ],
    ids=["unknown", "type", "missing"],
)
def test_the_check_sees_what_is_wrong(change: dict[str, Any], fault: str) -> None:
    document = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, **change}
    assert any(fault in one for one in faults(document))


def pods() -> dict[str, dict[str, Any]]:
    return {name: one["spec"]["template"]["spec"] for name, one in DOCUMENTS.items() if one["kind"] == "Deployment"}


@pytest.mark.parametrize("name", pods())
def test_a_pod_meets_the_restricted_standard_and_writes_only_to_volumes(name: str) -> None:
    pod = pods()[name]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    for container in pod["containers"]:
        rights = container["securityContext"]
        assert rights["allowPrivilegeEscalation"] is False
        assert rights["readOnlyRootFilesystem"] is True
        assert rights["capabilities"] == {"drop": ["ALL"]}
        assert {"requests", "limits"} <= set(container["resources"])
        for quantities in container["resources"].values():
            assert all(QUANTITY.fullmatch(str(quantity)) for quantity in quantities.values())
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}


@pytest.mark.parametrize("name", pods())
def test_names_agree(name: str) -> None:
    pod, labels = pods()[name], DOCUMENTS[name]["spec"]["template"]["metadata"]["labels"]
    mounted = {mount["name"] for container in pod["containers"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}
    for document in DOCUMENTS.values():
        spec = document.get("spec", {})
        selector = spec.get("podSelector", spec.get("selector"))
        if selector and document["kind"] != "PersistentVolumeClaim":
            wanted = selector.get("matchLabels", selector)
            assert wanted.items() <= labels.items()


@pytest.mark.parametrize("path", KUSTOMIZATIONS, ids=lambda path: path.parent.name)
def test_a_kustomization_names_files_that_are_there(path: Path) -> None:
    listed = yaml.safe_load(path.read_text(encoding="utf-8"))["resources"]
    assert all((path.parent / one).is_file() for one in listed)


def variables(text: str) -> set[str]:
    return set(re.findall(r"GPU_ADVISOR_[A-Z0-9_]*[A-Z0-9]", text))


@pytest.mark.parametrize("path", [ROOT / "Dockerfile", ROOT / "compose.yaml", *MANIFESTS], ids=lambda path: path.name)
def test_every_variable_is_a_setting(path: Path) -> None:
    known = {f"GPU_ADVISOR_{field.upper()}" for field in Settings.model_fields}
    assert variables(path.read_text(encoding="utf-8")) <= known


def test_the_image_runs_as_a_user_without_rights_and_copies_every_room() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    last = text.split("\nFROM ")[-1]
    assert re.search(r"^USER (\d+):\d+$", last, re.M)
    assert "HEALTHCHECK" in last
    for room in ("kb", "tools", "ingest", "assistant", "ui"):
        assert f"COPY {room} {room}" in text


def test_compose_gives_no_rights_and_publishes_to_this_machine_only() -> None:
    service = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["advisor"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
