"""Audit the locked dependencies with pip-audit: `python -m tests.project_rules.audit LOCK…`.

Fails if a package has a known vulnerability. If the database cannot be reached, or has none of the packages, it prints
"Not audited" and does not fail.
"""

import json
import subprocess
import sys
from typing import Any

TIMEOUT_SECONDS = 900


def main(locks: list[str]) -> int:
    """Audit the locks together and return the exit code."""
    arguments = [argument for lock in locks for argument in ("-r", lock)]
    command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip", "--progress-spinner", "off"]
    try:
        done = subprocess.run(
            [*command, "-f", "json", *arguments], capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS
        )
        report: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        print("Not audited: the vulnerability database did not respond in time.")
        return 0
    except json.JSONDecodeError:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"Not audited: the vulnerability database cannot be reached ({reason}).")
        return 0
    lines, code = summarise(report)
    print("\n".join(lines))
    return code


def summarise(report: dict[str, Any]) -> tuple[list[str], int]:
    """Lines for the screen and the exit code, from the report of pip-audit."""
    packages = {(one["name"], one.get("version")): one for one in report["dependencies"]}.values()
    audited = [one for one in packages if "skip_reason" not in one]
    if not audited:
        return [f"Not audited: the vulnerability database has none of the {len(packages)} packages."], 0
    found = [(package, vulnerability) for package in audited for vulnerability in package["vulns"]]
    lines = [
        f"{package['name']} {package['version']}: {vulnerability['id']}, "
        f"fixed in {', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for package, vulnerability in found
    ]
    skipped = len(packages) - len(audited)
    count = f"{len(found)} known vulnerabilities" if found else "no known vulnerability"
    lines.append(
        f"{len(audited)} packages audited, {count}" + (f"; {skipped} not in the database." if skipped else ".")
    )
    return lines, int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
