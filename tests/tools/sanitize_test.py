# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tests/cuda/sanitize.sh on made-up programs: it must run every case that they list, with either version of Catch2.

    python3 tests/tools/sanitize_test.py
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "cuda" / "sanitize.sh"

# Stands in for a test program: LISTS answers its options of lists; with a file of names it tells and counts those.
PROGRAM = """#!/bin/sh
case "$*" in
LISTS
    "--input-file "*) cat "$2"; echo "test cases: $(grep -c . "$2") | all passed" ;;
    "[large],[alone]") echo "test cases: 1 | 1 passed" ;;
    *) echo "Unrecognised token: $1" >&2; exit 255 ;;
esac
"""
CATCH2 = """    --list-test-names-only*) printf 'one\\ntwo, and\\nthree\\n'; exit 3 ;;"""
THREADS = """    --list-test-names-only*) printf 'one\\nmany streams share a layer\\n'; exit 2 ;;"""
CATCH3 = """    "--list-tests --verbosity quiet"*) printf 'one\\ntwo, and\\nthree\\n' ;;"""


class SanitizeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def sanitize(self, lists, tool="plain", found=0):
        program = self.folder / "program"
        program.write_text(PROGRAM.replace("LISTS", lists))
        program.chmod(0o755)
        sanitizer = self.folder / "compute-sanitizer"
        sanitizer.write_text(f"""#!/bin/sh
while [ "$1" != "{program}" ]; do shift; done
"$@"
echo "========= ERROR SUMMARY: {found} errors"
""")
        sanitizer.chmod(0o755)
        return subprocess.run(["sh", SCRIPT, program, self.folder / "logs", "2", tool], capture_output=True, text=True,
                              check=False, env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})

    def test_all_cases_run_with_either_version_of_catch2(self):
        for lists in (CATCH2, CATCH3):
            process = self.sanitize(lists)
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertRegex(process.stdout, "^plain: 4 cases, 0 of 4 processes failed, 0 errors found")

    def test_the_tools_get_no_cases_of_several_threads(self):
        for tool, cases in (("plain", 3), ("memcheck", 1), ("synccheck", 1), ("initcheck", 1), ("racecheck", 1)):
            process = self.sanitize(THREADS, tool)
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertRegex(process.stdout, f"^{tool}: {cases} cases")

    def test_what_a_tool_finds_is_a_failure(self):
        process = self.sanitize(CATCH2, "memcheck", found=2)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stdout, "^memcheck: 3 cases, 0 of 3 processes failed, 6 errors found")

    def test_a_program_that_lists_nothing_is_a_failure_and_named(self):
        for lists in ("", CATCH2.replace("printf 'one\\ntwo, and\\nthree\\n'; exit 3", "exit 0")):
            process = self.sanitize(lists)
            self.assertEqual(process.returncode, 1)
            self.assertIn(f"plain: {self.folder}/program lists no cases\n", process.stderr)
            self.assertEqual(process.stdout, "")


if __name__ == "__main__":
    unittest.main()
