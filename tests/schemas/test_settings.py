import re
import tomllib
from datetime import time, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import BaseModel

from innspect.schemas.catalogue import BLOCKS, CONFIRMABLE_METHODS
from innspect.schemas.decoders import Conventions
from innspect.schemas.errors import Exit, SettingsError
from innspect.schemas.settings import Settings, load_settings
from innspect.schemas.settings.notify import DueTime, MessageKind, Notify, parse_when
from innspect.schemas.settings.sections import Schedule

SHIPPED_FILE = Path(__file__).parents[2] / "configs" / "innspect.toml"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def load(text="", environ=None, overrides=None):
    file = Path("settings.toml")
    file.write_text(text, encoding="utf-8")
    return load_settings(file, environ or {}, overrides or {})


def refusal(text="", environ=None, overrides=None):
    with pytest.raises(SettingsError) as caught:
        load(text, environ, overrides)
    assert caught.value.exit_code is Exit.USAGE
    return str(caught.value)


def leaves(tree, at=()):
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key)


def test_shipped_file_has_the_defaults():
    shipped, defaults = load_settings(SHIPPED_FILE, {}, {}), load_settings(None, {}, {})
    assert shipped.model_copy(update={"risk_policy": ""}) == defaults
    # The policy is next to the shipped file.
    assert shipped.policies.ordered == defaults.policies.ordered


def test_shipped_file_has_every_key():
    defaults = load_settings(None, {}, {}).model_dump(exclude={"api_key"})
    written = tomllib.loads(SHIPPED_FILE.read_text(encoding="utf-8"))
    assert set(leaves(written)) == set(leaves(defaults))
    example = set(re.findall(r"^# (\w+) = ", SHIPPED_FILE.read_text(encoding="utf-8"), re.MULTILINE))
    assert example == {*Schedule.model_fields, *Notify.model_fields}


def test_shipped_file_explains_every_key():
    lines = SHIPPED_FILE.read_text(encoding="utf-8").splitlines()
    for before, line in pairwise(lines):
        if re.match(r"\w+ = ", line):
            assert re.match(r"# \S.{3,}", before), line


def test_shipped_schedule_example_is_valid():
    text = SHIPPED_FILE.read_text(encoding="utf-8")
    active = re.sub(r"^# (\[(?:schedules|notify)\..*\]|\w+ = .*)$", r"\1", text, flags=re.MULTILINE)
    settings = load(active)
    assert settings.schedules["nightly"].cron == "0 3 * * *"
    assert settings.notify["manager"].due_time == DueTime(time(9), 0)


def test_default_file_is_found_below_the_current_folder(tmp_path):
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "innspect.toml").write_text("[service]\nretries = 1\n", encoding="utf-8")
    assert load_settings(None, {}, {}).service.retries == 1


def test_named_file_must_exist():
    with pytest.raises(SettingsError, match=r"absent\.toml"):
        load_settings(Path("absent.toml"), {}, {})


def test_flag_over_environment_over_file():
    text = 'home = "a"\n[service]\nretries = 1\nbatch = 11\nconcurrency = 21\n'
    environ = {"INNSPECT_SERVICE__RETRIES": "2", "INNSPECT_SERVICE__BATCH": "12", "INNSPECT_HOME": "b", "PATH": "x"}
    settings = load(text, environ, {"service.retries": 3, "home": None})
    assert settings.service.model_dump(include={"retries", "batch", "concurrency"}) == {
        "retries": 3,
        "batch": 12,
        "concurrency": 21,
    }
    assert settings.home == Path("b")
    assert settings.ledger == Path("b/ledger.sqlite")


def test_short_names_of_the_environment():
    environ = {"INNSPECT_BASE_URL": "https://service.example/", "INNSPECT_API_KEY": " secret "}
    settings = load("", environ)
    assert settings.service.base_url == "https://service.example"
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == "secret"


def test_environment_reaches_profiles_and_prices():
    environ = {
        "INNSPECT_PROFILES__MONITOR__BLOCKS": '["msp"]',
        "INNSPECT_PROFILES__MONITOR__MAX_AGE_DAYS__MSP": "0.5",
        "INNSPECT_BUDGET__PRICES__FULL_CHECK": "17.50",
    }
    settings = load("", environ)
    assert settings.profile("monitor").block_names == ("msp",)
    assert settings.profile("monitor").max_age("msp") == timedelta(hours=12)
    assert settings.budget.price_kopecks["full-check"] == 1750


def test_amounts_are_exact():
    budget = load("[budget]\nrun_rub = 1234567.89\nday_rub = 0.07\n").budget
    assert (budget.run_kopecks, budget.day_kopecks, budget.month_kopecks) == (123456789, 7, None)
    assert load("", overrides={"budget.run_rub": Decimal("0.10")}).budget.run_kopecks == 10
    assert load("", overrides={"budget.run_rub": 0}).budget.run_kopecks == 0


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[service]\ntimout = 1\n", "service.timout"),
        ("[service]\ntimeout_seconds = 0\n", "service.timeout_seconds"),
        ("[service]\nbase_url = 'ftp://x'\n", "service.base_url"),
        ("[service]\nfree_statuses = [200]\n", "service.free_statuses"),
        ("[service]\nok_statuses = []\n", "service.ok_statuses"),
        ("[service]\nok_statuses = ['ok', ' ']\n", "service.ok_statuses"),
        ("[service]\nok_statuses = ['ok', 'Unavailable']\n", "unavailable"),
        ("[service]\nok_statuses = ['active', 'idle']\n", "active, idle"),
        ("[service]\nperson_methods = ['sanctions', 'sanktions']\n", "service.person_methods"),
        ("[service]\nperson_methods = ['sanktions']\n", "sanktions"),
        ("[service]\nperson_methods = ['full-check']\n", "full-check"),
        ("[service]\nperson_methods = ['arbitration']\n", "arbitration"),
        ("[service]\nperson_methods = ['nothing']\n", ", ".join(CONFIRMABLE_METHODS)),
        ("service = 1\n", "service"),
        ("strange = 1\n", "strange"),
        ("_env_file = 'x'\n", "_env_file"),
        ("[budget]\nrun_rub = -1\n", "budget.run_rub"),
        ("[budget]\nrun_rub = 0.001\n", "budget.run_rub"),
        ("[budget]\nrun_rub = nan\n", "budget.run_rub"),
        ("[budget.prices]\nping = 1\n", "ping"),
        ("[profiles.own]\nrepair = true\n", "profiles.own.blocks"),
        ("[profiles.full]\nblocks = ['nothing']\n", "nothing"),
        ("[profiles.full]\nmax_age_days = inf\n", "profiles.full.max_age_days"),
        ("[profiles.full.max_age_days]\nnothing = 1\n", "nothing"),
        ("default_profile = 'own'\n", "default_profile"),
        ("source_timezone = 'Mars/Base'\n", "source_timezone"),
        ("[schedules.a]\ncron = 'daily'\nportfolio = 'p.csv'\n", "schedules.a.cron"),
        ("[schedules.a]\ncron = '0 3 * * *'\nportfolio = 'p.csv'\nprofile = 'own'\n", "schedules.a.profile"),
        ("[alerts]\nminimum_severity = 'loud'\n", "alerts.minimum_severity"),
        ("[report]\nlanguage = 'de'\n", "report.language"),
        ("api_key = 'k3y'\n", "INNSPECT_API_KEY"),
        ("[service]\napi_key = 'k3y'\n", "INNSPECT_API_KEY"),
        ("not toml", "line 1"),
    ],
)
def test_invalid_setting_is_reported_with_key_and_file(text, key):
    said = refusal(text)
    assert key in said
    assert "k3y" not in said
    assert "settings.toml" in said
    assert "\n" not in said


def test_ok_statuses_are_compared_without_case():
    assert load("").service.ok_statuses == ("ok",)
    settings = load("[service]\nok_statuses = ['OK', 'Success ', 'ok']\n")
    assert settings.service.ok_statuses == ("ok", "success")
    assert settings.conventions == Conventions(settings.source_timezone, ("ok", "success"))


def test_person_methods_are_read_once_each_and_in_the_order_of_the_catalogue():
    assert load("").service.person_methods == ()
    text = "[service]\nperson_methods = ['sanctions', 'rnp', 'sanctions']\n"
    assert load(text).service.person_methods == ("rnp", "sanctions")
    assert load("", {"INNSPECT_SERVICE__PERSON_METHODS": '["rnp"]'}).service.person_methods == ("rnp",)


def test_invalid_environment_or_flag_is_reported_with_its_name():
    assert "environment" in refusal(environ={"INNSPECT_SERVICE__RETRIES": "many"})
    assert "INNSPECT_SERVIC__RETRIES" in refusal(environ={"INNSPECT_SERVIC__RETRIES": "1"})
    assert "environment" in refusal(environ={"INNSPECT_SERVICE__NOTHING": "1"})
    both = {"INNSPECT_PROFILES__FULL__BLOCKS": "company", "INNSPECT_PROFILES__FULL__REPAIR": "false"}
    assert "INNSPECT_PROFILES__FULL__BLOCKS in the environment" in refusal(environ=both)
    assert "(INNSPECT_SERVICE__RETRIES)" in refusal(environ={"INNSPECT_SERVICE__RETRIES": "many"})
    assert refusal(overrides={"budget.run_rub": "-5"}) == "--budget -5 is not an amount; write 500 or 500.50."


@pytest.mark.parametrize(
    ("environ", "variable"),
    [
        ({"INNSPECT_BASE_URL": "foo"}, "INNSPECT_BASE_URL"),
        ({"INNSPECT_SERVICE__BASE_URL": "foo"}, "INNSPECT_SERVICE__BASE_URL"),
        ({"INNSPECT_SERVICE": '{"retries": 99}'}, "INNSPECT_SERVICE"),
        ({"innspect_profiles__full__expand": '["boss"]'}, "INNSPECT_PROFILES__FULL__EXPAND"),
    ],
)
def test_variable_that_was_read_is_named(environ, variable):
    assert f" in the environment ({variable}) is out of range: must be" in refusal(environ=environ)


def test_wrong_flag_about_the_profile_is_named_with_the_allowed_values():
    assert refusal(overrides={"profile.expand": ["directors", "boss"]}) == (
        "--expand boss is not valid: it must be 'directors', 'founders', 'beneficiaries', 'linked' or 'founded', or none."
    )
    assert "--max-age nan is not valid: it must be" in refusal(overrides={"profile.max_age_days": float("nan")})


def test_path_that_is_no_text_is_named_in_plain_words():
    assert refusal("home = 5\n") == "home in settings.toml is out of range: must be a path, in quotes; correct it."


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("INNSPECT_HOEM", "INNSPECT_HOME"),
        ("INNSPECT_API_KYE", "INNSPECT_API_KEY"),
        ("INNSPECT_SERVIC__RETRIES", "INNSPECT_SERVICE__RETRIES"),
        ("INNSPECT_BUDGET__RUN_ROUBLES", "INNSPECT_BUDGET__RUN_RUB"),
        ("INNSPECT_PROFILES__OWN__BLOCK", "INNSPECT_PROFILES__OWN__BLOCKS"),
        ("INNSPECT_BUDGET__RUN_RUB__X", "INNSPECT_BUDGET__RUN_RUB"),
        ("innspect_hoem", "INNSPECT_HOME"),
    ],
)
def test_unknown_variable_is_refused_with_the_nearest_setting(name, nearest):
    assert refusal(environ={name: "1"}).endswith(f"is no setting; write {nearest} or unset it.")


def test_unknown_variable_that_resembles_no_setting_is_refused():
    assert "unset it; configs/innspect.toml" in refusal(environ={"INNSPECT_ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ": "1"})
    assert load("", {"INNSPECT_FAULT_POINT": "x", "INNSPECT_EMPTY": ""}) == load("")


def test_key_is_read_from_its_file_unless_set_in_the_environment(tmp_path):
    (tmp_path / "key").write_text("from-file\n", encoding="utf-8")
    text = "[service]\napi_key_file = 'key'\n"
    kept = [load(text).api_key, load(text, {"INNSPECT_API_KEY": "from-env"}).api_key]
    assert [key.get_secret_value() for key in kept if key] == ["from-file", "from-env"]
    assert "api_key_file" in refusal("[service]\napi_key_file = 'absent'\n")


def test_repr_contains_no_secret():
    settings = load(
        "[alerts]\nwebhook = 'https://hook.example/t0ken'\n[stores]\nledger = 'postgresql://u:pass@h/d'\n",
        {"INNSPECT_API_KEY": "k3y"},
    )
    shown = f"{settings!r} {settings}"
    assert not any(secret in shown for secret in ("k3y", "t0ken", "pass@"))


def test_three_profiles_ship():
    settings = load()
    assert set(settings.profiles) == {"full", "monitor", "light"}
    assert settings.profile() is settings.profiles["full"]
    assert settings.profile("full").block_names == tuple(BLOCKS)
    assert set(settings.profile("light").block_names) == {"company", "msp", "tax_debts"}
    assert settings.profile("monitor").max_age("company") < settings.profile("full").max_age("company")
    assert settings.profile("full").retry_unconfirmed("financial") == timedelta(days=30)
    with pytest.raises(SettingsError, match="full, monitor, light"):
        settings.profile("own")


def test_file_overrides_single_keys_of_a_shipped_profile():
    settings = load(
        "[profiles.monitor]\nrepair = false\nmax_age_days = 7\n[profiles.own]\nblocks = ['msp']\n",
        {"INNSPECT_PROFILES__MONITOR__MAX_AGE_DAYS__RNP": "2"},
    )
    monitor = settings.profile("monitor")
    assert not monitor.repair
    assert "rnp" in monitor.block_names
    assert (monitor.max_age("company"), monitor.max_age("rnp")) == (timedelta(days=7), timedelta(days=2))
    assert settings.profile("own").block_names == ("msp",)


def test_settings_are_immutable():
    settings = load()
    assert all(
        model.model_config.get("frozen") and model.model_config.get("extra") == "forbid"
        for model in (Settings, *(type(part) for _, part in settings if isinstance(part, BaseModel)))
    )


RECEIVER = '[notify.boss]\naddress_env = "BOSS"\nwhat = ["digest"]\n'


def test_receiver_of_messages_has_defaults():
    receiver = load(RECEIVER).notify["boss"]
    assert receiver.what == (MessageKind.DIGEST,)
    assert (receiver.severity, receiver.when, receiver.due_time) == ("notice", "each run", None)
    assert load(RECEIVER, {"INNSPECT_NOTIFY__BOSS__WHEN": "daily 07:30"}).notify["boss"].due_time == DueTime(
        time(7, 30)
    )


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ('[notify.boss]\nwhat = ["digest"]\n', "notify.boss", "address_env"),
        (RECEIVER + 'address_file = "a"\n', "notify.boss", "address_env"),
        (RECEIVER + 'address = "mailto://user:t0ken@host"\n', "notify.boss.address", "not a setting"),
        ('[notify.boss]\naddress_env = "mailto://user:t0ken@host"\nwhat = ["digest"]\n', "notify.boss.address_env", ""),
        ('[notify.boss]\naddress_env = "BOSS"\nwhat = []\n', "notify.boss.what", ""),
        ('[notify.boss]\naddress_env = "BOSS"\nwhat = ["gossip"]\n', "notify.boss.what.0", "'alerts'"),
        (RECEIVER + 'when = "weekly 09:00"\n', "notify.boss.when", "weekly DAY HH:MM"),
        (RECEIVER + 'when = "daily 24:00"\n', "notify.boss.when", "daily HH:MM"),
        (RECEIVER + 'timezone = "Mars/Base"\n', "notify.boss.timezone", "time zone"),
        (RECEIVER + "below_days = 0\n", "notify.boss.below_days", ""),
    ],
)
def test_wrong_receiver_is_refused_and_its_address_not_shown(text, key, words):
    message = refusal(text)
    assert key in message
    assert words in message
    assert "t0ken" not in message


def test_due_times_as_cron():
    assert [parse_when(when).cron for when in ("daily 09:05", "weekly mon 09:00", "weekly sun 23:59")] == [
        "5 9 * * *", "0 9 * * 1", "59 23 * * 0",
    ]  # fmt: skip


def test_address_is_read_from_the_variable_or_the_file(tmp_path):
    path = tmp_path / "address"
    receivers = load(f'{RECEIVER}[notify.file]\naddress_file = "{path}"\nwhat = ["alerts"]\n').notify
    for name, missing in (("boss", "BOSS"), ("file", str(path))):
        with pytest.raises(SettingsError, match=missing):
            receivers[name].read_address(name, {})
    path.write_text("json://host/t0ken\n")
    assert receivers["file"].read_address("file", {}).get_secret_value() == "json://host/t0ken"
    assert receivers["boss"].read_address("boss", {"BOSS": "json://b"}).get_secret_value() == "json://b"
