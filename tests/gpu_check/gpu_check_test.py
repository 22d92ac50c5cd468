#!/usr/bin/env python3
"""The parts of gpu-check that need no GPU: what is read, what is concluded. The samples are in the forms that the raw programs
print."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from gpu_check import bench, gtest, pack, raw_output, sanitizers, servers  # noqa: E402
from gpu_check.session import Session  # noqa: E402

LIMITS = """dev NVIDIA H200 x1 SM 132 asyncEngines 3 canMapHost 1
cudaHostAlloc 256MiB 81234 us
H2D pinned 256MiB                              5263.0 us    51.00 GB/s
D2H pinned 256MiB                              4880.6 us    55.00 GB/s
bidir pinned 256MiB each way                   6170.9 us    87.00 GB/s
H2D pageable 256MiB                           59652.3 us     4.50 GB/s
slot     4096 B: enqueue 10.9 us, h2d+k+d2h done 17.1 us | graph enq 6.8 done 16.2 | zero-copy kernel 12.1 | streamSync 18.8
slot    65536 B: enqueue 11.2 us, h2d+k+d2h done 22.4 us | graph enq 7.1 done 20.0 | zero-copy kernel 14.9 | streamSync 24.6
slot 16777216 B: enqueue 11.9 us, h2d+k+d2h done 647.0 us | graph enq 7.3 done 645.1 | zero-copy kernel 433.0 | streamSync 650.2
kernel + launchHostFunc 23.1 us
kernel + event poll 10.5 us
eventQuery 1.600 us
ring K=1 slot= 4194304: 23.00 GB/s each way, 182.4 us/batch
ring K=4 slot= 4194304: 44.00 GB/s each way, 95.3 us/batch
host memcpy -> pinned, 1 threads: 8.10 GB/s
"""

INGEST = """S=   1024 N=  1 total     1.00 KiB: memcpy+slot     16.0 | N async copies     16.4 | batch copy     17.0 | kernel in place     11.7 us
S=   1024 N= 64 total    64.00 KiB: memcpy+slot     33.0 | N async copies    322.0 | batch copy    168.0 | kernel in place     17.0 us
S=  65536 N= 64 total  4096.00 KiB: memcpy+slot    898.0 | N async copies    434.0 | batch copy     -1.0 | kernel in place    127.0 us
S=1048576 N= 64 total 65536.00 KiB: memcpy+slot  29178.0 | N async copies   2907.0 | batch copy   2594.0 | kernel in place   1705.0 us
"""


def report(**cases):
    """A report of headrace-bench with one figure a row: bench__case__way__figure=value, blanks as ___."""
    rows = []
    for name, value in cases.items():
        bench_name, case, way, figure = name.split("__")
        rows.append({"bench": bench_name, "case": case, "way": way, "figures": {figure: value}})
    return {"rows": rows}


class RawOutput(unittest.TestCase):
    def test_limits(self):
        figures = raw_output.limits(LIMITS)
        self.assertEqual(figures["both_ways_gbps"], 87.0)
        self.assertEqual(figures["h2d_gbps"], 51.0)
        self.assertEqual(figures["event_poll_us"], 10.5)
        self.assertEqual(figures["host_callback_us"], 23.1)
        self.assertEqual(figures["slot_65536_graph_enqueue_us"], 7.1)
        self.assertEqual(figures["slot_16777216_zero_copy_us"], 433.0)
        self.assertEqual(figures["ring_4x4194304_gbps"], 44.0)
        self.assertEqual(figures["ring_1x4194304_us"], 182.4)

    def test_ingest(self):
        figures = raw_output.ingest(INGEST)
        self.assertEqual(figures["1x1024_in_place_us"], 11.7)
        self.assertEqual(figures["64x1024_copies_us"], 322.0)
        self.assertEqual(figures["64x1048576_in_place_us"], 1705.0)
        self.assertNotIn("64x65536_batch_copy_us", figures)

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(raw_output.RawError, "kernel \\+ event poll"):
            raw_output.limits(LIMITS.replace("event poll", "something else"))
        with self.assertRaisesRegex(raw_output.RawError, "1x1024_in_place_us"):
            raw_output.ingest("")

    def test_an_error_of_the_device_is_told(self):
        with self.assertRaisesRegex(raw_output.RawError, "no CUDA-capable device"):
            raw_output.ingest("ERR no CUDA-capable device is detected raw_ingest.cu:20\n")

    def test_medians(self):
        self.assertEqual(raw_output.medians([{"a": 1, "b": 5}, {"a": 3, "b": 7}, {"a": 2, "b": 6}]), {"a": 2, "b": 6})
        self.assertEqual(raw_output.medians([]), {})


class Ratios(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        tree = pathlib.Path(folder.name)
        (tree / "commit").write_text("abc\n", encoding="utf-8")
        self.session = Session(tree, tree, json_path=tree / "out.json")
        self.session.gpus = ["NVIDIA H200"]

    def row(self, what, beside):
        return next(row for row in self.session.ratios if row["what"] == what and row["beside"] == beside)

    def judge(self, **cases):
        bench.ratios(self.session, bench.Ours([report(**cases)]), raw_output.limits(LIMITS), raw_output.ingest(INGEST))

    GOOD = {"ring__4x4MiB__copy_engines__gbps_each_way": 43.0,
            "ingest__64x64KiB__in_place__batches_per_second": 8000.0, "ingest__64x64KiB__in_place__p50_us": 130.0,
            "ingest__64x1KiB__in_place__batches_per_second": 60000.0, "ingest__64x1KiB__in_place__p50_us": 22.0}

    def test_all_that_must_hold_holds(self):
        self.judge(**self.GOOD)
        self.assertTrue(self.session.passed)
        ring = self.row("ring 4 x 4 MiB, copy engines, each way", "raw two-stream copies")
        self.assertEqual((ring["theirs"], ring["verdict"]), (43.5, "pass"))
        self.assertAlmostEqual(self.row("in place 64x64KiB, one at a time", "raw kernel (ratio theirs / ours)")["ratio"],
                               127 / 130, places=3)

    def test_a_slow_ring_fails(self):
        self.judge(**{**self.GOOD, "ring__4x4MiB__copy_engines__gbps_each_way": 30.0})
        self.assertFalse(self.session.passed)
        self.assertEqual(self.row("ring 4 x 4 MiB, copy engines, each way", "raw two-stream copies")["verdict"], "FAIL")

    def test_a_figure_that_must_hold_and_is_not_there_fails(self):
        self.judge(**{key: value for key, value in self.GOOD.items() if "64x1KiB" not in key})
        self.assertFalse(self.session.passed)

    def test_without_the_raw_programs_nothing_fails(self):
        bench.ratios(self.session, bench.Ours([report(**self.GOOD)]), {}, {})
        self.assertTrue(self.session.passed)
        self.assertEqual(self.session.ratios, [])

    def test_a_choice_is_held_against_the_better_way(self):
        figures = {f"ingest__64x64KiB__{way}__{name}": value for name, values in
                   {"batches_per_second": (9e3, 8e3, 12e3), "p50_us": (125.0, 120.0, 210.0)}.items()
                   for way, value in zip(("automatic", "in_place", "copy_engines"), values)}
        bench.choices(self.session, bench.Ours([report(**figures)]))
        self.assertEqual([row["ratio"] for row in self.session.ratios], [0.75, 0.96])

    def test_several_devices(self):
        figures = {"devices__1__automatic__rows_per_second": 100.0, "devices__all__automatic__rows_per_second": 180.0,
                   "devices__all__automatic__devices": 2.0}
        bench.devices(self.session, bench.Ours([report(**figures)]))
        self.assertFalse(self.session.passed)  # 1.8 of at least 1.9

    def test_the_table_and_the_file(self):
        self.judge(**self.GOOD)
        self.session.write_json()
        document = json.loads(self.session.json_path.read_text(encoding="utf-8"))
        self.assertEqual(document["commit"], "abc")
        self.assertEqual(len(document["ratios"]), len(self.session.ratio_rows))
        self.assertTrue(self.session.table().endswith("all passed"))


class Tests(unittest.TestCase):
    def read(self, *cases):
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump({"testsuites": [{"name": "Suite", "testsuite": list(cases)}]}, file)
            file.flush()
            return gtest.read_report(file.name)

    def test_reports(self):
        read = self.read({"name": "A", "status": "RUN", "result": "COMPLETED", "time": "2.5s"},
                         {"name": "B", "status": "RUN", "result": "COMPLETED", "time": "0.1s", "failures": [{"failure": "x"}]},
                         {"name": "C", "status": "RUN", "result": "SKIPPED", "time": "0s"},
                         {"name": "D", "status": "NOTRUN", "result": "SUPPRESSED", "time": "0s"})
        self.assertEqual((read["passed"], read["failed"]), (1, ["Suite.B"]))
        self.assertEqual(read["skipped"], ["Suite.C"])
        self.assertEqual(read["slowest"][0], (2.5, "Suite.A"))

    def judge(self, status, report, reasons=None, device_expected=True):
        return gtest.summary(gtest.Run(status, report, reasons or {}, 9, pathlib.Path()), device_expected)[0]

    def test_a_skip_for_want_of_a_device_fails_where_one_is_expected(self):
        read = self.read({"name": "C", "status": "RUN", "result": "SKIPPED"})
        reasons = {"Suite.C": "no cuda device here: device: asked for cuda, but the driver is too old"}
        self.assertFalse(self.judge(0, read, reasons))
        self.assertTrue(self.judge(0, read, reasons, device_expected=False))
        self.assertTrue(self.judge(0, read, {"Suite.C": "needs two GPUs, there is one"}))
        self.assertTrue(self.judge(0, read, {"Suite.C": "no second GPU here"}))
        self.assertFalse(self.judge(0, read, {"Suite.C": "no CUDA driver, or one older than this build needs"}))

    def test_what_did_not_end_or_report_fails(self):
        self.assertFalse(self.judge(None, None))
        self.assertFalse(self.judge(1, None))
        good = self.read({"name": "A", "status": "RUN", "result": "COMPLETED"})
        self.assertTrue(self.judge(0, good))
        self.assertFalse(self.judge(9, good), "a sanitizer's finding")

    def test_reasons_are_read_from_the_output(self):
        text = ("[ RUN      ] Devices/Contract.A/cpu\n[       OK ] Devices/Contract.A/cpu (1 ms)\n"
                "[ RUN      ] Devices/Contract.A/cuda\n/src/a_test.cpp:60: Skipped\nno cuda device here: none\n\n"
                "[  SKIPPED ] Devices/Contract.A/cuda (0 ms)\n")
        self.assertEqual(gtest.skip_reasons(text), {"Devices/Contract.A/cuda": "no cuda device here: none"})


class Sanitizers(unittest.TestCase):
    def test_every_tool_sees_every_shard_the_long_ones_first(self):
        jobs = sanitizers.jobs_of(["gpu_cuda_device_test", "gpu_device_contract_test"])
        self.assertEqual(len(jobs), len(set(jobs)))
        self.assertEqual(len(jobs), 4 + 4 * sanitizers.SHARDS["gpu_device_contract_test"])
        self.assertEqual(jobs[0][1], "gpu_device_contract_test")


    def test_programs_that_lose_the_device_or_bring_a_profiler_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            (tree / "bin").mkdir()
            for name in ("gpu_cuda_device_test", "gpu_cuda_flight_limit_lost_test", "gpu_cuda_flight_trace_test",
                         "gpu_cuda_trace_test", "nvtx_recorder.so"):
                (tree / "bin" / name).touch()
            self.assertEqual(sanitizers.device_programs(Session(tree, tree)), ["gpu_cuda_device_test"])


class Odds(unittest.TestCase):
    def test_modules_are_packed_where_they_were_built_and_found_in_the_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            self.assertEqual(pack.modules(build), [])
            (build / "bin").mkdir()
            (build / "bin/nvtx_recorder.so").touch()
            self.assertEqual(pack.modules(build), ["nvtx_recorder.so"])
            environment = Session(build, build).environment()
            self.assertEqual(environment["HEADRACE_TEST_NVTX_RECORDER"], str(build / "bin/nvtx_recorder.so"))

    def test_a_peer_is_built_as_its_first_lines_say(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "raw_x.cu"
            source.write_text("// What.\n// nvcc -std=c++17 -O2 -arch=sm_90 -cudart static raw_x.cu -o raw_x\n", encoding="utf-8")
            self.assertEqual(pack.build_command(source), ["-std=c++17", "-O2", "-arch=sm_90", "-cudart", "static"])
            source.write_text("// What.\n//\n//   clang++-19 -std=c++20 -O2 raw_x.cu -o x -pthread\n", encoding="utf-8")
            self.assertEqual(pack.build_command(source), ["-std=c++20", "-O2", "-pthread"])

    def test_a_process_name_may_hold_anything(self):
        stat = "42 (hr io) (1) S 1 1 1 0 -1 4194304 1 0 0 0 250 40 0 0 20 0 1 0 5 6 7"
        self.assertEqual(servers.cpu_ticks(stat), ("hr io) (1", 250, 40))

    def test_a_body_is_weighed(self):
        import urllib.error
        import urllib.request

        def send(url):
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(url, data=b"x" * 1234, timeout=10)
        self.assertEqual(servers.body_bytes(send), 1234)

    def test_an_array_of_zeros(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "zeros.npy"
            servers.write_zeros_npy(path, (8, 64))
            data = path.read_bytes()
            self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
            header = int.from_bytes(data[8:10], "little")
            self.assertEqual((10 + header) % 64, 0)
            self.assertEqual(data[10 + header - 1:10 + header], b"\n")
            self.assertEqual(len(data), 10 + header + 8 * 64 * 4)


if __name__ == "__main__":
    unittest.main()
