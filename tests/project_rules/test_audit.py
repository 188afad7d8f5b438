"""An audit without a result is reported as "Not audited", not as a clean one."""

from tests.project_rules.audit import summarise

SKIPPED = {"name": "skipped", "skip_reason": "Dependency not found"}
CLEAN = {"name": "clean", "version": "1.0", "vulns": []}
VULNERABLE = {"name": "vulnerable", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}


def test_report_without_audited_packages_is_not_audited():
    assert summarise({"dependencies": [SKIPPED, SKIPPED]}) == (
        ["Not audited: the vulnerability database has none of the 1 packages."],
        0,
    )


def test_skipped_packages_are_counted():
    lines, code = summarise({"dependencies": [SKIPPED, CLEAN, CLEAN]})
    assert (lines, code) == (["1 packages audited, no known vulnerability; 1 not in the database."], 0)


def test_vulnerability_fails_and_names_the_fixed_version():
    lines, code = summarise({"dependencies": [CLEAN, VULNERABLE]})
    assert code == 1
    assert lines[0] == "vulnerable 1.0: PYSEC-1, fixed in 1.1"
