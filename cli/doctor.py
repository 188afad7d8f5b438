"""The command `doctor`: check everything that a run needs; one line per check: ok, WARN, or FAIL and what to do."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict

import typer

from innspect.cli import doctor_checks as checks
from innspect.cli._console import make_console
from innspect.cli._options import CliOptions
from innspect.cli.doctor_checks import Finding
from innspect.flows.sandbox_process import run_sandbox, use_sandbox
from innspect.schemas.errors import Exit, InnspectError, StoresHeld, class_and_first_line
from innspect.schemas.settings import Settings

CHECKS = (
    checks.versions, checks.home, checks.disk, checks.permissions, checks.lock, checks.ledger, checks.archive,
    checks.warehouse, checks.compute, checks.prefect,
)  # fmt: skip


def doctor(options: CliOptions) -> int:
    """Run all checks: OK, REFUSED if the service refuses key or credit, FAULT if any other check failed."""
    with ExitStack() as stack:
        settings = options.settings()
        if options.sandbox:
            settings = use_sandbox(settings, stack.enter_context(run_sandbox()))
        findings = [finding for check in CHECKS for finding in run_check(check, settings)]
        service = checks.check_service(settings)
        findings += service.findings
    code = Exit.REFUSED if service.is_refused else Exit.OK if all(finding.ok for finding in findings) else Exit.FAULT
    if options.json:
        result = {
            "ok": code is Exit.OK,
            "checks": [asdict(finding) for finding in findings],
            "account": None if service.account is None else service.account.as_json(),
        }
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        screen = make_console()
        for finding in findings:
            mark = "FAIL" if not finding.ok else "WARN" if finding.warning else "ok  "
            screen.print(f"{mark} {finding.check:<12} {finding.says}", soft_wrap=True)
    return int(code)


def run_check(check: Callable[[Settings], Iterator[Finding]], settings: Settings) -> list[Finding]:
    """The findings of one check; an error of the check is a finding."""
    name = check.__name__
    try:
        return list(check(settings))
    except StoresHeld:
        return [Finding(name, ok=True, says="in use by another process; check it again when that ends")]
    except InnspectError as error:
        return [Finding(name, ok=False, says=error.message.rstrip("."))]
    except OSError as error:
        says = f"cannot be checked ({error}); correct the permissions of {settings.home}"
        return [Finding(name, ok=False, says=says)]
    except Exception as error:  # noqa: BLE001 (one check that fails must not hide the others)
        says = f"cannot be checked ({class_and_first_line(error)}); report this error"
        return [Finding(name, ok=False, says=says)]
