#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joins snack/snack.hpp and every header of snack that it includes into one file.

    python3 tools/amalgamate.py snack.hpp

Each header stands once, after those it includes. Includes of other libraries come first, except
those inside an #if, which stay where they are. Each header is guarded by a macro of its own, so joined
files of one version can be included together. The outcome depends on the headers alone. What cannot be
joined is refused, with file and line: an include that is not found, a circle, an include of snack
inside an #if.
"""

import argparse
import pathlib
import re
import sys

LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
PRAGMA_ONCE = re.compile(r"\s*#\s*pragma\s+once\b")
INCLUDE = re.compile(r"\s*#\s*include\b\s*(.*)")
ANGLED = re.compile(r"<([^>]+)>")
CONDITION_BEGIN = re.compile(r"\s*#\s*if")  # if, ifdef, ifndef
CONDITION_END = re.compile(r"\s*#\s*endif\b")

HEAD = f"""{LICENCE}
#pragma once

// {{root}} and all that it includes in one file, made by tools/amalgamate.py: do not edit.
// It goes together with other joined files of this version, not with the headers that they are made of.
"""


def is_foreign(what):
    """Whether an include names a header of another library."""
    header = ANGLED.match(what)
    return header is not None and not header.group(1).startswith("snack/")


def guard(name):
    """The macro that says that a joined file has brought the header `name`."""
    return "SNACK_JOINED_" + re.sub(r"\W", "_", name.removeprefix("snack/"))


class AmalgamationError(Exception):
    """What is wrong with the headers, and where."""


class Amalgamation:
    """The joined text so far: bodies in the order of inclusion, and other libraries' headers."""

    def __init__(self, include_dir):
        self.include_dir = include_dir
        self.bodies = {}  # name of a header: its lines
        self.system_headers = set()

    def add(self, name, included_from="the command line", chain=()):
        """Appends the header `name` and, before it, what it includes, unless they are there."""
        if name in chain:
            raise AmalgamationError("includes in a circle: " + " -> ".join(chain[chain.index(name):] + (name,)))
        if name in self.bodies:
            return
        try:
            lines = (self.include_dir / name).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise AmalgamationError(f"{included_from}: cannot read <{name}>: {error.strerror}") from error
        body = []
        conditions = 0
        for number, line in enumerate(lines, start=1):
            where = f"{name}:{number}"
            conditions += bool(CONDITION_BEGIN.match(line)) - bool(CONDITION_END.match(line))
            include = INCLUDE.match(line)
            if include and not (conditions and is_foreign(include.group(1))):
                self.add_include(include.group(1), where, conditions, chain + (name,))
            elif line.rstrip() != LICENCE and not PRAGMA_ONCE.match(line):
                body.append(line.rstrip())
        self.bodies[name] = body

    def add_include(self, what, where, conditions, chain):
        header = ANGLED.match(what)
        if not header:
            raise AmalgamationError(f"{where}: cannot follow #include {what}: write it as <folder/name>")
        if is_foreign(what):
            self.system_headers.add(header.group(1))
        elif conditions:
            raise AmalgamationError(f"{where}: #include {what} stands inside an #if, so it cannot be moved")
        else:
            self.add(header.group(1), where, chain)

    def text(self, root):
        lines = HEAD.format(root=root).splitlines() + [""]
        lines += [f"#include <{header}>" for header in sorted(self.system_headers)]
        for name, body in self.bodies.items():
            lines += ["", f"// ==== {name}", f"#ifndef {guard(name)}", f"#define {guard(name)}", ""] + body + ["#endif"]
        text = "\n".join(lines) + "\n"
        return re.sub(r"\n{3,}", "\n\n", text)


def main():
    parser = argparse.ArgumentParser(description="Joins the headers of snack into one file.")
    parser.add_argument("output", type=pathlib.Path, help="the file to write")
    parser.add_argument("--root", default="snack/snack.hpp", help="the header to begin with")
    parser.add_argument("--include-dir", type=pathlib.Path, help="the folder that holds snack/",
                        default=pathlib.Path(__file__).resolve().parent.parent / "include")
    options = parser.parse_args()
    amalgamation = Amalgamation(options.include_dir)
    try:
        amalgamation.add(options.root)
    except AmalgamationError as error:
        sys.exit(f"amalgamate: {error}")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(amalgamation.text(options.root), encoding="utf-8")


if __name__ == "__main__":
    main()
