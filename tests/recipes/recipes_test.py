#!/usr/bin/env python3
"""Runs the commands of docs/recipes.md as a reader would, each recipe in an empty folder.

A block of commands is fenced as ```sh. Behind that word, "needs WHAT..." names what may be missing;
the line "<!-- otherwise: COMMANDS -->" behind the block then runs in its place. Measuring takes
minutes, so GPUs count as missing unless PERFMODEL_RECIPES_GPUS says how many there are. A block fenced as
```text that follows shows lines of the output; each must occur, in that order.

  recipes_test.py PAGE INSTALLATION TESTS [WORDS of a heading]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FENCE = re.compile(r"^```(\w+)(?: needs ([\w ]+))?\n(.*?)^```\n(?:<!-- otherwise: (.*?) -->\n)?",
                   re.MULTILINE | re.DOTALL)


def is_there(what: str) -> bool:
    gpus = int(os.environ.get("PERFMODEL_RECIPES_GPUS", "0"))
    if what == "gpu":
        return gpus > 0
    if what == "gpus":
        return gpus > 1
    return shutil.which(what) is not None


def recipes(page: str):
    """Heading and blocks of each section that has commands."""
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        blocks = FENCE.findall(section)
        if blocks:
            yield section.split("\n", 1)[0], blocks


def shows(output: str, wanted: str) -> str:
    """The first wanted line that the output lacks; empty: none."""
    begin = 0
    for line in filter(None, wanted.splitlines()):
        begin = output.find(line, begin)
        if begin < 0:
            return line
        begin += len(line)
    return ""


def run(heading: str, blocks, environment) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        script = "set -euo pipefail\n"
        output = ""
        for language, needs, text, otherwise in blocks:
            if language == "text":
                missing = shows(output, text)
                if missing:
                    print(f"{heading}: the output does not show '{missing}':\n{output}")
                    return False
                continue
            missing = [what for what in needs.split() if not is_there(what)]
            if missing:
                print(f"{heading}: no {missing[0]}, a stand-in runs instead of: {text.strip()}")
                text = otherwise
            # Later blocks see what earlier ones exported, as in one shell.
            state = Path(folder) / ".state"
            before = f". {state}\n" if state.exists() else ""
            done = subprocess.run(["bash", "-c", f"{script}{before}{text}\nexport -p > {state}"],
                                  cwd=folder, env=environment, capture_output=True, text=True,
                                  check=False)
            output = done.stdout
            if done.returncode != 0:
                print(f"{heading}: exit code {done.returncode} of\n{text}\n{done.stderr}")
                return False
    print(f"{heading}: works")
    return True


def main() -> int:
    page, installation, tests = (Path(argument).resolve() for argument in sys.argv[1:4])
    only = " ".join(sys.argv[4:])
    environment = dict(os.environ)
    environment.pop("PERFMODEL_SPECS", None)
    wheels = tests.parent.glob("build/cuda-tools/lib/python3*/site-packages/nvidia/*/bin")
    folders = [installation / "bin", *wheels, environment["PATH"]]
    environment["PATH"] = os.environ["PATH"] = ":".join(map(str, folders))
    environment["SPECS"] = str(installation / "share/perfmodel/specs")
    environment["TOOLS"] = str(tests / "recipes")
    found = [recipe for recipe in recipes(page.read_text(encoding="utf-8"))
             if only.lower() in recipe[0].lower()]
    if not found:
        print(f"{page}: no such recipe")
        return 1
    return 0 if all([run(heading, blocks, environment) for heading, blocks in found]) else 1


if __name__ == "__main__":
    sys.exit(main())
