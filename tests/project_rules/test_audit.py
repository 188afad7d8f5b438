"""An audit that found nothing out is not told as one that found nothing."""

from tests.project_rules.audit import verdict

SKIPPED = {"name": "left", "skip_reason": "Dependency not found"}
SOUND = {"name": "sound", "version": "1.0", "vulns": []}
FAULTY = {"name": "faulty", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}


def test_nothing_looked_up_is_not_audited():
    assert verdict({"dependencies": [SKIPPED, SKIPPED]}) == (
        ["Not audited: the database of known faults knows none of the 1 packages here."],
        0,
    )


def test_what_could_not_be_looked_up_is_counted():
    lines, code = verdict({"dependencies": [SKIPPED, SOUND, SOUND]})
    assert (lines, code) == (["1 packages audited, no known fault; 1 could not be looked up."], 0)


def test_a_known_fault_fails_and_names_what_mends_it():
    lines, code = verdict({"dependencies": [SOUND, FAULTY]})
    assert code == 1
    assert lines[0] == "faulty 1.0: PYSEC-1, mended in 1.1"
