"""The plan by which a delivered machine is accepted: commands, and limits from the catalog and the calculators."""

from collections.abc import Iterator, Sequence

from kb.base import AdvisorError
from kb.programs.launch import BusBandwidth, launch_facts
from kb.units import GB, GIB
from tools.launch.result import AcceptanceCheck, LaunchFile
from tools.launch.setting import Setting
from tools.launch.shell import HEAD
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest

BENCH_INPUT, BENCH_OUTPUT = 1024, 512
"""Tokens of the prompts and answers of the benchmark."""


def checks(setting: Setting) -> tuple[AcceptanceCheck, ...]:
    """Every test, in the order to run them: what takes seconds first, what takes hours last but one."""
    return (*_inventory(setting), *_health(setting), *_links(setting), *_work(setting))


def _inventory(setting: Setting) -> Iterator[AcceptanceCheck]:
    card, count = setting.card, setting.per_node
    yield AcceptanceCheck(
        name="cards", command="nvidia-smi --query-gpu=index,name,memory.total,ecc.mode.current --format=csv",
        passes=f"{count} × {card.name}", passes_zh=f"{count} × {card.name}",
        low=count, high=count, unit="gpus",
    )  # fmt: skip
    yield AcceptanceCheck(
        name="memory", command="nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits",
        passes=f"at least {card.usable_bytes / GIB:.1f} GiB on every card",
        passes_zh=f"每张卡不少于 {card.usable_bytes / GIB:.1f} GiB", low=card.usable_bytes, unit="bytes",
    )  # fmt: skip
    if card.pcie:
        yield AcceptanceCheck(
            name="slot", command="nvidia-smi --query-gpu=pcie.link.gen.max,pcie.link.width.max --format=csv,noheader",
            passes=f"PCIe {card.pcie} with 16 lanes on every card", passes_zh=f"每张卡 PCIe {card.pcie} ×16",
            low=float(card.pcie.split()[0]), unit="pcie_generation",
        )  # fmt: skip
    if card.tdp_w:
        yield AcceptanceCheck(
            name="power limit", command="nvidia-smi --query-gpu=power.max_limit --format=csv,noheader,nounits",
            passes=f"at least {card.tdp_w} W on every card", passes_zh=f"每张卡不低于 {card.tdp_w} W",
            low=card.tdp_w, unit="w",
        )  # fmt: skip


def _health(setting: Setting) -> Iterator[AcceptanceCheck]:
    facts, card = launch_facts().acceptance, setting.card
    yield AcceptanceCheck(name="errors", command="nvidia-smi -q -d ECC,ROW_REMAPPER | grep -E 'Uncorrectable|Pending'",
                          passes="every uncorrectable count 0, nothing pending",
                          passes_zh="不可纠正错误全为 0，没有待处理项", high=0, unit="errors")  # fmt: skip
    if card.market == "data_center":
        yield AcceptanceCheck(
            name="diagnosis", command="dcgmi diag -r 3", passes="every test Pass", passes_zh="各项均为 Pass"
        )
    if card.bandwidth_bytes_per_s:
        limit = facts.memory_bandwidth_ratio
        low = (limit.low or 0) * card.bandwidth_bytes_per_s
        yield AcceptanceCheck(
            name="memory bandwidth", command="nvbandwidth -t device_local_copy",
            passes=f"at least {low / GB:,.0f} GB/s of {card.bandwidth_bytes_per_s / GB:,.0f} GB/s stated, "
            "reading and writing counted together",
            passes_zh=f"读写合计不低于 {low / GB:,.0f} GB/s（标称 {card.bandwidth_bytes_per_s / GB:,.0f} GB/s）",
            low=low, unit="bytes_per_s", source=limit.source,
        )  # fmt: skip
    seconds, hot = int(facts.burn_s.value or 0), facts.hot_c.value
    yield AcceptanceCheck(
        name="burn-in", command=f"gpu_burn -tc {seconds}", source=facts.hot_c.source,
        passes=f"{seconds // 3600} hours without an error, no card above {hot:g} °C, no clock slowdown "
        "(nvidia-smi -q -d PERFORMANCE)",
        passes_zh=f"{seconds // 3600} 小时无错误，任何一张卡不超过 {hot:g} °C，不降频（nvidia-smi -q -d PERFORMANCE）",
        high=hot, unit="c",
    )  # fmt: skip


def _links(setting: Setting) -> Iterator[AcceptanceCheck]:
    count = setting.per_node
    if count > 1:
        yield AcceptanceCheck(
            name="topology", command="nvidia-smi topo -m", passes=_topology(setting)[0], passes_zh=_topology(setting)[1]
        )
        row = _bus(setting)
        if row is not None:
            yield AcceptanceCheck(
                name="all-reduce", command=f"all_reduce_perf -b 1G -e 8G -f 2 -g {count}",
                passes=f"bus bandwidth at least {row.low_bytes_per_s / GB:.0f} GB/s; "
                f"{row.usual_bytes_per_s / GB:.0f} GB/s is usual on {row.gpus} cards",
                passes_zh=f"总线带宽不低于 {row.low_bytes_per_s / GB:.0f} GB/s；{row.gpus} 卡通常 "
                f"{row.usual_bytes_per_s / GB:.0f} GB/s",
                low=row.low_bytes_per_s, unit="bytes_per_s", source=row.source,
            )  # fmt: skip
    limit = launch_facts().acceptance.fio_bytes_per_s
    yield AcceptanceCheck(
        name="disk", command="fio --name=read --rw=read --bs=1M --size=32G --iodepth=32 --ioengine=libaio --direct=1 "
        "--filename=./fio.test --unlink=1",
        passes=f"at least {(limit.low or 0) / GB:.0f} GB/s: a checkpoint loads in a minute or two",
        passes_zh=f"不低于 {(limit.low or 0) / GB:.0f} GB/s：一两分钟能加载完权重",
        low=limit.low, unit="bytes_per_s", source=limit.source,
    )  # fmt: skip


def _topology(setting: Setting) -> tuple[str, str]:
    if setting.card.nvlink_bytes_per_s and setting.card.form_factor.upper().startswith("SXM"):
        return "NV# between every two cards", "任意两张卡之间都是 NV#"
    return "no SYS within a tensor-parallel group", "张量并行组内没有 SYS"


def _bus(setting: Setting) -> BusBandwidth | None:
    """The row of the links these cards have; null where no measurement of their kind is known.

    Bus bandwidth hardly depends on how many cards of a switched board take part: that is what it is for.
    """
    rows = {row.link: row for row in launch_facts().acceptance.nccl}
    card = setting.card
    if card.form_factor.upper().startswith("SXM"):
        return rows.get(card.architecture)
    return rows["pcie5"] if (card.pcie or "").startswith("5") else None


def _work(setting: Setting) -> Iterator[AcceptanceCheck]:
    """The very work, held against the interval of the speed calculator; reserving says nothing of speed."""
    if setting.program not in {"vllm", "sglang"}:
        return
    sequences = setting.sequences * setting.data
    try:
        speed = estimate_inference_speed(
            InferenceSpeedRequest.model_validate(
                {
                    "model": setting.request.model, "gpu": setting.card.id, "gpu_count": setting.request.gpu_count,
                    "weight_format": setting.request.weight_format, "kv_format": setting.request.kv_format,
                    "tensor_parallel": setting.tensor, "pipeline_parallel": setting.pipeline,
                    "engine": setting.program, "concurrent_sequences": sequences, "input_tokens": BENCH_INPUT,
                    "output_tokens": BENCH_OUTPUT,
                }
            )
        )  # fmt: skip
    except AdvisorError:
        return
    total = speed.tokens_per_s_total
    if total is None:
        return
    port = setting.engine.port if setting.engine else 8000
    yield AcceptanceCheck(
        name="throughput",
        command=f"vllm bench serve --backend vllm --base-url http://127.0.0.1:{port} --model "
        f"{setting.checkpoint or setting.model.id} --served-model-name {setting.model.name} --dataset-name random "
        f"--random-input-len {BENCH_INPUT} --random-output-len {BENCH_OUTPUT} --ignore-eos "
        f"--max-concurrency {sequences} --num-prompts {4 * sequences}",
        passes=f"output at least {total.low:,.0f} tokens/s; {total.value:,.0f} expected, up to {total.high:,.0f}",
        passes_zh=f"输出不低于 {total.low:,.0f} tokens/s；预计 {total.value:,.0f}，上限 {total.high:,.0f}",
        low=total.low, high=total.high, unit="tokens_per_s",
    )  # fmt: skip


def files(found: Sequence[AcceptanceCheck]) -> Iterator[LaunchFile]:
    """The plan as a table to sign, and as a script that runs every command and keeps what it said."""
    rows = "\n".join(f"| {one.name} | `{one.command.replace('|', chr(92) + '|')}` | {one.passes} | |" for one in found)
    yield LaunchFile(
        name="acceptance.md", language="markdown",
        content=f"# Acceptance test\n\n| test | command | passes when | result |\n|---|---|---|---|\n{rows}\n",
    )  # fmt: skip
    lines = [HEAD + "mkdir -p acceptance"]
    for number, one in enumerate(found, 1):
        log = f"acceptance/{number:02d}-{one.name.replace(' ', '-')}.log"
        lines.append(f"# {one.passes}\n({one.command}) > {log} 2>&1 || echo 'did not finish: {one.name}, see {log}'")
    yield LaunchFile(name="acceptance.sh", language="bash", content="\n".join(lines) + "\n")
