"""The data dictionary leads its reader: marts first, a question for each, and links that have a target."""

import re
from collections import Counter

from innspect.warehouse.dictionary import data_dictionary, heading_anchor
from innspect.warehouse.marts.registry import mart_comments, mart_questions

PAGE = data_dictionary()
HEADINGS = re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)


def test_every_link_of_the_contents_has_one_target():
    anchors = Counter(map(heading_anchor, HEADINGS))
    links = re.findall(r"\]\(#([^)]+)\)", PAGE)
    assert len(links) > 60
    assert {link: anchors[link] for link in links if anchors[link] != 1} == {}


def test_marts_come_first_and_each_answers_its_own_question():
    first, *_ = (heading for heading in HEADINGS if "." in heading)
    assert first == f"mart.{next(iter(mart_comments()))}"
    questions = mart_questions()
    assert questions.keys() == mart_comments().keys()
    assert len(set(questions.values())) == len(questions)
    for question in questions.values():
        assert PAGE.count(question) == 2, "in the contents and at the mart"
