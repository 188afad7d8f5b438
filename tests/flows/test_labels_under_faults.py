"""Companies and persons in trouble or worse are never called low, whatever sources fail."""

from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.sandbox.world.labels import Label, label
from tests.support.cli import ROOT, Cli, write_portfolio

DAY = datetime.now(UTC).date() - timedelta(days=1)
WORSE = list(islice((inn for inn in sample_inns(600, 41, persons=0.1) if label(inn, 0, DAY) != Label.CLEAN), 40))
REQUIRED = ("bankruptcy", "freezes", "rnp", "fssp", "arbitration", "risk_flags")
PLANS = {
    "none": "",
    "rough": (ROOT / "configs" / "faults" / "rough.toml").read_text("utf-8").replace("slow = 0.02", "slow = 0"),
    "half of the sources": "[sources_down]\n" + "\n".join(f"{block} = 0.5" for block in REQUIRED),
    "every source": "[sources_down]\n" + "\n".join(f"{block} = 1.0" for block in REQUIRED),
}


@pytest.mark.long
@pytest.mark.parametrize("plan", PLANS)
def test_nobody_in_trouble_is_low(start_sandbox, tmp_path, plan):
    faults = tmp_path / "faults.toml"
    faults.write_text(PLANS[plan], encoding="utf-8")
    service = start_sandbox("--day", DAY, *(("--faults", faults) if PLANS[plan] else ()))
    cli = Cli(tmp_path / "home", service.url, {"INNSPECT_BUDGET__RUN_RUB": "20000"})
    done = cli.run(write_portfolio(tmp_path / "worse.csv", WORSE))
    assert done.code in (0, 6), done
    levels = dict(cli.sql("SELECT level, count(*) FROM mart.risk_score GROUP BY level"))
    assert sum(levels.values()) == len(WORSE)
    assert "low" not in levels
    if plan == "every source":
        assert "medium" not in levels
