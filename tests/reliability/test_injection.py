"""The corpus of attacks covers what it should; whether any gets through is measured by `make reliability`."""

from attacks import attacks


def test_the_design_covers_every_goal_carrier_and_disguise() -> None:
    chosen = attacks(400)
    assert len({attack.name for attack in chosen}) == 400
    assert {len({attack.goal.name for attack in chosen}), len({attack.carrier for attack in chosen})} == {14, 8}
    assert len({attack.disguise for attack in chosen}) == 16
