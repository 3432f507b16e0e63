#!/usr/bin/env python3
"""Deals the entries of a recording out to several files, as if as many GPUs had measured them."""

import json
import sys


def main() -> None:
    source, *targets = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        recording = json.load(file)
    entries = recording["entries"]
    for index, target in enumerate(targets):
        recording["device_attributes"]["uuid"] = f"GPU-{index}"
        recording["entries"] = entries[index :: len(targets)]
        with open(target, "w", encoding="utf-8") as file:
            json.dump(recording, file)


if __name__ == "__main__":
    main()
