# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/amalgamate.py on made-up headers: what it joins, in which order, and what it refuses.

    python3 tests/tools/amalgamate_test.py

The compiler is that of the environment's CXX, or c++.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "amalgamate.py"
LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n#pragma once\n\n"


class AmalgamateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def amalgamate(self, **headers):
        """Joins snack/snack.hpp of headers given as name=text; returns the process and its output."""
        for name, text in headers.items():
            header = self.folder / "include" / "snack" / f"{name}.hpp"
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(LICENCE + text)
        output = self.folder / "made" / "snack.hpp"
        process = subprocess.run([sys.executable, TOOL, "--include-dir", self.folder / "include", output],
                                 capture_output=True, text=True, check=False)
        return process, output.read_text() if output.exists() else None

    def join_snack(self, root, name):
        """Joins the library's own headers from `root` on."""
        subprocess.run([sys.executable, TOOL, "--root", root, self.folder / name], check=True)

    def assert_compiles(self, source):
        unit = self.folder / "unit.cpp"
        unit.write_text(source)
        process = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-I", self.folder, unit],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, 0, process.stderr)

    def assert_refused(self, reason, **headers):
        process, output = self.amalgamate(**headers)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(process.stderr, f"amalgamate: {reason}\n")
        self.assertIsNone(output)

    def test_a_header_stands_once_and_after_what_it_includes(self):
        process, text = self.amalgamate(
            snack="#include <snack/b.hpp>\n#include <snack/a.hpp>\nint snack;\n",
            a="#include <snack/c.hpp>\nint a;\n",
            b="#include <snack/c.hpp>  // why\nint b;\n",
            c="int c;\n")

        self.assertEqual(process.stderr, "")
        self.assertEqual([line for line in text.splitlines() if line.startswith(("int", "// ===="))], [
            "// ==== snack/c.hpp", "int c;", "// ==== snack/b.hpp", "int b;",
            "// ==== snack/a.hpp", "int a;", "// ==== snack/snack.hpp", "int snack;"])
        self.assertNotIn("#include", text)
        self.assertEqual(text.count("SPDX"), 1)
        self.assertEqual(text.count("#pragma once"), 1)

    def test_other_includes_come_first_and_once_but_not_out_of_a_condition(self):
        _, text = self.amalgamate(
            snack="#include <vector>\n#include <snack/a.hpp>\n#if defined(X)\n#  include <x.h>\n#endif\nint snack;\n",
            a="#include <vector>\n#include <array>\nint a;\n")

        self.assertEqual([line for line in text.splitlines() if line.startswith(("int", "#in", "#if ", "#  "))], [
            "#include <array>", "#include <vector>", "int a;", "#if defined(X)", "#  include <x.h>", "int snack;"])

    def test_each_header_has_a_guard_of_its_own(self):
        _, text = self.amalgamate(**{"snack": "#include <snack/core/types.hpp>\nint snack;\n",
                                     "core/types": "int types;\n"})

        self.assertIn("#ifndef SNACK_JOINED_core_types_hpp\n#define SNACK_JOINED_core_types_hpp\n\n"
                      "int types;\n#endif\n", text)
        self.assertIn("#ifndef SNACK_JOINED_snack_hpp\n", text)

    def test_two_roots_can_be_included_together_in_any_order(self):
        self.join_snack("snack/snack.hpp", "all.hpp")
        self.join_snack("snack/backends/dense.hpp", "dense.hpp")
        uses_both = "snack::SparseLinear<snack::Host, float>* host;\nsnack::SparseLinear<snack::Dense, float>* dense;\n"

        self.assert_compiles('#include "all.hpp"\n#include "dense.hpp"\n' + uses_both)
        self.assert_compiles('#include "dense.hpp"\n#include "all.hpp"\n' + uses_both)

    def test_the_same_headers_give_the_same_bytes(self):
        headers = {"snack": "#include <vector>\n#include <snack/a.hpp>\n", "a": "#include <array>\n#include <span>\n"}
        self.assertEqual(self.amalgamate(**headers)[1], self.amalgamate(**headers)[1])

    def test_a_missing_header_is_named_with_the_place_that_wants_it(self):
        self.assert_refused("snack/a.hpp:5: cannot read <snack/gone.hpp>: No such file or directory",
                            snack="#include <snack/a.hpp>\n", a="\n#include <snack/gone.hpp>\n")

    def test_a_circle_is_shown(self):
        self.assert_refused("includes in a circle: snack/a.hpp -> snack/b.hpp -> snack/a.hpp",
                            snack="#include <snack/a.hpp>\n", a="#include <snack/b.hpp>\n",
                            b="#include <snack/a.hpp>\n")

    def test_a_quoted_include_is_refused(self):
        self.assert_refused('snack/snack.hpp:4: cannot follow #include "a.hpp": write it as <folder/name>',
                            snack='#include "a.hpp"\n', a="int a;\n")

    def test_a_header_inside_a_condition_is_refused(self):
        self.assert_refused("snack/snack.hpp:5: #include <snack/a.hpp> stands inside an #if, so it cannot be moved",
                            snack="#if 1\n#include <snack/a.hpp>\n#endif\n", a="int a;\n")


if __name__ == "__main__":
    unittest.main()
