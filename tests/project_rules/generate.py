"""Write every generated file: `python -m tests.project_rules.generate [STEP ...]`.

With `--check` nothing is written; the stale files are named and the exit code is 1. Without a step all steps run, in
their order: a later one may read what an earlier one writes.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.payloads.default import default_payload, empty_payload
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.context import View
from innspect.schemas.catalogue import BLOCKS
from innspect.warehouse.dictionary import documents
from tests.project_rules.goldens import GOLDEN, ROOT, cli_help, ddl, mart_fragments, openapi
from tests.support import block_states
from tests.support.builders import BODIES, INN
from tests.support.coverage_document import DOCUMENT, coverage_document
from tests.support.documented_fields import CSV, field_table
from tests.support.golden import golden_texts

Files = Iterable[tuple[Path, str]]


def missing_bodies() -> Files:
    """Bodies of the blocks that have none, from the sandbox's default payloads; once written they are edited by hand."""
    payloads = {"full": default_payload, "empty": empty_payload, "quirks": default_payload}
    for name, block in BLOCKS.items():
        for seed, (sort, make) in enumerate(payloads.items()):
            path = BODIES / f"{name}.{sort}.json"
            if not path.exists():
                body = make(View(Profile(seed, INN), DEFAULT_DAY.toordinal()), block)
                yield path, json.dumps(body, ensure_ascii=False, indent=1) + "\n"


STEPS: Mapping[str, Callable[[], Files]] = {
    "fields": lambda: [(CSV, field_table())],
    "bodies": missing_bodies,
    "documents": lambda: [(ROOT / path, text) for path, text in documents().items()],
    "coverage": lambda: [(DOCUMENT, coverage_document())],
    "ddl": lambda: [(GOLDEN / "ddl.sql", ddl()), (GOLDEN / "mart_fragments.sql", mart_fragments())],
    "openapi": lambda: [(GOLDEN / "openapi.json", openapi())],
    "help": lambda: [(GOLDEN / "cli-help.txt", cli_help())],
    "states": lambda: [(block_states.PAGE, block_states.page())],
    "frames": golden_texts,
}


def stale_files(step: str) -> dict[Path, str]:
    """The files of a step whose text is not the generated one, with the generated one."""
    return {
        path: text
        for path, text in STEPS[step]()
        if not path.exists() or path.read_text("utf-8") != text
    }  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Write the stale files, or with `--check` name them; 1 if a check found any."""
    found = 0
    for step in [name for name in arguments if name != "--check"] or STEPS:
        for path, text in stale_files(step).items():
            found += 1
            if "--check" in arguments:
                sys.stderr.write(f"{path.relative_to(ROOT)} is stale; run `make generate`.\n")
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
                sys.stdout.write(f"{path.relative_to(ROOT)}\n")
    return int("--check" in arguments and bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
