# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/gpu/gpu_summary.py on made-up results: which rows count, and what it computes from them.

    python3 tests/tools/gpu_summary_test.py
"""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # no __pycache__ beside the scripts
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "gpu"))
import gpu_summary  # noqa: E402

HEADER = ("operation,method,out_features,in_features,sparsity,batch,layout,cache,median_us,min_us,calls,copies,"
          "memory_bytes,peak_bytes,prepare_us,watts,joules_per_call,note\n")


def line(method, us, operation="forward", size=10000, sparsity=0.95, batch=4, layout="row_major", cache="cold",
         memory=1000000, watts="", joules="", note=""):
    return (f"{operation},{method},{size},{size},{sparsity:.3f},{batch},{layout},{cache},{us},{us},20,1,"
            f"{memory},{memory},5,{watts},{joules},\"{note}\"\n")


def read_rate(terabytes):
    """The row of a kernel that reads so many in a second."""
    return line("read", 1, operation="reference", size=0, sparsity=0, memory=int(terabytes * 1e6))


class GpuSummaryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, *lines, file="forward"):
        (self.folder / f"{file}.csv").write_text(HEADER + "".join(lines))
        return gpu_summary.Results(self.folder)

    def cells(self, table, row=2):
        header = [cell.strip() for cell in table[0].strip("|").split("|")]
        return dict(zip(header, (cell.strip() for cell in table[row].strip("|").split("|"))))

    def line_of(self, table, first):
        row = next(row for row in table if row.startswith(f"| {first} |"))
        return [cell.strip() for cell in row.strip("|").split("|")][1:]

    def test_of_a_kind_the_fastest_call_and_layout_counts_and_is_named(self):
        results = self.results(line("CooSegmented", 20), line("dense_sgemm_rows", 200), line("dense_sgemm_columns", 190),
                               line("dense_sgemm_columns", 180, layout="column_major"), line("dense_tf32_rows", 100))

        cells = self.cells(gpu_summary.forward_by_batch(results, "cold"))

        self.assertEqual(cells["dense"], "180 sgemm_columns c")
        self.assertEqual(cells["dense TF32"], "100 tf32_rows r")
        self.assertEqual(cells["dense / snack"], "9.00")
        self.assertEqual(cells["best peer / snack"], "5.00 (dense_tf32_rows)")

    def test_the_library_is_its_default_backend_where_that_was_measured(self):
        results = self.results(line("CooSegmented", 20), line("Cuda", 25), line("dense_sgemm_rows", 200))

        self.assertEqual(self.cells(gpu_summary.forward_by_batch(results, "cold"))["snack"], "25 r")

    def test_the_sorted_kernel_is_not_taken_for_the_shuffled_one(self):
        results = self.results(line("CooSegmented", 20), line("CooAtomic", 700), line("CooAtomic_shuffled", 100))

        cells = self.cells(gpu_summary.forward_by_batch(results, "cold"))

        self.assertEqual(cells["paper's kernel, sorted"], "700 r")
        self.assertEqual(cells["paper's kernel, shuffled"], "100 r")

    def test_the_floor_is_six_bytes_a_non_zero_and_ten_for_both_gradients(self):
        results = self.results(read_rate(4), line("CooSegmented", 20))
        self.assertEqual(self.cells(gpu_summary.forward_by_batch(results, "cold"))["floor"], "7.5")

        results = self.results(read_rate(4), line("CooSegmented", 25, operation="backward"))
        self.assertEqual(self.cells(gpu_summary.gradients(results, "backward"))["share of floor"], "50 %")

    def test_there_is_no_floor_with_a_warm_cache_or_without_the_rate_of_reading(self):
        warm = self.results(read_rate(4), line("CooSegmented", 20, cache="warm"))
        self.assertNotIn("share of floor", self.cells(gpu_summary.forward_by_batch(warm, "warm")))

        unknown = self.results(line("CooSegmented", 20))
        self.assertEqual(self.cells(gpu_summary.forward_by_batch(unknown, "cold"))["snack"], "20 r")
        self.assertNotIn("floor", self.cells(gpu_summary.forward_by_batch(unknown, "cold")))

    def test_a_warm_row_of_a_framework_is_no_peer_of_a_cold_one(self):
        results = self.results(line("CooSegmented", 20, size=500), line("torch_dense", 10, size=500, cache="warm"),
                               line("dense_sgemm_rows", 30, size=500), line("CooSegmented", 5, size=500, cache="warm"))

        cold = self.cells(gpu_summary.forward_by_shape(results))
        warm = self.cells(gpu_summary.frameworks(results, "warm"))

        self.assertEqual(cold["best peer / snack"], "1.50 (dense_sgemm_rows)")
        self.assertEqual(warm["best peer / snack"], "2.00 (torch_dense)")
        self.assertEqual(gpu_summary.frameworks(results, "cold"), [])

    def test_a_wrong_row_is_absent(self):
        results = self.results(line("CooSegmented", 20), line("dense_sgemm_rows", 1, note="wrong: 3 of 4 elements"))

        self.assertEqual(self.cells(gpu_summary.forward_by_batch(results, "cold"))["dense / snack"], "-")

    def test_a_step_is_compared_in_time_and_in_memory_of_the_same_method(self):
        results = self.results(
            line("CooSegmented", 100, operation="training_step", sparsity=0.9, memory=240000000),
            line("dense_sgemm_rows", 1000, operation="training_step", sparsity=0.9, memory=1200000000),
            line("dense_sgemm_momentum_rows", 800, operation="training_step", sparsity=0.9, memory=800000000),
            line("Dense", 500, operation="training_step", sparsity=0.9, memory=900000000),
            line("masked_sgemm_rows", 2000, operation="training_step", sparsity=0.9, memory=2000000000),
            file="training")

        cells = self.cells(gpu_summary.training(results))

        self.assertEqual(cells["dense / snack"], "8.00")
        self.assertEqual(cells["dense products, sparse parameters"], "500 r")
        self.assertEqual(cells["dense + mask / snack"], "20.00")
        self.assertEqual(cells["bytes per non-zero"], "24.0")
        self.assertEqual(cells["MB of dense"], "800")
        self.assertEqual(cells["less than dense"], "70 %")

    def test_energy_is_that_of_a_hundred_iterations_beside_the_papers(self):
        self.results(line("CooSegmented", 100, operation="training_step", sparsity=0.9), file="training")
        results = self.results(
            line("CooSegmented", 100, operation="training_step", sparsity=0.9, watts=500, joules=0.036), file="power")

        table = gpu_summary.paper_layer(results, 10000, 10000, 4)

        self.assertEqual(self.line_of(table, "snack"), ["0.90", "30000", "1", "100 r", "cold", "500", "1", "0.45"])
        self.assertEqual(self.line_of(table, "paper: SNACK"),
                         ["0.90", "30000", "1173", "484.4", "-", "81.7", "0.85", "0.38"])

    def test_time_memory_and_energy_of_a_line_are_of_one_method(self):
        step = dict(operation="training_step", sparsity=0.9)
        self.results(line("dense_sgemm_momentum_rows", 800, memory=800000000, **step),
                     line("dense_sgemm_rows", 1000, memory=1200000000, **step),
                     line("dense_sgemm_columns", 1100, memory=1200000000, **step), file="training")
        results = self.results(line("dense_sgemm_rows", 1010, watts=500, joules=0.505, **step),
                               line("dense_sgemm_columns", 990, watts=600, joules=0.594, **step), file="power")

        table = gpu_summary.paper_layer(results, 10000, 10000, 4)

        self.assertEqual(self.line_of(table, "dense"),
                         ["-", "100000", "1200", "1010 sgemm_rows r", "cold", "500", "14", "6.31"])

    def test_a_line_of_one_layer_says_that_its_cache_was_warm_until_a_cold_one_is_measured(self):
        step = dict(operation="training_step", sparsity=0.99)
        warm = line("CooSegmented", 50, cache="warm", watts=400, joules=0.02, **step)
        cold = line("CooSegmented", 65, watts=400, joules=0.026, **step)
        self.results(line("CooSegmented", 63, **step), file="training")

        before = gpu_summary.paper_layer(self.results(warm, file="power"), 10000, 10000, 4)
        after = gpu_summary.paper_layer(self.results(warm, cold, file="power"), 10000, 10000, 4)

        self.assertEqual(self.line_of(before, "snack")[3:7], ["50 r", "warm", "400", "0.556"])
        self.assertEqual(self.line_of(after, "snack")[3:7], ["65 r", "cold", "400", "0.722"])

    def test_a_line_without_a_row_of_power_has_its_time_and_memory(self):
        results = self.results(line("CooSegmented", 100, operation="training_step", sparsity=0.9), file="training")

        self.assertEqual(self.line_of(gpu_summary.paper_layer(results, 10000, 10000, 4), "snack"),
                         ["0.90", "30000", "1", "100 r", "cold", "-", "-", "-"])

    def test_ratios_of_the_paper_stand_beside_those_of_the_same_shape(self):
        results = self.results(line("CooSegmented", 10, size=5000, batch=1), line("dense_sgemv_rows", 40, size=5000, batch=1))

        table = gpu_summary.paper_products(results)

        self.assertEqual(self.cells(table)["dense / snack"], "4.00")
        self.assertEqual(self.cells(table)["dense / SNACK-COO"], f"{25.36 / 7.28:.2f}")

    def test_tables_go_between_the_markers_of_the_page(self):
        results = self.results(line("CooSegmented", 20))
        page = self.folder / "GPU.md"
        page.write_text(f"before\n{gpu_summary.BEGIN}\nstale numbers\n<!-- tables: end -->\nafter\n")

        gpu_summary.write_between_markers(page, gpu_summary.document(results, ["GPU: one"]), gpu_summary.BEGIN)

        text = page.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertIn("GPU: one", text)
        self.assertNotIn("stale numbers", text)

    def test_a_folder_without_rows_leaves_the_page_as_it_is(self):
        page = self.folder / "GPU.md"
        page.write_text(f"{gpu_summary.BEGIN}\nnumbers\n<!-- tables: end -->\n")
        before = page.read_text()
        empty = self.folder / "empty"
        empty.mkdir()
        (empty / "forward.csv").write_text(HEADER)

        for folder in (empty, self.folder / "not_there"):
            with self.assertRaisesRegex(SystemExit, f"{folder.name}: no csv file with rows"):
                gpu_summary.main([str(folder), str(page)])
        self.assertEqual(page.read_text(), before)

    def test_a_file_that_is_cut_in_the_middle_of_a_row_is_named(self):
        whole = line("CooSegmented", 20)

        with self.assertRaisesRegex(SystemExit, "forward.csv: line 3 is cut short"):
            self.results(whole, whole[:40])


if __name__ == "__main__":
    unittest.main()
