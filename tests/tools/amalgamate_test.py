# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/amalgamate.py on made-up headers: what it joins, in which order, and what it refuses.

    python3 tests/tools/amalgamate_test.py
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "amalgamate.py"
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

        self.assertEqual([line for line in text.splitlines() if line.startswith(("int", "#i", "#e", "#  "))], [
            "#include <array>", "#include <vector>", "int a;", "#if defined(X)", "#  include <x.h>", "#endif",
            "int snack;"])

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
