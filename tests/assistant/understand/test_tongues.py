"""What is asked in other languages: the question is known, though the answer is in English."""

import pytest

from assistant.understand import understand


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("¿Qué velocidad tendré con Mistral 7B en una RTX 3060?", "speed"),
        ("Wie schnell läuft Llama 3.1 8B Q4 auf einer RTX 4070?", "speed"),
        ("quelle vitesse pour Qwen2.5 14B en Q4 sur une 4080 ?", "speed"),
        ("Какая скорость у Llama 3.1 8B на RTX 3090?", "speed"),
        ("RTX 4090 で Qwen2.5 32B Q4 は何トークン/秒 出ますか", "speed"),
        ("¿Cuánto tarda un QLoRA de Llama 3.1 8B con 20k muestras de 500 tokens en una 4090?", "training_time"),
        ("Wie lange dauert LoRA von Mistral 7B mit 10M Tokens auf einer 3090?", "training_time"),
        ("Wie viel VRAM braucht Gemma 2 27B?", "min_vram"),
        ("сколько видеопамяти нужно для Qwen2.5 72B?", "min_vram"),
        ("Kann ich Llama 3.1 70B auf zwei RTX 3090 laufen lassen?", "can_it_run"),
        ("Puis-je lancer Mixtral 8x7B sur une RTX 4090 ?", "can_it_run"),
    ],
)
def test_the_question_is_known(text: str, intent: str) -> None:
    assert understand(text).need.intent == intent
