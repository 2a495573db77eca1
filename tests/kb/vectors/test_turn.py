"""A question's vector is turned towards what answers it, and stays a direction."""

from pathlib import Path

import numpy as np
import pytest
from bench_retrieval import FIRST, section_of, sections_of
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.vectors.embedder import Bilingual, embedder
from kb.vectors.turn import TABLE, Turn, store_turn, turn

SIZE = 384


def packaged() -> Bilingual:
    model = embedder()
    assert isinstance(model, Bilingual)
    return model


@given(st.integers(0, 2**32 - 1), st.sampled_from(["en", "zh"]))
@settings(max_examples=30, deadline=None)
def test_what_is_turned_stays_a_unit_vector_and_nearer_to_itself_than_to_its_opposite(seed: int, language: str) -> None:
    vector = np.random.default_rng(seed).standard_normal(SIZE).astype(np.float32)
    vector /= np.linalg.norm(vector)
    turned = turn().of(vector, language)
    assert np.linalg.norm(turned) == pytest.approx(1, abs=1e-5)
    assert turned @ vector > 0.3


def test_a_language_without_a_matrix_is_left_as_it_is() -> None:
    vector = np.eye(SIZE, dtype=np.float32)[3]
    assert turn().of(vector, "fr") is vector


def test_a_matrix_is_read_as_it_was_written(tmp_path: Path) -> None:
    matrix = np.random.default_rng(5).standard_normal((SIZE, SIZE)).astype(np.float32)
    path = tmp_path / "turn.npz"
    store_turn({"en": matrix}, path)
    with np.load(path) as held:
        read = held["en_rows"] * held["en_scales"][:, None]
    assert np.abs(read - matrix).max() <= np.abs(matrix).max() / 127
    assert path.stat().st_size < TABLE.stat().st_size


def test_a_turn_of_nothing_changes_nothing() -> None:
    vector = np.eye(SIZE, dtype=np.float32)[0]
    assert Turn({"en": np.zeros((SIZE, SIZE), np.float32)}).of(vector, "en") == pytest.approx(vector)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_questions_that_were_in_no_fit_come_nearer_to_the_sections_that_answer_them(language: str) -> None:
    model = packaged()
    answers = {(slug, one.section): one for slug, chunks in sections_of("en") for one in chunks[::-1]}
    cases = FIRST["questions"]
    sections = sorted({section_of(case["at"]) for case in cases})
    passages = model.passages([answers[one].text for one in sections])
    right = np.array([sections.index(section_of(case["at"])) for case in cases])

    def places(vectors: np.ndarray) -> np.ndarray:
        """How many sections lie nearer to each question than the right one."""
        cosines = vectors @ passages.T
        return np.asarray((cosines > cosines[np.arange(len(right)), right][:, None]).sum(axis=1))

    plain = places(np.stack([model.unturned(case[language]) for case in cases]))
    turned = places(np.stack([model.query(case[language]) for case in cases]))
    assert np.mean(1 / (1 + turned)) > np.mean(1 / (1 + plain))
