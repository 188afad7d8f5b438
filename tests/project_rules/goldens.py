"""Generated texts that are checked in and compared: DDL, fragments of the marts, help of every command, OpenAPI."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from innspect.sandbox.openapi import openapi_document
from innspect.schemas.tables import tables
from innspect.warehouse.ddl import ddl_statements
from innspect.warehouse.marts.registry import FRAGMENTS

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "data" / "golden"
COMMANDS = (
    "run", "plan", "check", "probe", "rebuild", "status", "company", "dossier", "evidence", "changes", "coverage", "sql",
    "policy", "report", "publish", "notify", "serve", "dashboard", "doctor", "archive", "archive compact",
    "archive retain",
    "portfolio", "portfolio list", "portfolio show", "portfolio rename", "portfolio drop", "forget", "init", "sandbox",
)  # fmt: skip
VIEW = re.compile(r'CREATE OR REPLACE (?:VIEW|MACRO) (?:current|as_of)\."(\w+)"')


def ddl() -> str:
    """The stored tables, one column per line, and each different view with the tables that have it.

    Comments are in docs/data-dictionary.md, marts in warehouse/marts/*.sql and `mart_fragments`.
    """
    texts: list[str] = []
    views: dict[str, list[str]] = {}
    for statement in ddl_statements():
        if found := VIEW.match(statement):
            name = found[1]
            shape = statement.replace(f'"{name}"', '"<table>"').replace(f"'{tables()[name].block}'", "'<block>'")
            views.setdefault(shape, []).append(name)
        elif not statement.startswith("COMMENT"):
            texts.append(statement.replace(" (", " (\n    ", 1).replace(", ", ",\n    ") + ";\n")
    texts += [f"-- {', '.join(names)}\n{shape};\n" for shape, names in views.items()]
    return "\n".join(texts)


def mart_fragments() -> str:
    """The SQL that replaces each placeholder of warehouse/marts/*.sql."""
    return "\n\n".join(f"-- {placeholder}\n{fragment()}" for placeholder, fragment in FRAGMENTS.items()) + "\n"


def openapi() -> str:
    """The sandbox's OpenAPI document."""
    return json.dumps(openapi_document("root"), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def cli_help() -> str:
    """The help of every command at a width of 100."""
    environment = {**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    texts: list[str] = []
    for command in ("", *COMMANDS):
        arguments = [*command.split(), "--help"]
        call = [sys.executable, "-m", "innspect.cli.main", *arguments]
        done = subprocess.run(call, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
        texts.append(f"$ {' '.join(('innspect', *arguments))}\n{done.stdout.strip()}\n")
    return "\n".join(texts)
