"""`python -m epoche.report.schema`: prints the certificate's JSON Schema, writes it, or checks a file.

python -m epoche.report.schema                  print it
python -m epoche.report.schema FILE             write it to FILE
python -m epoche.report.schema --check FILE     exit code 1 if FILE is not the same
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from epoche.report.canonical import render_schema


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m epoche.report.schema", description="JSON Schema of an epoche certificate."
    )
    parser.add_argument("file", nargs="?", type=Path, help="where to write it (default: standard output)")
    parser.add_argument("--check", action="store_true", help="only compare: 1 if the file differs")
    options = parser.parse_args(arguments)
    schema = render_schema()
    if options.check:
        if options.file is None:
            parser.error("--check needs the file to compare with")
        if options.file.is_file() and options.file.read_bytes() == schema.encode("utf-8"):
            return 0
        print(
            f"{options.file} is not up to date: run python -m epoche.report.schema {options.file}",
            file=sys.stderr,
        )
        return 1
    if options.file is None:
        sys.stdout.buffer.write(schema.encode("utf-8"))
        return 0
    options.file.write_bytes(schema.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
