"""The command `evidence` writes the exact bytes of a response, or says in one sentence why it cannot."""

import json
import os
from datetime import datetime
from hashlib import sha256

import pytest

from innspect.cli._options import CliOptions
from innspect.cli.evidence import evidence
from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.errors import ArchiveDamaged, UsageError
from tests.support.cli import COMPANIES, ROOT, write_portfolio


def test_exact_bytes_until_the_inn_is_forgotten_or_the_file_is_gone(cli, tmp_path, capsysbinary):
    assert cli.run(write_portfolio(tmp_path / "two.csv", COMPANIES[:2]), "--profile", "light").code == 0
    responses = dict(cli.sql("SELECT inn, max(response_id) FROM lineage.responses GROUP BY inn"))
    response, other = (responses[inn] for inn in COMPANIES[:2])
    ((recorded, size),) = cli.sql("SELECT sha256, bytes FROM lineage.responses WHERE response_id = ?", response)
    options, file = CliOptions(home=cli.home, json=True), tmp_path / "body.json"

    assert evidence(options, response, file) == 0
    facts, body = json.loads(capsysbinary.readouterr().out), file.read_bytes()
    assert (facts["sha256"], facts["bytes"], facts["inn"]) == (recorded, size, COMPANIES[0])
    assert (sha256(body).hexdigest(), len(body)) == (recorded, size)
    assert isinstance(json.loads(body), dict)

    with pytest.raises(UsageError, match=r"The response .* cannot be written .*; name another file with --out"):
        evidence(options, response, file / "below.json")

    with pytest.raises(UsageError, match="There is no response"):
        evidence(options, "0" * 32, file)
    Tombstones(cli.home).forget([COMPANIES[0]], datetime(2026, 11, 23))
    with pytest.raises(UsageError, match="was forgotten"):
        evidence(options, response, file)
    for archived in (cli.home / "archive" / "answers").glob("*.parquet"):
        archived.unlink()
    with pytest.raises(ArchiveDamaged, match="restore it from a copy"):
        evidence(options, other, tmp_path / "other.json")
    assert not (tmp_path / "other.json").exists()


def test_the_evidence_query_reads_the_archive_of_its_home(cli, tmp_path):
    """From any folder, and after the home was moved: the path of the home is not stored as it was typed."""
    portfolio = write_portfolio(tmp_path / "two.csv", COMPANIES[:2])
    assert cli.run(portfolio, "--profile", "light", "--home", os.path.relpath(cli.home, ROOT)).code == 0
    query = "SELECT count(*) AS responses FROM raw.responses JOIN lineage.responses USING (response_id, sha256)"
    count = cli.value("SELECT count(*) FROM lineage.responses")
    answers = str(cli.home.resolve() / "archive" / "answers")
    assert cli.value("SELECT count(*) FROM duckdb_views() WHERE contains(sql, ?)", answers) == 1
    moved = cli.home.rename(tmp_path / "moved")
    assert json.loads(cli("sql", query, "--format", "json", "--home", moved).out) == [{"responses": count}]
