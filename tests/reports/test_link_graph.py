"""The graph of people and companies around an INN: what is in it, how sure it is, and that it can be read."""

import random
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from innspect.reports.i18n.catalog import translations
from innspect.reports.link_graph.draw import SHEET_PX, draw_link_graph, draw_network
from innspect.reports.link_graph.graph_layout import Box, LayoutEdge, lay_out
from innspect.reports.link_graph.link_facts import LinkFact
from innspect.reports.link_graph.link_graph import (
    MAX_NODES,
    MAX_NODES_AT_ONE_DISTANCE,
    LinkNetwork,
    Node,
    NodeKind,
    merge_facts,
    read_link_network,
)
from innspect.reports.link_graph.text_width import break_lines, text_width
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import add_members, blocks, full_check_response, load

FIRST, SECOND, THIRD, FAR = "7707083893", "7736050003", "7812014560", "7701000006"
PERSON, OWNER = "770000000017", "500100732259"
PHONE, PHONE_NODE = "+7 (495) 123-45-67", "phone:4951234567"
NAMED = "name:РЮМИН СЕМЕН ЛЬВОВИЧ"
RU, EN = translations("ru", "Europe/Moscow"), translations("en", "Europe/Moscow")
Open = Callable[[], Warehouse]


def person(name: str, inn: str = "") -> dict[str, str]:
    return {"name": name, "inn": inn}


@pytest.fixture(scope="module")
def opening(create_empty_warehouse: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Open an empty warehouse; it is closed with the module."""
    opened: list[Warehouse] = []

    def new() -> Warehouse:
        opened.append(Warehouse(create_empty_warehouse(tmp_path_factory.mktemp("graph") / "warehouse.duckdb")))
        return opened[-1]

    yield new
    for warehouse in opened:
        warehouse.close()


@pytest.fixture(scope="module")
def warehouse(opening: Open) -> Warehouse:
    """Three companies that share a director, a phone or a name; the third names a company that is far from the first."""
    warehouse = opening()
    director, namesake = person("Иванов Пётр Ильич", PERSON), person("Рюмин Семён Львович")
    founder = person("Ким О. Е.", OWNER)
    cards = {
        FIRST: {"short_name": 'ООО "А<Б"', "directors": [director, namesake], "founders": [founder], "phone": PHONE},
        SECOND: {"directors": [director], "founders": [director]},
        THIRD: {"directors": [namesake], "founders": [person("ООО Д", FAR)], "phone": PHONE},
    }
    add_members(warehouse, *cards)
    load(warehouse, *(full_check_response(inn, blocks(company=card)) for inn, card in cards.items()))
    return warehouse


@pytest.fixture(scope="module")
def network(warehouse: Warehouse) -> LinkNetwork:
    return read_link_network(warehouse, FIRST)


def roles_by_pair(network: LinkNetwork) -> dict[tuple[str, str], list[str]]:
    return {(edge.source, edge.target): [fact.role for fact in edge.facts] for edge in network.edges}


def test_graph_reaches_to_the_distance_of_two(network: LinkNetwork) -> None:
    depths = {node.key: node.depth for node in network.nodes}
    assert depths == {FIRST: 0, PERSON: 1, OWNER: 1, NAMED: 1, PHONE_NODE: 1, SECOND: 2, THIRD: 2}
    assert roles_by_pair(network) == {
        (PERSON, FIRST): ["director"],
        (PERSON, SECOND): ["director", "founder"],
        (OWNER, FIRST): ["founder"],
        (NAMED, FIRST): ["director"],
        (NAMED, THIRD): ["director"],
        (PHONE_NODE, FIRST): ["phone"],
        (PHONE_NODE, THIRD): ["phone"],
    }
    assert network.hidden == {}


def test_what_only_a_name_connects_is_not_sure(network: LinkNetwork) -> None:
    uncertain = {(edge.source, edge.target) for edge in network.edges if not edge.is_certain}
    assert uncertain == {(NAMED, FIRST), (NAMED, THIRD)}
    assert next(node.kind for node in network.nodes if node.key == NAMED) is NodeKind.NAMED


def test_who_was_never_requested_has_no_level(network: LinkNetwork) -> None:
    levels = {node.key: node.level for node in network.nodes}
    assert levels[PERSON] is None
    assert levels[FIRST] is not None


def test_drawing_names_levels_doubts_and_what_is_not_checked(warehouse: Warehouse) -> None:
    graph = draw_link_graph(warehouse, FIRST, RU, link_to=lambda inn: f"{inn}.html" if inn == SECOND else None)
    assert graph.svg is not None
    root = ElementTree.fromstring(graph.svg)
    titles = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles[0] == f'Люди и компании вокруг ООО "А<Б", ИНН {FIRST}'
    assert f"Иванов Пётр Ильич, {PERSON}, не проверено" in titles
    assert "Рюмин Семён Львович, только по имени" in titles
    assert any(title.endswith(f"руководитель ({RU('links.namesake')})") for title in titles)
    assert f'<a href="{SECOND}.html">' in graph.svg
    assert graph.svg.count("<a ") == 1
    assert RU("graph.unchecked_note") in graph.remarks
    words = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"∅", RU("graph.unchecked"), RU("graph.line.sure"), RU("links.namesake")} <= words


def test_words_are_in_the_language(warehouse: Warehouse) -> None:
    graph = draw_link_graph(warehouse, FIRST, EN)
    assert graph.svg is not None
    assert all(f">{word}<" in graph.svg for word in ("not checked", "director", "by name only"))


def test_same_data_gives_the_same_bytes(warehouse: Warehouse) -> None:
    assert draw_link_graph(warehouse, FIRST, RU) == draw_link_graph(warehouse, FIRST, RU)


@pytest.mark.long
def test_silence_of_the_source_makes_links_dashed_and_removes_none(opening: Open) -> None:
    warehouse = opening()
    card = {"directors": [person("Иванов Пётр Ильич", PERSON)]}
    load(warehouse, full_check_response(FIRST, blocks(company=card)))
    before = read_link_network(warehouse, FIRST)
    assert [edge.is_current for edge in before.edges] == [True]
    load(warehouse, full_check_response(FIRST, {}), start=10)
    after = read_link_network(warehouse, FIRST)
    assert roles_by_pair(after) == roles_by_pair(before)
    assert [edge.is_current for edge in after.edges] == [False]
    drawn = draw_network(after, RU).svg
    assert drawn is not None
    assert 'stroke-dasharray="6 4"' in drawn
    assert RU("graph.line.former") in drawn


def test_former_people_are_dashed_and_shares_are_on_the_links(opening: Open) -> None:
    warehouse = opening()
    shares = {"founder_shares": [{**person("ООО Д", FAR), "share_pct": 51.5}]}
    load(warehouse, full_check_response(FIRST, blocks(company={"directors": [person("Иванов Пётр Ильич", PERSON)]})))
    directors = {"directors": [person("Ким Олег Ильич", OWNER)]}
    load(warehouse, full_check_response(FIRST, blocks(company={**directors, **shares})), start=10)
    network = read_link_network(warehouse, FIRST)
    assert {edge.source: edge.is_current for edge in network.edges} == {PERSON: False, OWNER: True, FAR: True}
    drawn = draw_network(network, EN).svg
    assert drawn is not None
    assert "51.5%" in drawn
    assert f"director ({EN('graph.line.former')})" in drawn


def test_name_without_an_inn_is_no_second_node_where_another_company_gives_the_inn(opening: Open) -> None:
    warehouse = opening()
    for inn, director in ((FIRST, person("Рюмин Семён Львович")), (SECOND, person("Рюмин Семён Львович", PERSON))):
        load(warehouse, full_check_response(inn, blocks(company={"directors": [director]})))
    network = read_link_network(warehouse, FIRST)
    assert {(edge.source, edge.target): edge.is_certain for edge in network.edges} == {
        (PERSON, FIRST): False,
        (PERSON, SECOND): True,
    }


def test_names_of_one_word_join_no_companies(opening: Open) -> None:
    warehouse = opening()
    for inn in (FIRST, SECOND):
        founders = [person("ООО МАССОВОЕ"), person("Иванов Пётр Ильич", PERSON)]
        load(warehouse, full_check_response(inn, blocks(company={"founders": founders})))
    named = [node.key for node in read_link_network(warehouse, FIRST).nodes if node.kind is NodeKind.NAMED]
    assert named == [f"name:ООО МАССОВОЕ@{FIRST}"]


def test_without_links_there_is_a_sentence_and_no_drawing(opening: Open) -> None:
    warehouse = opening()
    load(warehouse, full_check_response(FIRST, blocks(company={})))
    graph = draw_link_graph(warehouse, FIRST, RU)
    assert (graph.svg, graph.remarks, graph.nodes) == (None, (RU("graph.none"),), 1)


def test_farther_and_lower_nodes_are_counted_in_words(opening: Open) -> None:
    warehouse = opening()
    founders = [person(f"Ким Олег {number}", f"{770000000000 + number}") for number in range(60)]
    load(warehouse, full_check_response(FIRST, blocks(company={"founders": founders})))
    graph = draw_link_graph(warehouse, FIRST, RU)
    assert (graph.nodes, graph.hidden) == (1 + MAX_NODES_AT_ONE_DISTANCE, 60 - MAX_NODES_AT_ONE_DISTANCE)
    assert graph.remarks[0] == RU("graph.hidden", hidden="35", kinds="люди: 35")


def full_network(seed: int) -> LinkNetwork:
    """50 nodes with long names: each but the first has a link inwards, some have more, also within one distance."""
    choice = random.Random(seed)
    keys = [f"77{number:08}" for number in range(MAX_NODES)]
    depths = [0] + [1] * 24 + [2] * 25
    levels = ["critical", "high", "medium", "low", "unknown", None]
    score = {"unknown_blocks": [], "unknown_since": [], "never_requested_blocks": [], "stale_blocks": [],
             "level_known": None, "level_at_most": None, "known_part": None}  # fmt: skip
    nodes = [
        Node(
            key,
            NodeKind.COMPANY,
            f'ОБЩЕСТВО С ОГРАНИЧЕННОЙ ОТВЕТСТВЕННОСТЬЮ "СТРОЙТЕХКОМПЛЕКТ ЩЖШМ {key}"',
            depth,
            None if (level := choice.choice(levels)) is None else {**score, "level": level},
        )
        for key, depth in zip(keys, depths, strict=True)
    ]
    pairs = [(key, keys[0]) for key in keys[1:25]] + [(key, choice.choice(keys[1:25])) for key in keys[25:]]
    pairs += [tuple(choice.sample(keys[1:25], 2)) for _ in range(3)] + [
        (choice.choice(keys[25:]), choice.choice(keys[1:25])) for _ in range(6)
    ]
    facts = [
        LinkFact(source, target, role, True, True, True, True, 33.33)
        for source, target in pairs
        for role in choice.choice((["director"], ["beneficiary", "founder"]))
    ]
    return LinkNetwork(nodes, merge_facts(facts))


def test_fifty_nodes_have_boxes_and_labels_that_do_not_overlap() -> None:
    network = full_network(1)
    position = {node.key: number for number, node in enumerate(network.nodes)}
    edges = [LayoutEdge(position[edge.source], position[edge.target], (86, 24)) for edge in network.edges]
    layout = lay_out([(164, 47)] * MAX_NODES, [node.depth for node in network.nodes], edges)
    assert layout.size[0] <= 700
    columns = {node.depth: box.corner[0] for node, box in zip(network.nodes, layout.nodes, strict=True)}
    assert [box.corner[0] for box in layout.nodes] == pytest.approx([columns[node.depth] for node in network.nodes])
    for one, other in combinations([*layout.nodes, *layout.labels], 2):
        assert not is_overlapping(one, other), (one, other)
    for edge, curve in zip(edges, layout.curves, strict=True):
        assert touches(layout.nodes[edge.first], curve[0])
        assert touches(layout.nodes[edge.second], curve[-1])


def is_overlapping(one: Box, other: Box) -> bool:
    gaps = (abs(one.centre[axis] - other.centre[axis]) - (one.size[axis] + other.size[axis]) / 2 for axis in (0, 1))
    return all(gap < -1 for gap in gaps)


def touches(box: Box, point: tuple[float, float]) -> bool:
    return all(abs(box.centre[axis] - point[axis]) <= box.size[axis] / 2 + 2 for axis in (0, 1))


def test_fifty_nodes_are_printed_on_sheets_with_every_box_whole(warehouse: Warehouse) -> None:
    drawn = draw_network(full_network(3), RU)
    assert drawn.svg is not None
    *_, height = viewbox(drawn.svg)
    parts = [(top, top + part) for _, top, _, part in map(viewbox, drawn.sheets)]
    assert (parts[0][0], parts[-1][1], max(end - top for top, end in parts)) == (0, height, SHEET_PX)
    boxes = re.findall(r'<rect x="[-\d.]+" y="([-\d.]+)" width="164" height="([-\d.]+)"', drawn.svg)
    assert len(boxes) == MAX_NODES
    for y, tall in ((float(y), float(tall)) for y, tall in boxes):
        assert any(top <= y and y + tall + 2 <= end for top, end in parts)
    assert draw_link_graph(warehouse, FIRST, RU).sheets == ()


def viewbox(svg: str) -> list[float]:
    """Left, top, width and height of what an SVG shows."""
    found = re.search(r'viewBox="([^"]+)"', svg)
    assert found is not None
    return [float(number) for number in found[1].split()]


def test_text_of_fifty_nodes_is_inside_its_box_and_large_enough() -> None:
    drawn = draw_network(full_network(2), RU).svg
    assert drawn is not None
    root = ElementTree.fromstring(drawn)
    texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
    assert min(int(text.attrib["font-size"]) for text in texts) >= 10
    for text in texts:
        left, width = float(text.attrib["x"]), text_width(text.text or "", int(text.attrib["font-size"]))
        assert left + (width / 2 if text.attrib["text-anchor"] == "middle" else width) <= 700


@pytest.mark.parametrize("text", ["ООО «Ромашка»", "Щ" * 40, "а " * 60, "", "Константинопольский Константин"])
def test_lines_are_no_wider_than_their_room(text: str) -> None:
    lines = break_lines(text, 11, 134, 2)
    assert len(lines) <= 2
    assert all(text_width(line, 11) <= 134 for line in lines)
    whole = "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert whole or lines[-1].endswith("…")
