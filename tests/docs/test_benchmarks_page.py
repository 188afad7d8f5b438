"""`make bench` writes its sections into the page and leaves the others."""

from benchmarks.bench import BEGIN, END, PAGE, replace_sections

PAGE_BEFORE = f"# Page\n\n{BEGIN}\n## One\n\nold one\n\n## Two\n\nold two\n{END}\n\nThe end.\n"


def test_measured_sections_replace_those_of_the_same_title():
    page = replace_sections(PAGE_BEFORE, {"Two": "new two", "Three": "| new | three |"})
    assert page == (
        f"# Page\n\n{BEGIN}\n## One\n\nold one\n\n## Two\n\nnew two\n\n## Three\n\n| new | three |\n{END}\n\nThe end.\n"
    )


def test_nothing_measured_leaves_the_page_as_it_is():
    page = PAGE.read_text(encoding="utf-8")
    assert replace_sections(page, {}) == page
