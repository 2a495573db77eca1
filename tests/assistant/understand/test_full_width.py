"""Letters and digits of full width are the same letters and digits."""

import pytest

from assistant.understand import understand


@pytest.mark.parametrize("text", ["Can a 4090 run Qwen2.5-14B int4?", "What is the difference between AWQ and GPTQ?"])
def test_full_width_reads_as_half_width(text: str) -> None:
    wide = "".join(chr(ord(one) + 0xFEE0) if one.isalnum() else one for one in text)
    plain, other = understand(text), understand(wide)
    assert other.need == plain.need
    assert other.text == plain.text
