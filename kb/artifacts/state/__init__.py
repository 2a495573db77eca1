"""State: what tools print of a machine as it stands."""

from kb.artifacts.artifact import Format
from kb.artifacts.state import (
    amd_smi,
    host,
    kubernetes,
    matrix,
    npu_smi,
    nvidia_csv,
    nvidia_dmon,
    nvidia_list,
    nvidia_query,
    nvidia_smi,
    ollama,
)

FORMATS: tuple[Format, ...] = (
    nvidia_smi.FORMAT, nvidia_query.FORMAT, nvidia_csv.FORMAT, nvidia_dmon.FORMAT, nvidia_list.FORMAT,
    nvidia_list.INSTANCES, matrix.FORMAT, matrix.LINKS, amd_smi.FORMAT, amd_smi.TABLE, amd_smi.TREE, npu_smi.FORMAT,
    npu_smi.XPU, host.FREE, host.LSCPU, host.LSPCI, kubernetes.JSON, kubernetes.DESCRIBE, ollama.FORMAT, ollama.SHOW,
)  # fmt: skip
