from assistant.compose.citations import Citations, joined


def test_markers_follow_the_order_in_the_text() -> None:
    cites = Citations()
    first = cites.cite("catalog", "A", "row-a", "fact a")
    second = cites.cite("catalog", "B", "row-b", "fact b")
    text, used = cites.used_in(f"b {second}, then a {first}, b again {second}")
    assert text == "b [1], then a [2], b again [1]"
    assert [citation.title for citation in used] == ["B", "A"]
    assert [citation.marker for citation in used] == [1, 2]


def test_a_source_that_is_not_used_is_not_listed() -> None:
    cites = Citations()
    cites.cite("catalog", "A", "row-a", "fact a")
    assert cites.used_in("nothing here") == ("nothing here", ())


def test_the_same_place_and_quote_keep_their_marker() -> None:
    cites = Citations()
    assert cites.cite("document", "A", "a.md:1", "x") == cites.cite("document", "A", "a.md:1", "x")
    assert cites.cite("document", "A", "a.md:1", "x") != cites.cite("document", "A", "a.md:1", "y")


def test_a_bracketed_number_that_is_no_marker_stays() -> None:
    assert Citations().used_in("see [7]") == ("see [7]", ())


def test_joined_drops_repeats_and_empties() -> None:
    assert joined(["[1]", "", "[2]", "[1]"]) == " [1][2]"
    assert joined([]) == ""
