"""Every rule fires on what it is about, stays quiet on what is right, and its correction stands."""

import pytest

from tools.check_setup import SetupCheck, SetupRequest, check_setup
from tools.check_setup.rulebook import Rule, rules, rules_of, sources

LEAST_RULES = 250
WRAPPED = (
    "services:\n"
    "  one:\n"
    "    image: local/image:1\n"
    "    ipc: host\n"
    "    gpus: all\n"
    "    volumes: ['/a:/a']\n"
    '    command: bash -c "{}"\n'
)
TOLD_OF_THE_SHELL = ("written.", "serve.port-twice", "serve.share-of-one-card", "container.", "serve.idle-cards")


def checked(text: str, rule: Rule) -> SetupCheck:
    return check_setup(SetupRequest.model_validate({"text": text} | ({"cards": rule.cards} if rule.cards else {})))


def names(result: SetupCheck) -> set[str]:
    return {one.rule for one in result.findings}


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_a_rule_fires_where_it_should_and_only_there(rule: Rule) -> None:
    for text in rule.fails:
        found = checked(text, rule)
        assert rule.id in names(found), text
        told = next(one for one in found.findings if one.rule == rule.id)
        assert "?" not in told.why.en + told.fix.en + told.why.zh + told.fix.zh, told
        assert 1 <= told.line <= text.count("\n") + 1
    for text in rule.passes:
        found = checked(text, rule)
        assert found.programs, text
        assert rule.id not in names(found), text


@pytest.mark.parametrize("rule", [rule for rule in rules() if rule.set or rule.drop], ids=lambda rule: rule.id)
def test_a_finding_that_says_it_is_corrected_is_gone_from_the_corrected_text(rule: Rule) -> None:
    for text in rule.fails:
        found = checked(text, rule)
        told = [one for one in found.findings if one.corrected]
        if told and found.corrected_text is not None:
            again = check_setup(SetupRequest.model_validate(
                {"text": found.corrected_text} | ({"cards": rule.cards} if rule.cards else {})
            ))  # fmt: skip
            assert not {one.rule for one in told} & names(again), found.corrected_text
            assert set(found.remaining) == names(again)


def test_most_corrections_are_made() -> None:
    wanted = made = 0
    for rule in rules():
        if rule.set or rule.drop:
            for text in rule.fails:
                wanted += 1
                made += any(one.corrected for one in checked(text, rule).findings if one.rule == rule.id)
    assert made / wanted > 0.9


def test_there_are_as_many_rules_as_the_examples_can_carry() -> None:
    assert len(rules()) >= LEAST_RULES
    assert all(rule.source in sources() for rule in rules())
    assert all(rule.fails and rule.passes for rule in rules())


def test_most_rules_show_two_artifacts() -> None:
    assert sum(len(rule.fails) >= 2 for rule in rules()) / len(rules()) > 0.95


def test_a_rule_of_a_command_fires_in_a_container_too() -> None:
    """What is wrong with a command is wrong with it in a manifest."""
    tried = fired = 0
    for rule in rules_of("vllm"):
        first = rule.fails[0]
        if rule.id.startswith(TOLD_OF_THE_SHELL) or not first.startswith("vllm serve") or '"' in first or "'" in first:
            continue
        tried += 1
        fired += rule.id in names(checked(WRAPPED.format(first.replace("\\\n", " ").strip()), rule))
    assert tried > 20
    assert fired / tried > 0.95
