"""The command `init`: write settings, risk policy and a sample portfolio where one stands."""

from pathlib import Path

from innspect.cli._console import command_name, make_console, print_json
from innspect.schemas.errors import UsageError
from innspect.schemas.risk_policy.policy_file import FILE_NAME as POLICY_FILE
from innspect.schemas.risk_policy.policy_file import built_in_file
from innspect.schemas.settings import DEFAULT_FILE

SAMPLE = Path("portfolios/sample.csv")
FOLDER = DEFAULT_FILE.parent
FILES = (Path(DEFAULT_FILE.name), Path(POLICY_FILE), SAMPLE)
"""Files in the folder of the settings; innspect finds the first two there without a flag."""


def init(folder: Path, *, json: bool) -> int:
    """Write the files of the distribution into `folder`; keep those that exist. Raises UsageError where that fails."""
    written: list[str] = []
    kept: list[str] = []
    for name in FILES:
        path, content = folder / FOLDER / name, (built_in_file().parent / name).read_bytes()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
            written.append(str(path))
        except FileExistsError:
            kept.append(str(path))
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written ({error.strerror}); name another folder.", path=str(path)
            ) from error
    if json:
        print_json({"written": written, "kept": kept})
        return 0
    screen = make_console()
    for title, paths in (("Written", written), ("Kept, they exist", kept)):
        if paths:
            screen.print(f"{title}: {', '.join(paths)}", soft_wrap=True)
    there = "" if folder == Path() else f"cd {folder}; "
    sample = FOLDER / SAMPLE
    screen.print(f"Next: {there}{command_name()} run {sample} --sandbox --budget 1500", soft_wrap=True)
    return 0
