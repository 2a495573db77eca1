"""Results stand under keys in the order of their calls, and the oldest are forgotten."""

from concurrent.futures import ThreadPoolExecutor

from tools.agent_tools.ledger import KEPT_MAX, Ledger, LookedUp


def one(key: str, **shown: object) -> LookedUp:
    return LookedUp(key=key, tool="look_up", request={}, shown=shown)


def test_keys_go_on_where_the_former_turns_ended() -> None:
    ledger = Ledger([one("R1"), one("R7")])
    assert ledger.next_key() == "R8"
    ledger.keep(one("R8"))
    assert [each.key for each in ledger.all] == ["R1", "R7", "R8"]
    assert [each.key for each in ledger.new] == ["R8"]


def test_a_result_is_found_however_its_key_is_written() -> None:
    ledger = Ledger([one("R2", a="b")])
    assert all(ledger.find(key) is ledger.all[0] for key in ("R2", "r2", "[R2]", "[[R2]]", "{{r2}}", " R2 "))
    assert ledger.find("R3") is None


def test_calls_that_end_out_of_order_stand_in_the_order_of_their_keys() -> None:
    ledger = Ledger()
    first, second, third = (ledger.next_key() for _ in range(3))
    for key in (third, first, second):
        ledger.keep(one(key))
    assert [each.key for each in ledger.all] == ["R1", "R2", "R3"]


def test_the_oldest_are_forgotten_and_new_ones_stay_new() -> None:
    ledger = Ledger([one("R1"), one("R2")])
    for _ in range(KEPT_MAX):
        ledger.keep(one(ledger.next_key()))
    assert len(ledger.all) == KEPT_MAX
    assert ledger.find("R1") is None
    assert [each.key for each in ledger.new] == [f"R{number}" for number in range(3, KEPT_MAX + 3)]


def test_keys_are_given_once_between_threads() -> None:
    ledger = Ledger()
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: ledger.keep(one(ledger.next_key())).key, range(80)))
    assert len(set(keys)) == 80
    assert [each.key for each in ledger.all] == [f"R{number}" for number in range(1, 81)]


def test_a_refusal_is_kept_and_known_as_one() -> None:
    assert one("R1", error={"code": "x"}).failed
    assert not one("R1", answer={}).failed
