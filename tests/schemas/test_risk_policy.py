"""The policy file: what it must contain, what is refused, and which edits make another policy version."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.errors import Exit, SettingsError
from innspect.schemas.risk_policy.policy_file import BUILT_IN, built_in_file, load_policies
from innspect.schemas.risk_policy.policy_model import LIMIT_RANGES
from innspect.schemas.settings import load_settings

SHIPPED_FILE = Path(__file__).parents[2] / "configs" / "risk.toml"
SHIPPED = SHIPPED_FILE.read_text("utf-8")
SUPPLIERS = '\n[policies.suppliers]\nportfolios = ["suppliers"]\n'


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def edit(*replacements, text=SHIPPED, add=""):
    """The shipped file with each (old, new) replaced; `old` must occur once."""
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text + add


def in_rule(signal, old, new):
    """Replace a line in one rule's table of the shipped file."""
    table = f"[rules.{signal}]\n"
    before, _, rest = SHIPPED.partition(table)
    body, gap, after = rest.partition("\n\n")
    assert body.count(old) == 1, (signal, old)
    return before + table + body.replace(old, new) + gap + after


def load(text):
    file = Path("risk.toml")
    file.write_text(text, encoding="utf-8")
    return load_policies(file)


def refusal(text):
    with pytest.raises(SettingsError) as caught:
        load(text)
    assert caught.value.exit_code is Exit.USAGE
    assert "risk.toml" in str(caught.value)
    return str(caught.value)


def test_shipped_file_is_the_built_in_policy():
    assert built_in_file().read_text("utf-8") == SHIPPED
    built_in, shipped = load_policies(None), load_policies(SHIPPED_FILE)
    assert built_in.file == BUILT_IN
    assert built_in.ordered == shipped.ordered
    assert [policy.name for policy in shipped.ordered] == ["default"]


def test_shipped_file_explains_every_key():
    for before, line in pairwise(SHIPPED.splitlines()):
        if re.match(r"\w+ = ", line) and not re.match(r"title|title_ru|weight|severity|group|stop|substitute", line):
            assert re.match(r"# \S.{3,}", before), line
    for key in ("title, title_ru", "weight", "severity", "group", "stop", "substitute", "enabled", "limits"):
        assert f"\n#   {key} " in SHIPPED
    assert max(map(len, SHIPPED.splitlines())) <= 120


def test_defaults_of_the_design():
    policy = load_policies(None).default
    assert policy.thresholds.model_dump() == {"critical": 60, "high": 30, "medium": 10}
    assert set(policy.required.company) == {
        "company", "bankruptcy", "sanctions", "freezes", "rnp", "fssp", "arbitration", "risk_flags",
    }  # fmt: skip
    assert set(policy.required.person) == {"company", "bankruptcy", "fssp", "arbitration"}
    assert [policy.max_age_days(block) for block in ("freezes", "company", "fssp")] == [7, 90, 35]
    assert {policy.max_source_age_days(block) for block in BLOCKS} == {400}
    assert {signal for signal, rule in policy.rules.items() if rule.stop} == {"sanctions_hit", "not_in_register"}
    assert [signal for signal, rule in policy.rules.items() if rule.substitute] == ["card_disqualified"]
    assert policy.rules["loss_repeated"].group == policy.rules["loss"].group == "losses"


def test_every_limit_has_a_range():
    limits = {name for rule in load_policies(None).default.rules.values() for name in rule.limits}
    assert limits == set(LIMIT_RANGES)


def test_example_of_a_named_policy_is_valid():
    _, _, example = SHIPPED.partition("\n[policies]\n")
    text = SHIPPED.partition("[policies]\n")[0] + re.sub(r"^# (\[.*\]|\S+ = .*)$", r"\1", example, flags=re.MULTILINE)
    suppliers, default = load(text).ordered
    assert (suppliers.name, suppliers.portfolios, suppliers.tags) == ("suppliers", ("suppliers",), ("supplier",))
    changed = {
        signal for signal, rule in suppliers.rules.items() if rule != default.rules[signal]
    }  # fmt: skip
    assert changed == {"account_freeze", "tax_debt_large", "leasing"}
    assert suppliers.rules["tax_debt_large"].limits == {"amount_rub": 100000, "size_share": 0.1}
    assert suppliers.thresholds.model_dump() == {"critical": 60, "high": 25, "medium": 10}
    assert [suppliers.max_age_days(block) for block in ("freezes", "company")] == [3, 90]
    assert suppliers.version != default.version


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (edit(("[thresholds]", "strange = 1\n[thresholds]")), "strange"),
        (edit(("[thresholds]", "[threshold]")), "threshold"),
        (edit(("medium = 10", "")), "thresholds.medium"),
        (edit(("medium = 10", "middle = 10\nmedium = 10")), "thresholds.middle"),
        (edit(("medium = 10", "medium = 0")), "thresholds.medium"),
        (edit(("medium = 10", "medium = '10'")), "thresholds.medium"),
        (edit(("medium = 10", "medium = 30")), "medium must be below high"),
        (edit(("high = 30", "high = 60")), "high below critical"),
        (edit(('person = ["company", ', 'person = ["firm", ')), "required.person"),
        (edit(('person = ["company", ', 'person = ["minjust_check", ')), "minjust_check"),
        (edit(('company = ["company", ', 'company = ["firm", ')), "firm"),
        (edit(("unknown_alert_days = 14", "")), "required.unknown_alert_days"),
        (edit(("unknown_alert_days = 14", "unknown_alert_days = nan")), "required.unknown_alert_days"),
        (edit(("freezes = 7", "freeze = 7")), "freeze"),
        (edit(("freezes = 7", "freezes = 0")), "age_days.freezes"),
        (edit(("freezes = 7", "freezes = inf")), "age_days.freezes"),
        (edit(("default = 35", "")), "age_days"),
        (edit(("default = 400", "default = -1")), "source_age_days.default"),
        (edit(("[source_age_days]", "[source_days]")), "source_days"),
        (edit(("[rules.leasing]", "[rules.leesing]")), "rules.leesing"),
        (in_rule("young", "weight = 10", "weight = 101"), "rules.young.weight"),
        (in_rule("young", "weight = 10", "weight = -1"), "rules.young.weight"),
        (in_rule("young", "weight = 10", "weight = 1.5"), "rules.young.weight"),
        (in_rule("young", "weight = 10", "weight = true"), "rules.young.weight"),
        (in_rule("young", "weight = 10", "wieght = 10"), "rules.young.wieght"),
        (in_rule("young", "weight = 10\n", ""), "rules.young.weight"),
        (in_rule("young", 'severity = "notice"', 'severity = "warning"'), "rules.young.severity"),
        (in_rule("young", 'title = "Younger than a year"\n', ""), "rules.young.title"),
        (in_rule("young", "limits.days = 365", ""), "rules.young.limits.days"),
        (in_rule("young", "limits.days = 365", "limits.day = 365"), "rules.young.limits.day"),
        (in_rule("young", "limits.days = 365", "limits.days = 36501"), "rules.young.limits.days"),
        (in_rule("young", "limits.days = 365", "limits.days = 0.5"), "rules.young.limits.days"),
        (in_rule("young", "limits.days = 365", "limits.days = '365'"), "rules.young.limits.days"),
        (in_rule("young", "limits.days = 365", "limits = 365"), "rules.young.limits"),
        (in_rule("liquidating", "weight = 40", "weight = 40\nlimits.days = 1"), "rules.liquidating.limits.days"),
        (in_rule("revenue_fall", "limits.share = 0.3", "limits.share = 1.3"), "rules.revenue_fall.limits.share"),
        (in_rule("revenue_fall", "limits.share = 0.3", "limits.share = nan"), "rules.revenue_fall.limits.share"),
        (in_rule("loss", 'group = "losses"', 'group = "loses"'), "rules.loss.group"),
        (in_rule("young", "weight = 10", "weight = 10\nsubstitute = true"), "rules.young.substitute"),
        (in_rule("young", "weight = 10", "weight = 10\nstop = 1"), "rules.young.stop"),
        (edit(add="[policies.own]\nthresholds.high = 20\n"), "policies.own.portfolios"),
        (edit(add="[policies.own]\nportfolios = []\n"), "policies.own.portfolios"),
        (edit(add="[policies.default]\ntags = ['x']\n"), "policies.default"),
        (edit(add=SUPPLIERS + "colour = 'red'\n"), "policies.suppliers.colour"),
        (edit(add=SUPPLIERS + "portfolio = 'a'\n"), "policies.suppliers.portfolio"),
        (edit(add=SUPPLIERS + "thresholds.high = 60\n"), "policies.suppliers.thresholds"),
        (edit(add=SUPPLIERS + "thresholds = 60\n"), "policies.suppliers.thresholds"),
        (edit(add=SUPPLIERS + "age_days.firm = 1\n"), "policies.suppliers.age_days"),
        (edit(add=SUPPLIERS + "rules.nothing.weight = 1\n"), "policies.suppliers.rules.nothing"),
        (edit(add=SUPPLIERS + "rules.young.weight = 200\n"), "policies.suppliers.rules.young.weight"),
        (edit(add=SUPPLIERS + "rules.young.limits.years = 1\n"), "policies.suppliers.rules.young.limits.years"),
        (edit(add=SUPPLIERS + "rules.young = 1\n"), "policies.suppliers.rules.young"),
        ("rules = 1\n", "rules"),
        ("[[rules]]\n", "rules"),
        ("", "thresholds"),
        ("thresholds = [", "cannot be read"),
    ],
)
def test_what_is_refused_names_the_key_and_the_file(text, key):
    assert key in refusal(text)


@pytest.mark.parametrize("signal", sorted(load_policies(None).default.rules))
def test_a_missing_rule_is_refused(signal):
    before, _, rest = SHIPPED.partition(f"[rules.{signal}]\n")
    text = before + rest.partition("\n\n")[2]
    assert signal not in tomllib.loads(text)["rules"]
    assert f"rules.{signal} in risk.toml is missing" in refusal(text)


def test_confirmable_blocks_may_be_required_of_persons():
    policy = load(edit(('person = ["company", ', 'person = ["sanctions", "company", '))).default
    assert "sanctions" in policy.required.person


@pytest.mark.parametrize(
    "text",
    [
        in_rule("young", "weight = 10", "weight = 11"),
        in_rule("young", 'severity = "notice"', 'severity = "alert"'),
        in_rule("young", "limits.days = 365", "limits.days = 366"),
        in_rule("young", "weight = 10", "weight = 10\nstop = true"),
        in_rule("young", "weight = 10", "weight = 10\nenabled = false"),
        in_rule("young", "weight = 10", 'weight = 10\ngroup = "losses"'),
        edit(("medium = 10", "medium = 9")),
        edit(("freezes = 7", "freezes = 8")),
        edit(("default = 400", "default = 399")),
        edit(("unknown_alert_days = 14", "unknown_alert_days = 15")),
        edit(('"arbitration", "risk_flags"]', '"arbitration"]')),
    ],
)
def test_an_edit_that_judges_otherwise_is_another_version(text):
    assert load(text).default.version != load_policies(None).default.version


@pytest.mark.parametrize(
    "text",
    [
        in_rule("young", 'title = "Younger than a year"', 'title = "Young"'),
        in_rule("young", "weight = 10", "weight = 10\nstop = false\nenabled = true"),
        in_rule("young", "limits.days = 365", "limits.days = 365.0"),
        edit(("default = 35", "default = 35.0")),
        edit(("company = 90", "company = 90\nfssp = 35")),
        edit(('person = ["company", "bankruptcy", ', 'person = ["bankruptcy", "company", ')),
        edit(add=SUPPLIERS),
        SHIPPED.replace("# ", "#  "),
    ],
)
def test_an_edit_that_judges_alike_is_the_same_version(text):
    assert load(text).default.version == load_policies(None).default.version


def test_a_named_policy_without_overrides_judges_alike():
    suppliers, default = load(edit(add=SUPPLIERS)).ordered
    assert suppliers.version == default.version
    assert suppliers.text == default.text


def test_policies_keep_the_order_of_the_file():
    text = edit(add='[policies.b]\ntags = ["x"]\n[policies.a]\nportfolios = ["p"]\ntags = ["y", "z"]\n')
    policies = load(text)
    assert [policy.name for policy in policies.ordered] == ["b", "a", "default"]
    assert policies.get("a") == policies.ordered[1]
    assert policies.get("c") is None
    assert policies.default.name == "default"


def test_settings_find_the_policy(tmp_path):
    def version(config=None, environ=None):
        return load_settings(config, environ or {}, {}).policies.default.version

    built_in = load_policies(None).default.version
    assert version() == built_in
    own = tmp_path / "configs"
    own.mkdir()
    (own / "risk.toml").write_text(edit(("medium = 10", "medium = 9")), encoding="utf-8")
    beside = version()
    assert beside != built_in
    other = tmp_path / "other"
    other.mkdir()
    (other / "settings.toml").write_text("", encoding="utf-8")
    assert version(other / "settings.toml") == built_in
    (other / "mine.toml").write_text(edit(("medium = 10", "medium = 8")), encoding="utf-8")
    (other / "settings.toml").write_text("risk_policy = 'other/mine.toml'\n", encoding="utf-8")
    named = version(other / "settings.toml")
    assert named not in (built_in, beside)
    assert version(environ={"INNSPECT_RISK_POLICY": str(other / "mine.toml")}) == named


def test_settings_refuse_a_wrong_policy(tmp_path):
    environ = {"INNSPECT_RISK_POLICY": str(tmp_path / "absent.toml")}
    with pytest.raises(SettingsError, match=r"absent\.toml"):
        load_settings(None, environ, {})
    (tmp_path / "absent.toml").write_text(edit(("medium = 10", "medium = 99")), encoding="utf-8")
    with pytest.raises(SettingsError, match="thresholds"):
        load_settings(None, environ, {})
