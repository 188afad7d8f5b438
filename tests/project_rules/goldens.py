"""What is generated, checked in and compared: the golden DDL, the help of every command, the sandbox's OpenAPI."""

import json
import os
import subprocess
import sys
from pathlib import Path

from innspect.sandbox.openapi import document
from innspect.warehouse.ddl import ddl_statements
from innspect.warehouse.marts.registry import mart_statements

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "data" / "golden"
COMMANDS = (
    "run", "plan", "rebuild", "status", "company", "changes", "coverage", "sql", "report", "publish", "serve",
    "dashboard", "doctor", "archive", "archive compact", "archive retain", "forget", "sandbox",
)  # fmt: skip


def ddl() -> str:
    return ";\n".join([*ddl_statements(), *mart_statements()]) + ";\n"


def openapi() -> str:
    return json.dumps(document("root"), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def cli_help() -> str:
    environment = {**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    texts = []
    for words in ((), *(command.split() for command in COMMANDS)):
        call = [sys.executable, "-m", "innspect.cli.main", *words, "--help"]
        done = subprocess.run(call, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
        texts.append(f"$ {' '.join(('innspect', *words, '--help'))}\n{done.stdout.strip()}\n")
    return "\n".join(texts)


GOLDENS = {"ddl.sql": ddl, "openapi.json": openapi, "cli-help.txt": cli_help}
