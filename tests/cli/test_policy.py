"""The command `policy`: what it shows, that a comparison equals what applying the policy then shows, and its scope."""

import json
from hashlib import sha256
from pathlib import Path
from shutil import copytree

import pytest

from innspect.cli import policy as command
from innspect.cli._options import CliOptions
from innspect.schemas.errors import Exit, SettingsError, UsageError
from innspect.schemas.risk_policy.policy_file import built_in_file
from tests.support.cli import COMPANIES, INNS, Cli, assert_fails

SHIPPED = built_in_file().read_text("utf-8")
TAGGED = COMPANIES[:3]
SCORES = "SELECT inn, level, level_known, level_at_most, score, score_at_most, policy FROM mart.risk_score ORDER BY inn"


def edit(*replacements, add=""):
    """The shipped policy with each first (old, new) replaced, and more at its end."""
    text = SHIPPED
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new, 1)
    return text + add


def in_rule(signal, new_line, old=None):
    """The replacement that adds a line to a rule's table, or replaces a line of it."""
    table = f"[rules.{signal}]\n"
    body = SHIPPED.partition(table)[2].partition("\n\n")[0]
    return table + body, table + (f"{body}\n{new_line}" if old is None else body.replace(old, new_line))


THRESHOLDS = (("critical = 60", "critical = 90"), ("high = 30", "high = 20"), ("medium = 10", "medium = 1"))
OFF = ("arbitration_respondent", "loss", "leasing")
REQUIRED = '"bankruptcy", "sanctions", "freezes", "rnp", "fssp", "arbitration", "risk_flags"]'
EDITS = {
    "weights": edit(*THRESHOLDS, in_rule("arbitration_respondent", "weight = 40", "weight = 3")),
    "content": edit(
        in_rule("young", "limits.days = 36500", "limits.days = 365"),
        in_rule("enforcement_active", "stop = true"),
        in_rule("leasing", 'group = "losses"'),
        (f'company = ["company", {REQUIRED}', 'company = ["company"]'),
    ),
    "ages": edit(("default = 35", "default = 0.00001"), *(in_rule(signal, "enabled = false") for signal in OFF)),
    "named": edit(add='[policies.key]\ntags = ["key"]\nthresholds = {critical = 3, high = 2, medium = 1}\n'),
    "portfolio": edit(add='[policies.all]\nportfolios = ["checked"]\nrules.loss.weight = 100\n'),
}


@pytest.fixture(scope="module")
def checked_home(tmp_path_factory, reliable_sandbox, create_empty_warehouse):
    """A home with a checked portfolio, some of its members with a tag; read-only."""
    home = tmp_path_factory.mktemp("policy") / "home"
    rows = [f"{inn};{'key, big' if inn in TAGGED else ''}" for inn in INNS]
    portfolio = home.with_name("checked.csv")
    portfolio.write_text("\n".join(("inn;tags", *rows)) + "\n", encoding="utf-8")
    cli = Cli(home, reliable_sandbox.url)
    create_empty_warehouse(cli.warehouse)
    assert cli.run(portfolio, "--budget", "1000").code == Exit.OK
    return home


@pytest.fixture
def write_policy(tmp_path, monkeypatch):
    """Write a policy file outside of the folder of settings; the tests run in an empty folder."""
    monkeypatch.setenv("INNSPECT_PUBLISH__AFTER_RUN", "false")
    monkeypatch.chdir(tmp_path)

    def write(text):
        path = tmp_path / "other.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def policy(capsys, monkeypatch, write_policy):
    """Run the command in this process; its JSON, or its text."""

    def run(home, *, name=None, portfolio=None, diff=None, apply=None, text=False):
        if apply is not None:
            monkeypatch.setenv("INNSPECT_RISK_POLICY", str(apply))
        options = CliOptions(home=home, json=not text)
        assert command.policy(options, name, portfolio, diff, apply=apply is not None) == Exit.OK
        out = capsys.readouterr().out
        return out if text else json.loads(out)

    return run


def digest(home: Path) -> str:
    return sha256((home / "warehouse.duckdb").read_bytes()).hexdigest()


def test_shows_the_effective_policy(policy, checked_home):
    shown = policy(checked_home)
    assert (shown["file"], shown["applied"]) == ("the built-in risk.toml", True)
    (default,) = shown["policies"]
    assert (default["name"], default["thresholds"]) == ("default", {"critical": 60, "high": 30, "medium": 10})
    stored = Cli(checked_home).sql('SELECT policy_version, signal, weight, severity, "group" FROM mart.risk_rules')
    assert {row[0] for row in stored} == {default["policy_version"]}
    assert {row[1:] for row in stored} == {
        (signal, rule["weight"], rule["severity"], rule["group"]) for signal, rule in default["rules"].items()
    }
    assert "365 days" in default["rules"]["young"]["condition"]
    text = policy(checked_home, text=True)
    for words in (
        default["policy_version"],
        "critical from a score of 60",
        "freezes 7",
        "sanctions_hit",
        "Stop factor",
    ):
        assert words in text
    assert "limits." not in text


def test_shows_which_policy_judges_a_portfolio(policy, write_policy, monkeypatch, checked_home):
    monkeypatch.setenv("INNSPECT_RISK_POLICY", str(write_policy(EDITS["named"])))
    shown = policy(checked_home, portfolio="checked")
    assert shown["members"] == {"key": len(TAGGED), "default": len(INNS) - len(TAGGED)}
    assert [found["name"] for found in shown["policies"]] == ["key", "default"]
    assert shown["applied"] is False
    assert "judged by another policy" in policy(checked_home, text=True)
    assert policy(checked_home, name="key")["policies"][0]["thresholds"]["critical"] == 3
    with pytest.raises(UsageError, match="choose one of key, default"):
        policy(checked_home, name="keys")
    with pytest.raises(UsageError, match="existing portfolios: checked"):
        policy(checked_home, portfolio="absent")


def test_without_a_warehouse(policy, write_policy, tmp_path):
    home = tmp_path / "new"
    assert policy(home)["applied"] is None
    assert "There is no warehouse" in policy(home, text=True)
    other = write_policy(EDITS["weights"])
    found = policy(home, diff=other)
    assert (found["inns"], found["changed"]) == (None, None)
    assert {"policy": "default", "key": "rules.arbitration_respondent.weight", "before": 3, "after": 40} in found[
        "keys"
    ]
    assert len(found["keys"]) == 4
    assert "no levels to compare" in policy(home, diff=other, text=True)
    with pytest.raises(UsageError, match="There is no warehouse"):
        policy(home, apply=other)
    assert not home.exists()


def test_a_wrong_file_is_refused(policy, write_policy, checked_home):
    other = write_policy(edit(in_rule("loss", "weight = 101", "weight = 10")))
    with pytest.raises(SettingsError, match=r"rules\.loss\.weight in .*other\.toml"):
        policy(checked_home, diff=other)
    with pytest.raises(SettingsError, match=r"absent\.toml"):
        policy(checked_home, diff=Path("absent.toml"))


@pytest.mark.long
def test_an_equal_policy_changes_nothing(policy, write_policy, checked_home):
    text = policy(checked_home, diff=write_policy(SHIPPED), text=True)
    assert "judges as the warehouse does" in text
    assert f"INNs: {len(INNS)}; the level of 0 would change, the score alone of 0." in text


@pytest.mark.long
@pytest.mark.parametrize("name", EDITS)
def test_a_comparison_is_what_applying_shows(policy, write_policy, checked_home, tmp_path, name):
    other = write_policy(EDITS[name])
    before, cli = digest(checked_home), Cli(copytree(checked_home, tmp_path / "home"))
    scores = {row[0]: row[1:] for row in cli.sql(SCORES)}
    compared = policy(checked_home, diff=other)
    assert compared["keys"]
    assert digest(checked_home) == before
    applied = policy(cli.home, apply=other)
    assert applied["applied"] is True
    for key in ("keys", "inns", "changed"):
        assert compared[key] == applied[key]
    assert compared["changed"], "an edit that changes no score shows nothing"
    after = {row[0]: row[1:] for row in cli.sql(SCORES)}
    changed = {found["inn"]: found for found in compared["changed"]}
    for inn, (level, _, at_most, score, score_at_most, judge) in after.items():
        old = scores[inn]
        assert (inn in changed) == ((old[0], *old[2:5]) != (level, at_most, score, score_at_most)), inn
        if found := changed.get(inn):
            assert (found["level_before"], found["level_after"]) == (old[0], level)
            assert (found["score_before"], found["score_after"]) == (old[3], score)
            assert (found["level_at_most_before"], found["level_at_most_after"]) == (old[2], at_most)
            assert (found["policy_before"], found["policy_after"]) == (old[5], judge)
            assert found["reasons"]


@pytest.mark.long
def test_a_policy_is_applied_and_taken_back(policy, write_policy, checked_home, tmp_path):
    cli = Cli(copytree(checked_home, tmp_path / "home"))
    scores = cli.sql(SCORES)
    policy(cli.home, apply=write_policy(EDITS["weights"]))
    assert cli.sql(SCORES) != scores
    assert policy(cli.home, diff=write_policy(EDITS["weights"]))["changed"] == []
    policy(cli.home, apply=write_policy(SHIPPED))
    assert cli.sql(SCORES) == scores


@pytest.mark.long
def test_only_the_members_of_a_portfolio(policy, write_policy, checked_home):
    found = policy(checked_home, diff=write_policy(EDITS["weights"]), portfolio="checked")
    assert found["portfolio"] == "checked"
    assert found["inns"] == len(INNS)
    text = policy(checked_home, diff=write_policy(EDITS["weights"]), text=True)
    assert "thresholds.high" in text
    assert "high from 30, then from 20" in text


def test_a_tag_decides_for_its_members_alone(policy, write_policy, checked_home):
    found = policy(checked_home, diff=write_policy(EDITS["named"]))
    assert {row["inn"] for row in found["changed"]} <= set(TAGGED)
    assert {row["policy_after"] for row in found["changed"]} == {"key"}


@pytest.mark.long
def test_the_next_run_and_a_rebuild_apply_a_policy(policy, write_policy, checked_home, reliable_sandbox, tmp_path):
    other = write_policy(EDITS["named"])
    applied = Cli(copytree(checked_home, tmp_path / "applied"))
    policy(applied.home, apply=other)
    expected = applied.sql(SCORES)
    environ = {"INNSPECT_RISK_POLICY": str(other)}
    cli = Cli(copytree(checked_home, tmp_path / "home"), reliable_sandbox.url, environ)
    portfolio = checked_home.with_name("checked.csv")
    done = cli.run(portfolio, "--budget", "1000")
    assert (done.code, done.json["calls"]) == (Exit.OK, 0)
    assert cli.sql(SCORES) == expected
    stored = "SELECT policy_version, name, position, portfolios, tags, policy FROM lineage.policies"
    current = f"{stored} WHERE position IS NOT NULL ORDER BY position"
    assert cli.sql(current) == applied.sql(current)
    assert cli("rebuild").code == Exit.OK
    assert cli.sql(SCORES) == expected
    rebuilt = cli.sql("SELECT *, first_used_at FROM lineage.policies ORDER BY position")
    assert cli("rebuild").code == Exit.OK
    assert cli.sql("SELECT *, first_used_at FROM lineage.policies ORDER BY position") == rebuilt
    assert [row[1] for row in rebuilt] == ["key", "default"]


@pytest.mark.long
def test_a_rebuild_gives_the_same_policies(checked_home, tmp_path):
    cli = Cli(copytree(checked_home, tmp_path / "home"))
    before = cli.sql("FROM lineage.policies")
    assert before[0][-1] is not None
    assert cli("rebuild").code == Exit.OK
    assert cli.sql("FROM lineage.policies") == before


def test_at_the_command_line(checked_home, write_policy, tmp_path):
    cli = Cli(checked_home)
    other = write_policy(EDITS["ages"])
    done = cli("policy", "--diff", other, "--json")
    assert done.code == Exit.OK
    assert {found["key"] for found in done.json["keys"]} == {
        "age_days.default",
        *(f"rules.{signal}.enabled" for signal in OFF),
    }
    assert_fails(cli("policy", "--diff", other, "--apply"), Exit.USAGE, "--diff and --apply")
    assert_fails(cli("policy", "--policy", "default", "--apply"), Exit.USAGE, "--policy")
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(SHIPPED.replace("[rules.loss]", "[rules.losses]"), encoding="utf-8")
    assert_fails(cli("status", INNSPECT_RISK_POLICY=str(wrong)), Exit.USAGE, "rules.losses", "wrong.toml")
