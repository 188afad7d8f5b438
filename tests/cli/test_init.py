"""`innspect init` in an empty folder."""

import json
import shutil

from innspect.schemas.settings import load_settings
from tests.support.cli import ROOT
from tests.support.commands import run_here

NAMES = ("innspect.toml", "risk.toml", "portfolios/sample.csv")


def test_init_writes_files_that_innspect_uses_and_keeps_those_that_exist(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, out, err = run_here(capsys, "init")
    assert (code, err) == (0, "")
    assert "run configs/portfolios/sample.csv --sandbox --budget 1500" in out
    for name in NAMES:
        assert (tmp_path / "configs" / name).read_bytes() == (ROOT / "configs" / name).read_bytes()
    assert load_settings(None, {}, {}).policies.file == "configs/risk.toml"
    planned = json.loads(run_here(capsys, "plan", "configs/portfolios/sample.csv", "--sandbox", "--json")[1])
    assert planned["accepted"] > 0
    settings = tmp_path / "configs" / "innspect.toml"
    settings.write_text("default_profile = 'light'\n", encoding="utf-8")
    (tmp_path / "configs" / "risk.toml").unlink()
    again = json.loads(run_here(capsys, "init", "--json")[1])
    assert again == {
        "written": ["configs/risk.toml"],
        "kept": ["configs/innspect.toml", "configs/portfolios/sample.csv"],
    }
    assert settings.read_text(encoding="utf-8") == "default_profile = 'light'\n"
    shutil.rmtree(tmp_path / "configs")
    (tmp_path / "configs").touch()
    code, _, err = run_here(capsys, "init")
    assert (code, "cannot be written" in err) == (2, True)
