"""The locked dependencies against the database of known faults: `python -m tests.project_rules.audit LOCK…`.

Fails where one has a known fault. Where the database cannot be reached, or knows none of them, it says so and does not
fail: nothing was found out then.
"""

import json
import subprocess
import sys
from typing import Any

TIMEOUT_SECONDS = 900


def main(locks: list[str]) -> int:
    """Audit the locks together; the exit code."""
    words = [word for lock in locks for word in ("-r", lock)]
    command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip", "--progress-spinner", "off"]
    try:
        done = subprocess.run(
            [*command, "-f", "json", *words], capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS
        )
        report: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        print("Not audited: the database of known faults did not answer in time.")
        return 0
    except json.JSONDecodeError:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"Not audited: the database of known faults cannot be reached ({reason}).")
        return 0
    lines, code = verdict(report)
    print("\n".join(lines))
    return code


def verdict(report: dict[str, Any]) -> tuple[list[str], int]:
    """What pip-audit's report says, in lines, and the exit code."""
    packages = {(one["name"], one.get("version")): one for one in report["dependencies"]}.values()
    looked_up = [one for one in packages if "skip_reason" not in one]
    if not looked_up:
        return [f"Not audited: the database of known faults knows none of the {len(packages)} packages here."], 0
    faults = [(one, fault) for one in looked_up for fault in one["vulns"]]
    lines = [
        f"{one['name']} {one['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'no version yet'}"
        for one, fault in faults
    ]
    missed = len(packages) - len(looked_up)
    known = f"{len(faults)} known faults" if faults else "no known fault"
    lines.append(
        f"{len(looked_up)} packages audited, {known}" + (f"; {missed} could not be looked up." if missed else ".")
    )
    return lines, int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
