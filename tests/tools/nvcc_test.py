# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What examples/run.sh and tests/run.sh do with an nvcc that is too old or broken: they go on without it.

    python3 tests/tools/nvcc_test.py

Every other program that the scripts call is a made-up one, so nothing is installed or built.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ("cmake/packages.sh", "examples/run.sh", "tests/run.sh")
TOOLS = ("g++", "clang++", "clang-format", "clang-tidy", "make", "pkg-config", "python3", "apt-get", "sudo")
TRAIN = '#!/bin/sh\necho "trained $*"\n'
CMAKE = 'echo "$*" >>"$CALLS"'
CTEST = 'echo "100% tests passed, 0 tests failed out of 1"'


class NvccTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for script in SCRIPTS:
            (self.folder / script).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / script, self.folder / script)
        train = self.folder / "build" / "examples" / "examples" / "02_train"
        train.parent.mkdir(parents=True)
        train.write_text(TRAIN)
        train.chmod(0o755)
        for tool in TOOLS:
            self.make(tool, "exit 0")
        self.make("cmake", CMAKE)
        self.make("ctest", CTEST)
        self.make("nvidia-smi", "exit 0")
        self.calls = self.folder / "calls"

    def make(self, name, body):
        program = self.folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)

    def make_nvcc(self, release, status=0):
        """An nvcc of a release, whose compilations end with a status."""
        self.make("nvcc", f'case $1 in --version) echo "Cuda compilation tools, release {release}, V{release}.1" ;; '
                          f'*) exit {status} ;; esac')

    def run_script(self, script, *arguments):
        self.calls.write_text("")
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "CALLS": str(self.calls)}
        return subprocess.run(["sh", self.folder / script, *arguments], env=environment, capture_output=True, text=True,
                              check=False)

    def train(self, *arguments):
        return self.run_script("examples/run.sh", "--data=folder", *arguments)

    def test_an_nvcc_that_works_is_used(self):
        for release in ("12.2", "12.10", "13.0"):
            self.make_nvcc(release)

            process = self.train("--backend", "cuda")

            self.assertEqual(process.stdout, "trained --data=folder --backend cuda\n", process.stderr)
            self.assertEqual(process.stderr, "Building the examples\n")
            self.assertIn("-DSNACK_CUDA=ON", self.calls.read_text())

    def test_the_examples_go_on_without_an_nvcc_that_does_not_work(self):
        for release, status, why in (("11.8", 0, "nvcc is 11.8, and the library needs 12.2 or newer"),
                                     ("12.0", 0, "nvcc is 12.0, and the library needs 12.2 or newer"),
                                     ("12.6", 1, "nvcc 12.6 cannot compile an empty C++20 file"),
                                     ("none", 0, "nvcc does not say its version")):
            self.make_nvcc(release, status)

            process = self.train("--backend", "host")

            self.assertEqual(process.stdout, "trained --data=folder --backend host\n", process.stderr)
            self.assertEqual(process.stderr, f"Going on without CUDA: {why}\nBuilding the examples\n")
            self.assertIn("-DSNACK_CUDA=OFF", self.calls.read_text())

    def test_the_backend_cuda_is_refused_without_what_it_needs(self):
        self.make_nvcc("11.8")
        for arguments in (("--backend", "cuda"), ("--backend=cuda",)):
            process = self.train("--epochs", "1", *arguments)
            self.assertEqual(process.returncode, 2)
            self.assertEqual(process.stderr,
                             "examples/run.sh: --backend cuda: nvcc is 11.8, and the library needs 12.2 or newer\n")
            self.assertEqual(self.calls.read_text(), "")

        self.make_nvcc("13.0")
        self.make("nvidia-smi", "exit 9")
        self.assertEqual(self.train("--backend=cuda").stderr, "examples/run.sh: --backend cuda: there is no GPU\n")

    def test_the_tests_leave_the_preset_cuda_out(self):
        self.make_nvcc("12.0")
        without = self.run_script("tests/run.sh")
        self.assertNotIn("--preset cuda", self.calls.read_text())
        self.make_nvcc("12.2")
        with_nvcc = self.run_script("tests/run.sh")

        self.assertEqual(without.returncode, 0, without.stderr)
        self.assertIn("Going on without the preset cuda: nvcc is 12.0, and the library needs 12.2 or newer\n",
                      without.stdout)
        self.assertTrue(without.stdout.endswith("4 passed, 0 failed, 3 skipped\n"), without.stdout)
        self.assertIn("--preset cuda", self.calls.read_text())
        self.assertTrue(with_nvcc.stdout.endswith("5 passed, 0 failed, 2 skipped\n"), with_nvcc.stdout)


if __name__ == "__main__":
    unittest.main()
