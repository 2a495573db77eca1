"""Fields of the set-up that words tell in passing: the system it runs on, weights that are narrowed while they load."""

from kb.observation import Scalar, observation_facts, wording


def in_words(text: str) -> dict[str, Scalar]:
    """Field → value, by the first wording of each field that the text holds."""
    found: dict[str, Scalar] = {}
    for row in observation_facts().settings["fields_in_words"]:
        if row["field"] not in found and wording(row["words"]).search(text):
            found[row["field"]] = row["value"]
    return found
