"""A copy of a lake follows it: it equals one that is built from nothing, after whatever was loaded."""

from pathlib import Path
from random import Random

import pytest

from innspect.warehouse.database import Warehouse
from innspect.warehouse.lake import LakeWarehouse
from innspect.warehouse.location import parse_location
from innspect.warehouse.publish import lake_mirror
from innspect.warehouse.publish.lake_mirror import MIRROR_TABLE, open_mirror
from tests.support.published_copies import differing_relations
from tests.support.stored_links import wrong_links
from tests.support.stored_news import wrong_news
from tests.support.stored_risk import wrong_risk
from tests.warehouse.test_delta import INNS, STEPS, History, check_all


@pytest.fixture
def lake(lake_database, tmp_path):
    with LakeWarehouse(parse_location(f"ducklake:postgres:{lake_database} data_path={tmp_path / 'lake'}")) as warehouse:
        yield warehouse


def publish(history: History, lake: LakeWarehouse) -> bool:
    """Publish from the mirror, and compare what it stores; returns whether the copy continues the previous one."""
    with open_mirror(lake, history.folder / "mirror.duckdb") as history.warehouse:
        is_delta = history.publish(compare=False)
        wrong = [*wrong_risk(history.warehouse), *wrong_links(history.warehouse), *wrong_news(history.warehouse)]
    history.warehouse = lake
    assert wrong == []
    return is_delta


def check_copy(history: History, lake: LakeWarehouse) -> None:
    """Compare the copy with one that is built from nothing, from a mirror that is."""
    folder = history.folder / "complete"
    folder.mkdir(exist_ok=True)
    for file in folder.glob("*.duckdb*"):
        file.unlink()
    complete = History(lake, folder)
    assert not publish(complete, lake)
    assert differing_relations(history.copy, complete.copy) == []


@pytest.mark.long(first=True)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.vast) for seed in (1, 2))])
def test_copy_of_a_lake_follows_it(lake, tmp_path, seed):
    history = History(lake, tmp_path)
    check_all(history)
    assert not publish(history, lake)
    # Each publication of a lake takes seconds. What two steps wrote is followed at once.
    for number, step in enumerate(Random(seed).sample(STEPS, len(STEPS) if seed else 8)):
        step(history)
        if number % 2:
            assert publish(history, lake), step.__name__
    assert publish(history, lake)
    check_copy(history, lake)


def count_responses(lake: LakeWarehouse, path: Path) -> int:
    with open_mirror(lake, path) as mirror:
        return mirror.query("SELECT count(*) AS n FROM lineage.responses")["n"].item()


@pytest.mark.long
def test_mirror_that_does_not_belong_to_the_lake_is_built_from_nothing(lake, tmp_path):
    path = tmp_path / "mirror.duckdb"
    history = History(lake, tmp_path)
    history.load(0, INNS[:2], "msp")
    assert count_responses(lake, path) == 2
    history.load(1, INNS[:1], "msp")
    assert count_responses(lake, path) == 3
    with Warehouse(path) as mirror, mirror.transaction():
        mirror.connection.execute(f"DELETE FROM {MIRROR_TABLE}")
    assert count_responses(lake, path) == 3, "killed before it was complete"
    path.write_bytes(b"no database")
    assert count_responses(lake, path) == 3
    with lake.transaction():
        lake.recreate()
    history.load(0, INNS[1:2], "msp")
    assert count_responses(lake, path) == 1, "a rebuild may have removed rows"


@pytest.mark.long
@pytest.mark.parametrize("is_first", [True, False])
def test_mirror_needs_no_more_than_the_memory_of_the_machine(lake, tmp_path, monkeypatch, is_first):
    """Where the limit of memory is not enough, the mirror is built from nothing without one, with each row once."""
    path = tmp_path / "mirror.duckdb"
    history = History(lake, tmp_path)
    check_all(history)
    if not is_first:
        assert count_responses(lake, path) == len(INNS)
        history.load(1, INNS, "msp")
    created: list[Path] = []
    create = lake_mirror._create
    monkeypatch.setattr(lake_mirror, "_create", lambda lake, path: created.append(path) or create(lake, path))
    monkeypatch.setattr(lake_mirror, "MEMORY_LIMIT", "3MB")
    assert count_responses(lake, path) == len(INNS) * (1 if is_first else 2)
    assert len(created) == 2
