# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/summary.py on made-up results: which rows count, what it computes, and where it writes it.

    python3 tests/tools/summary_test.py
"""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # no __pycache__ beside the script
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import summary  # noqa: E402

HEADER = ("operation,backend,scalar,out_features,in_features,sparsity,batch,threads,layout,cache,median_us,min_us,"
          "gb_per_s,memory_bytes,prepare_us,note\n")


def line(backend, us, operation="forward", sparsity=0.95, batch=4, threads=2, layout="column_major", memory=1000000):
    """One line of results for 4000 x 4000."""
    return (f"{operation},{backend},float,4000,4000,{sparsity:.2f},{batch},{threads},{layout},warm,{us},{us},1,"
            f"{memory},1,\"\"\n")


def part(name, us, threads=2):
    return f"step_parts/{name},Host,float,0,0,0.95,100,{threads},column_major,warm,{us},{us},,,,\"\"\n"


class SummaryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, *lines):
        (self.folder / "results.csv").write_text(HEADER + "".join(lines))
        return summary.Results(self.folder / "results.csv")

    def test_of_every_backend_the_faster_layout_counts(self):
        results = self.results(line("Host", 50), line("Host", 40, layout="row_major"),
                               line("OpenBLAS", 90), line("Dense", 80, layout="row_major"),
                               line("librsb", 60), line("EigenRow", ""))

        table = summary.compare(results, operation="forward")

        self.assertEqual(table[0], "| shape | sparsity | batch | Host | dense | librsb | best other / Host "
                                   "| GB/s of Host |")
        self.assertEqual(table[2:], ["| 4000 x 4000 | 0.95 | 4 | 40 r | 80 r | 60 c | 1.50 | 1 |"])

    def test_a_row_without_a_time_is_nobodys_best(self):
        results = self.results(line("Host", ""), line("OpenBLAS", 90))

        self.assertIsNone(results.best(["Host"]))
        self.assertEqual(summary.speedups(results), {})

    def test_the_crossover_is_straight_in_logarithms(self):
        # From half to twice the speed: in the middle, where the density is the geometric mean.
        self.assertEqual(summary.crossover([(0.60, 0.5), (0.90, 2.0)]), "0.800")
        self.assertEqual(summary.crossover([(0.60, 0.25), (0.90, 0.5), (0.99, 1.0)]), "0.990")

    def test_a_crossover_outside_the_curve_is_said_to_be(self):
        self.assertEqual(summary.crossover([(0.80, 1.5), (0.90, 3.0)]), "below 0.80")
        self.assertEqual(summary.crossover([(0.80, 0.5), (0.90, 0.9)]), "above 0.90")

    def test_a_goal_is_measured_against_each_that_it_names(self):
        results = self.results(line("Host", 10, sparsity=0.99, batch=1), line("librsb", 25, sparsity=0.99, batch=1),
                               line("EigenRow", 30, sparsity=0.99, batch=1),
                               line("EigenCol", 15, sparsity=0.99, batch=1))

        self.assertEqual(summary.goals(results)[2:], ["| 0.99 | 1 | librsb | 2 | 2.50 | yes |",
                                                      "| 0.99 | 1 | Eigen | 2 | 1.50 | no |"])

    def test_one_thread_stands_beside_all(self):
        results = self.results(line("Host", 90, threads=1), line("Host", 50), line("Host", 45, layout="row_major"))

        self.assertEqual(summary.one_thread(results)[2:], ["| 4 | 90 c | 45 r | 2.00 | 2.00 |"])

    def test_backward_is_compared_with_the_forward_beside_it(self):
        beside = "forward_beside_backward"
        results = self.results(line("Host", 7), line("Host", 10, operation=beside),
                               line("Host", 20, operation=beside, layout="row_major"),
                               line("Host", 25, operation="backward"),
                               line("Host", 30, operation="backward", layout="row_major"))

        self.assertEqual(summary.backward_over_forward(results)[2:], ["| 0.95 | 4 | 2 | 10 c | 25 c | 2.50 | 2.50 |",
                                                                      "| 0.95 | 4 | 2 | 20 r | 30 r | 1.50 | 1.50 |"])

    def test_the_memory_of_a_step_is_compared_with_dense(self):
        results = self.results(line("Host", 10, operation="training_step", memory=20000000),
                               line("Dense", 10, operation="training_step", memory=200000000))

        self.assertEqual(summary.memory(results)[2:], ["| 0.95 | 20 | 200 | - | 90 % |"])

    def test_a_step_is_summed_up_by_kind(self):
        results = self.results(part("gather", 5), part("forward_0", 100), part("forward_1", 50), part("loss", 6),
                               part("backward_1", 70), part("sgd_0", 3), part("sgd_1", 4), part("step", 238),
                               part("rewire", 2))

        self.assertEqual(summary.step_sums(results), ["2 threads: products 220 us; besides 20 us (gather 5, loss 6, "
                                                      "sgd 7, rewire 2); sum 240 us"])

    def test_the_tables_replace_what_stood_between_the_markers(self):
        page = self.folder / "page.md"
        page.write_text(f"before\n{summary.BEGIN}\nold\n{summary.END}\nafter\n")

        summary.write_between_markers(page, ["new", ""])

        self.assertEqual(page.read_text(), f"before\n{summary.BEGIN}\n\nnew\n{summary.END}\nafter\n")

    def test_a_page_without_markers_is_refused(self):
        page = self.folder / "page.md"
        page.write_text("before\n")

        with self.assertRaisesRegex(SystemExit, "page.md lacks the markers"):
            summary.write_between_markers(page, ["new"])
        self.assertEqual(page.read_text(), "before\n")


if __name__ == "__main__":
    unittest.main()
