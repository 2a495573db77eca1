"""Matrices and tables as nvidia-smi prints them, and what they mean."""

import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput
from tools.topology import read_topology
from tools.topology.matrix import read_matrix, read_nvlinks
from tools.topology.request import TopologyRequest
from tools.topology.result import Topology


def read(text: str, **fields: Any) -> Topology:
    return read_topology(TopologyRequest.model_validate({"text": text, **fields}))


def matrix(codes: list[list[str]], affinity: list[str] | None = None) -> str:
    """A matrix of cards as nvidia-smi prints it, tabs and all."""
    names = [f"GPU{at}" for at in range(len(codes))]
    head = "\t" + "\t".join([*names, "CPU Affinity", "NUMA Affinity"])
    cores = affinity or ["0-31\t0"] * len(codes)
    rows = [f"{name}\t" + "\t".join([*row, core]) for name, row, core in zip(names, codes, cores, strict=True)]
    return "\n".join(
        [head, *rows, "", "Legend:", "  X    = Self", "  NV#  = Connection traversing a bonded set of NVLinks"]
    )


def uniform(count: int, code: str) -> list[list[str]]:
    return [[" X " if a == b else code for b in range(count)] for a in range(count)]


def pairs(count: int, near: str, far: str) -> list[list[str]]:
    return [[" X " if a == b else near if a // 2 == b // 2 else far for b in range(count)] for a in range(count)]


CODES = st.sampled_from(["NV4", "PIX", "PHB", "SYS"])
UNEVEN = [["X", "NV4", "NV2"], ["NV4", "X", "NV2"], ["NV2", "NV2", "X"]]
TABLE = """
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|   0  NVIDIA A100 80GB PCIe          Off |   00000000:17:00.0 Off |                    0 |
| N/A   34C    P0             46W /  250W |   71234MiB /  81920MiB |     97%      Default |
|                                         |                        |             Disabled |
|   1  NVIDIA A100 80GB PCIe          On  |   00000000:65:00.0 Off |                    2 |
| N/A   88C    P0             46W /  300W |       4MiB /  81920MiB |      0%      Default |
|                                         |                        |             Enabled  |
|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |
|    0   N/A  N/A      4021      C   python                                     71220MiB |
"""


@pytest.mark.parametrize(
    ("codes", "groups", "width"),
    [
        pytest.param(uniform(8, "NV18"), [8], 8, id="nvswitch"),
        pytest.param(pairs(4, "NV4", "SYS"), [2, 2], 2, id="bridged-pairs"),
        pytest.param(uniform(4, "PIX"), [4], 4, id="one-switch"),
        pytest.param(uniform(4, "SYS"), [4], 1, id="all-across-sockets"),
        pytest.param(pairs(8, "PXB", "NODE"), [2, 2, 2, 2], 2, id="switches"),
        pytest.param(uniform(2, "PHB"), [2], 2, id="desktop"),
        pytest.param(uniform(1, "X"), [1], 1, id="single"),
    ],
)
def test_cards_are_grouped_by_the_best_way_between_them(codes: list[list[str]], groups: list[int], width: int) -> None:
    found = read(matrix(codes))
    assert [len(one.devices) for one in found.groups] == groups
    assert found.tensor_parallel == width
    assert sorted(at for one in found.groups for at in one.devices) == list(range(len(codes)))


def test_a_chain_over_nvlink_is_no_group_of_all() -> None:
    codes = [["X", "NV2", "PHB"], ["NV2", "X", "NV2"], ["PHB", "NV2", "X"]]
    assert [len(one.devices) for one in read(matrix(codes)).groups] == [2, 1]


def test_blanks_instead_of_tabs_do_no_harm() -> None:
    text = matrix(pairs(4, "NV12", "SYS"))
    assert read(text.expandtabs(8)).groups == read(text).groups


def test_colours_of_a_terminal_do_no_harm() -> None:
    text = matrix(uniform(2, "NV4"))
    assert read(text.replace("GPU0", "\x1b[4mGPU0\x1b[0m")).groups == read(text).groups


def test_links_carry_what_generation_and_number_allow() -> None:
    found = read(matrix(pairs(4, "NV12", "SYS")), gpu="a100-sxm-80gb")
    speeds = {one.code: one.bytes_per_s for one in found.links}
    assert speeds["NV12"] == pytest.approx(300e9)
    assert speeds["SYS"] is not None
    assert speeds["SYS"] < 32e9


def test_the_nearest_network_card_is_named_by_the_legend() -> None:
    text = (
        "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\tPXB\tSYS\t0-15\t0\n"
        "GPU1\tNV4\t X \tSYS\tPXB\t16-31\t1\nNIC0\tPXB\tSYS\t X \tSYS\nNIC1\tSYS\tPXB\tSYS\t X \n\n"
        "NIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_bond_0\n"
    )
    found = read(text)
    assert [(one.device, one.nic, one.code) for one in found.near_nics] == [
        (0, "mlx5_0", "PXB"),
        (1, "mlx5_bond_0", "PXB"),
    ]
    assert "NCCL_IB_HCA=mlx5_0,mlx5_bond_0" in found.actions
    assert {one.numa_node for one in found.devices} == {0, 1}


def test_the_table_gives_cards_programs_and_what_is_wrong() -> None:
    found = read(TABLE)
    assert (found.driver, found.cuda) == ("550.54.15", "12.4")
    assert {one.gpu for one in found.devices} == {"a100-pcie-80gb"}
    assert [(one.pid, one.name) for one in found.processes] == [(4021, "python")]
    kinds = {one.kind: one.devices for one in found.problems}
    assert kinds["ecc_errors"] == (1,)
    assert kinds["power_capped"] == (0,)
    assert kinds["hot"] == (1,)
    assert kinds["taken"] == (0,)
    assert kinds["mig_on"] == (1,)
    assert kinds["persistence_off"] == (0,)
    assert found.problems[0].severity == "error"
    assert found.warnings


@pytest.mark.parametrize(
    ("codes", "gpu", "kind"),
    [
        pytest.param(uniform(4, "SYS"), None, "cross_socket", id="sockets"),
        pytest.param(uniform(4, "PHB"), None, "no_direct_link", id="no-switch"),
        pytest.param(uniform(8, "SYS"), "h100-sxm-80gb", "fabric_down", id="board-without-fabric"),
        pytest.param(uniform(2, "PHB"), "rtx-3090", "bridge_missing", id="no-bridge"),
        pytest.param(
            [["X", "NV4", "NV2"], ["NV4", "X", "NV2"], ["NV2", "NV2", "X"]], None, "uneven_links", id="uneven"
        ),
    ],
)
def test_problems_of_the_links_are_named(codes: list[list[str]], gpu: str | None, kind: str) -> None:
    found = read(matrix(codes), gpu=gpu)
    problem = next(one for one in found.problems if one.kind == kind)
    assert problem.detail
    assert re.search(r"[一-鿿]", problem.detail_zh)


def test_too_wide_a_group_is_warned_of() -> None:
    text = matrix(pairs(4, "NV4", "SYS"))
    assert any(one.kind == "too_wide" for one in read(text, tensor_parallel=4).problems)
    assert not any(one.kind == "too_wide" for one in read(text, tensor_parallel=2).problems)


def test_links_that_are_down_are_counted() -> None:
    text = "GPU 0: NVIDIA A100\n\t Link 0: 25 GB/s\n\t Link 1: <inactive>\nGPU 1: NVIDIA A100\n\t Link 0: 25 GB/s\n"
    assert read_nvlinks(text) == {0: [25e9, None], 1: [25e9]}
    assert [one.devices for one in read(text).problems if one.kind == "link_down"] == [(0,)]


def of_rocm(codes: list[list[str]], numa: list[int], series: str = "AMD Instinct MI300X VF") -> str:
    """What rocm-smi prints for `--showtopo --showproductname`: weights and hops first, then the kinds of links."""
    names = [f"GPU{at}" for at in range(len(codes))]
    head = "       " + "         ".join(names)

    def square(title: str, rows: list[list[str]]) -> str:
        lines = (f"{name}   " + "         ".join(row) for name, row in zip(names, rows, strict=True))
        return "\n".join([f"=========== {title} between two GPUs ===========", head, *lines, ""])

    apart = [["0" if a == b else "15" for b in range(len(codes))] for a in range(len(codes))]
    kinds = [["0" if a == b else codes[a][b] for b in range(len(codes))] for a in range(len(codes))]
    nodes = [f"GPU[{at}]\t\t: (Topology) Numa Node: {node}" for at, node in enumerate(numa)]
    cards = [f"GPU[{at}]\t\t: Card Series: \t\t{series}" for at in range(len(codes))]
    return "\n".join([square("Weight", apart), square("Hops", apart), square("Link Type", kinds), *nodes, *cards])


@pytest.mark.parametrize(
    ("codes", "numa", "groups", "code"),
    [
        pytest.param(uniform(8, "XGMI"), [0] * 4 + [1] * 4, [8], "XGMI", id="all-by-fabric"),
        pytest.param(
            [["X" if a == b else "XGMI" if a // 4 == b // 4 else "PCIE" for b in range(8)] for a in range(8)],
            [0] * 4 + [1] * 4, [4, 4], "XGMI", id="two-hives",
        ),
        pytest.param(uniform(2, "PCIE"), [0, 0], [2], "PHB", id="one-processor"),
        pytest.param(uniform(2, "PCIE"), [0, 1], [2], "SYS", id="two-processors"),
    ],
)  # fmt: skip
def test_rocm_smi_is_read(codes: list[list[str]], numa: list[int], groups: list[int], code: str) -> None:
    found = read(of_rocm(codes, numa))
    assert [len(one.devices) for one in found.groups] == groups
    assert {one.code for one in found.groups} == {code}
    assert [one.numa_node for one in found.devices] == numa
    assert {one.gpu for one in found.devices} == {"mi300x-192gb"}
    assert found.all_to_all is (code == "XGMI" and len(groups) == 1)
    assert not any("CUDA" in action for action in found.actions)
    assert any("rccl-tests" in action for action in found.actions)


NPUS = """
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.rc1.b030            Version: 24.1.rc1.b030                                        |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 101.8       43                0    / 0             |
| 0                         | 0000:C1:00.0  | 17          0    / 0          61234/ 65536         |
+===========================+===============+====================================================+
| 1     910B3               | Alarm         | 92.5        39                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3162 / 65536         |
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 4021          | python3                  | 58072                   |
"""


def of_npus(codes: list[list[str]], name: str = "NPU") -> str:
    """What npu-smi prints for `info -t topo`."""
    names = [f"{name}{at}" for at in range(len(codes))]
    rows = [f"{one}       " + "       ".join(row) + "       0-23" for one, row in zip(names, codes, strict=True)]
    return "\n".join(["\t   " + "       ".join(names) + "       CPU Affinity", *rows, "", "Legend:", "  X    = Self"])


@pytest.mark.parametrize(
    ("codes", "name", "groups"),
    [
        pytest.param(uniform(8, "HCCS"), "NPU", [8], id="all-by-hccs"),
        pytest.param(pairs(8, "UB", "SYS"), "NPU", [2, 2, 2, 2], id="pairs-by-ub"),
        pytest.param(pairs(4, "SIO", "HCCS_SW"), "Phy-ID", [2, 2], id="two-dies-a-card"),
        pytest.param(pairs(4, "PIX", "NA"), "NPU", [2, 2], id="unknown-ways"),
    ],
)
def test_npu_smi_topology_is_read(codes: list[list[str]], name: str, groups: list[int]) -> None:
    found = read(of_npus(codes, name))
    assert [len(one.devices) for one in found.groups] == groups
    assert {one.code for one in found.groups} == {codes[0][1]}
    assert not any("CUDA" in action or "nccl" in action for action in found.actions)


def test_the_table_of_npu_smi_gives_cards_health_and_programs() -> None:
    found = read(NPUS + of_npus(uniform(2, "HCCS")))
    assert [one.gpu for one in found.devices] == ["ascend-910b3-64gb"] * 2
    assert [one.memory_used_bytes for one in found.devices] == [61234 * 2**20, 3162 * 2**20]
    assert [(one.device, one.pid, one.name) for one in found.processes] == [(0, 4021, "python3")]
    kinds = {one.kind: one.devices for one in found.problems}
    assert (kinds["unhealthy"], kinds["taken"]) == ((1,), (0,))
    assert found.driver == "24.1.rc1.b030"
    assert found.all_to_all


def test_a_card_of_quite_another_memory_is_another_card() -> None:
    shared = NPUS.replace("910B3    ", "Ascend910")
    assert [one.gpu for one in read(shared).devices] == [None, None]
    assert [one.gpu for one in read(shared.replace("65536", "32768")).devices] == ["ascend-910a-32gb"] * 2


def test_what_is_neither_is_refused_with_the_command_to_run() -> None:
    with pytest.raises(BadInput, match="nvidia-smi topo -m"):
        read("hello")


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300) | st.text(alphabet="GPUNICX0123456789VPHBSYS \t\n|/:-", max_size=400))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(BadInput):
        assert read(text or "x").devices is not None


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 10).flatmap(
        lambda n: st.lists(st.sampled_from(["NV4", "PIX", "PHB", "SYS"]), min_size=n * n, max_size=n * n)
    )
)
def test_every_card_is_in_exactly_one_group(codes: list[str]) -> None:
    count = int(len(codes) ** 0.5)
    square = [[" X " if a == b else codes[min(a, b) * count + max(a, b)] for b in range(count)] for a in range(count)]
    found = read(matrix(square))
    assert sorted(at for one in found.groups for at in one.devices) == list(range(count))
    parsed = read_matrix(matrix(square))
    assert parsed is not None
    for one in found.groups:
        for a in one.devices:
            assert all(parsed.cells[f"GPU{a}", f"GPU{b}"] == square[a][b].strip() for b in one.devices)
