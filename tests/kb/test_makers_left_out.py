"""Catalog names are read without the maker before them."""

import pytest

from kb.catalog import gpu


@pytest.mark.parametrize(
    ("name", "card"),
    [("RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-bw-server-96gb"),
     ("RTX PRO 6000 Blackwell Workstation Edition", "rtx-pro-6000-bw-ws-96gb")],
)  # fmt: skip
def test_the_makers_name_is_read_without_the_maker(name: str, card: str) -> None:
    assert gpu(name).id == card
    assert gpu(f"NVIDIA {name}").id == card
