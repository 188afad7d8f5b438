"""The policies in the warehouse: which is current, since when, and which of them judges a member."""

import json
from datetime import datetime

import pytest

from innspect.schemas.risk_policy.policy_file import built_in_file, load_policies
from innspect.warehouse.risk.policy_store import (
    count_members,
    date_first_use,
    inn_policies,
    read_policies,
    store_policies,
    try_policies,
)

MEMBERS = [
    ("suppliers", "7707083893", None),
    ("suppliers", "7736050003", "big, key"),
    ("customers", "7736050003", None),
    ("customers", "7728168971", " KEY ;x"),
    ("customers", "5024046887", "keys"),
    ("Suppliers", "7702070139", None),
]


@pytest.fixture
def read(tmp_path):
    """The shipped policies with an addition, and with replacements."""

    def read(addition="", *replacements):
        text = built_in_file().read_text("utf-8") + addition
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        path = tmp_path / "risk.toml"
        path.write_text(text, "utf-8")
        return load_policies(path)

    return read


def current(warehouse):
    return warehouse.connection.execute(
        "SELECT name, policy_version FROM lineage.policies WHERE position IS NOT NULL ORDER BY position"
    ).fetchall()


def named(policies):
    return [(policy.name, policy.version) for policy in policies.ordered]


def judged(warehouse, table="lineage.policies"):
    query = f"WITH {inn_policies(table)} SELECT inn, p.name FROM inn_policies JOIN {table} p USING (position)"
    return dict(warehouse.connection.execute(query).fetchall())


def add_members(warehouse):
    warehouse.connection.executemany(
        "INSERT INTO lineage.portfolio_members (portfolio, inn, tags) VALUES (?, ?, ?)", MEMBERS
    )


def test_current_policies_follow_the_file(warehouse, read):
    first, second = read(), read('[policies.own]\ntags = ["a"]\nthresholds.high = 20\n')
    store_policies(warehouse.connection, first)
    date_first_use(warehouse.connection, datetime(2026, 11, 1))
    assert current(warehouse) == named(first) == named(read_policies(warehouse.connection))
    assert not store_policies(warehouse.connection, first)
    assert store_policies(warehouse.connection, second)
    assert current(warehouse) == named(second) == named(read_policies(warehouse.connection))
    assert [policy.text for policy in read_policies(warehouse.connection).ordered] == [
        policy.text for policy in second.ordered
    ]
    date_first_use(warehouse.connection, datetime(2026, 11, 2))
    assert store_policies(warehouse.connection, first)
    assert current(warehouse) == named(first)
    # What judged before is still there.
    assert warehouse.query("SELECT count(*) AS n FROM lineage.policies WHERE name = 'own' AND position IS NULL")[
        "n"
    ].to_list() == [1]
    text = warehouse.connection.execute("SELECT policy::VARCHAR FROM lineage.policies WHERE name = 'own'").fetchone()
    assert json.loads(text[0])["thresholds"] == {"critical": 60, "high": 20, "medium": 10}


def test_a_policy_that_judged_nothing_is_not_kept(warehouse, read):
    store_policies(warehouse.connection, read('[policies.own]\ntags = ["a"]\nthresholds.high = 20\n'))
    date_first_use(warehouse.connection)  # nothing is loaded
    store_policies(warehouse.connection, read())
    assert warehouse.query("SELECT name FROM lineage.policies")["name"].to_list() == ["default"]


def test_titles_are_replaced_without_a_new_version(warehouse, read):
    store_policies(warehouse.connection, read())
    assert not store_policies(warehouse.connection, read("", ('title = "Leased assets"', 'title = "Leasing"')))
    titles = warehouse.connection.execute("SELECT policy->>'$.rules.leasing.title' FROM lineage.policies").fetchall()
    assert titles == [("Leasing",)]


def test_first_use_is_dated_once(warehouse, read):
    def dates():
        return dict(warehouse.connection.execute("SELECT name, first_used_at FROM lineage.policies").fetchall())

    store_policies(warehouse.connection, read())
    assert dates() == {"default": None}
    first, second = datetime(2026, 11, 1), datetime(2026, 11, 2)
    date_first_use(warehouse.connection, first)
    date_first_use(warehouse.connection, second)
    assert dates() == {"default": first}
    store_policies(warehouse.connection, read('[policies.own]\ntags = ["a"]\n'))
    date_first_use(warehouse.connection, second)
    assert dates() == {"default": first, "own": second}


def test_a_policy_judges_by_portfolio_and_by_tag(warehouse, read):
    add_members(warehouse)
    store_policies(warehouse.connection, read())
    assert judged(warehouse) == {}
    text = '[policies.key]\ntags = ["Key"]\n[policies.suppliers]\nportfolios = ["suppliers"]\n'
    store_policies(warehouse.connection, read(text))
    assert judged(warehouse) == {"7707083893": "suppliers", "7736050003": "key", "7728168971": "key"}


def test_the_first_policy_of_the_file_wins(warehouse, read):
    add_members(warehouse)
    text = '[policies.suppliers]\nportfolios = ["suppliers"]\n[policies.key]\ntags = ["Key"]\n'
    store_policies(warehouse.connection, read(text))
    assert judged(warehouse) == {"7707083893": "suppliers", "7736050003": "suppliers", "7728168971": "key"}


def test_a_copy_leaves_the_warehouse_alone(warehouse, read):
    add_members(warehouse)
    store_policies(warehouse.connection, read())
    before = current(warehouse)
    other = read('[policies.all]\nportfolios = ["customers"]\n')
    with try_policies(warehouse.connection, other) as table:
        assert set(judged(warehouse, table).values()) == {"all"}
    assert count_members(warehouse.connection, other, "customers") == {"all": 3}
    assert count_members(warehouse.connection, other, "suppliers") == {"all": 1, "default": 1}
    assert current(warehouse) == before
