"""Draw Vega-Lite specifications as SVG in a process of its own.

Starting the JavaScript engine takes most of a second, in which it lets no other Python thread run: a run starts the
process when it publishes and needs it after that. It ends when its standard input does.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Self

Renderer = Callable[[dict[str, Any]], str]
"""From a Vega-Lite specification to SVG."""
WARM_UP: dict[str, Any] = {"data": {"values": []}, "mark": "bar", "encoding": {}}


class VegaProcess:
    """A process that draws charts from the time this is made until this context ends."""

    def __init__(self) -> None:
        # In a session of its own, so that Ctrl-C prints no traceback of it.
        self.process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # It has nothing to complete, and starting it cannot be interrupted otherwise.
        self.process.kill()
        self.process.communicate()

    def render(self, spec: dict[str, Any]) -> str:
        """The SVG of a specification. Raises RuntimeError if it cannot be drawn."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(spec).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # without a reply this is an error below
        reply = self.process.stdout.readline()
        if not reply:
            raise RuntimeError("The process that draws the charts has ended.")
        svg, error = json.loads(reply)
        if svg is None:
            raise RuntimeError(f"A chart cannot be drawn: {error}")
        return str(svg)


def main() -> None:
    """Draw the specifications of standard input, one JSON document per line; reply with SVG and error as JSON."""
    import vl_convert  # noqa: PLC0415 (loads a JavaScript engine, which only this process needs)

    vl_convert.vegalite_to_svg(WARM_UP)
    for line in sys.stdin.buffer:
        try:
            reply = [vl_convert.vegalite_to_svg(json.loads(line)), None]
        except ValueError as error:
            reply = [None, str(error)]
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
