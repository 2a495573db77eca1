"""Sizes, lengths and methods in a question about pictures, video or post-training."""

from typing import Any

import pytest

from assistant.understand import understand

CASES: list[tuple[str, dict[str, Any]]] = [
    ("yolov8m 训练 imgsz 1280 batch 8，12G 的 3060 够不够", {"width_px": 1280, "batch_size": 8}),
    ("YOLOv9c at 832 resolution, bs 4 on a 3070", {"width_px": 832}),
    ("yolov4 训练 512 输入，6G 显卡", {"width_px": 512}),
    ("SwinUNETR with patches of 128x128x64", {"width_px": 64, "height_px": 128, "frames": 128}),
    ("nnUNet patch 96^3 训练", {"width_px": 96, "frames": 96}),
    ("nougat on pages of 896x672", {"width_px": 896, "height_px": 672}),
    ("Wan2.1 14B 720p 81 帧", {"width_px": 1280, "height_px": 720, "frames": 81}),
    ("Qwen2-VL-7B lora，平均 45 秒的视频", {"video_s": 45.0}),
    ("describe 2-minute clips at 1 fps with Qwen2.5-VL-3B", {"video_s": 120.0, "frames_per_s": 1.0}),
    ("InternVL3-8B 每条样本 4 张图 微调", {"images_per_sample": 4}),
    ("two 3090s for a 7B model", {"width_px": None, "video_s": None}),
    ("finish training Qwen2.5-7B in 30 seconds", {"video_s": None}),
    ("Qwen3-VL-8B 8 张 1080p 图片每个请求，一张 A100 80G", {"images_per_sample": 8}),
    ("full GRPO of Qwen2.5-3B with verl", {"method": "grpo"}),
    ("my GRPOTrainer run of Qwen2.5-3B", {"method": "grpo"}),
    ("Qwen2.5-VL-7B, images up to 12 per sample", {"images_per_sample": 12}),
    ("PPO 训练 Llama-3-8B", {"method": "ppo"}),
    ("DPO on a 13B", {"method": "dpo"}),
    ("DAPO 训 Qwen3-14B", {"method": "grpo"}),
    ("could 4×4090 do open-r1?", {"method": "grpo", "task": "full_finetune"}),
    ("SFT of Llama-3-8B", {"method": None}),
    ("GRPO Qwen3-4B num_generations=16", {"generations": 16}),
    ("蒸馏：teacher 32B，student 1.5B 全参", {"frozen_params": 32 * 10**9, "params": 1_500_000_000}),
    ("Qwen2.5-14B AWQ + bge-m3 + bge-reranker-v2-m3 一张 24G", {"frozen_params": 567_754_752 * 2}),
    ("flux dev in ComfyUI on 12GB", {"offload": "components"}),
    ("Wan2.1 14B block swap 24G", {"offload": "all"}),
    ("Qwen-Image bf16 with and without offload", {"offload": None}),
]


@pytest.mark.parametrize(("text", "wanted"), [pytest.param(*case, id=case[0][:24]) for case in CASES])
def test_is_read(text: str, wanted: dict[str, Any]) -> None:
    need = understand(text, None).need
    assert {slot: getattr(need, slot) for slot in wanted} == wanted


def test_pictures_are_no_cards() -> None:
    need = understand("Qwen3-VL-8B 推理 8 张 1080p 图片每个请求，一张 A100 80G 够吗", None).need
    assert [(card.gpu, card.count) for card in need.gpus_owned] == [("a100-sxm-80gb", 1)]
