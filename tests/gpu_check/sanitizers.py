"""compute-sanitizer's four tools over the tests that touch the device, at reduced sizes."""
import concurrent.futures
import glob
import shutil

from . import gtest
from .suites import test_programs

# Memory that runs out is a test of its own, and its refused allocations are no finding: so errors that calls return are left
# to the tests.
TOOLS = {"memcheck": ["--report-api-errors", "no"], "racecheck": [], "initcheck": [], "synccheck": []}
# Those that never reach a device, whose kernels fault on purpose, or that bring a profiler: these tools are one themselves.
LEFT_OUT = ("gpu_test", "gpu_ops_test", "e2e_test")
LEFT_OUT_WITH = ("_plain_", "_lost_", "_fault", "_nvml_", "_trace_")
# Parts of one program that run beside each other.
SHARDS = {"gpu_device_contract_test": 3}
# The CPU's and the puppet's cases have nothing to show to these tools.
FILTER = "-*/cpu:*/cpu_inline:*/puppet:*_cpu"


def device_programs(session):
    return [name for name in test_programs(session)
            if name not in LEFT_OUT and not any(part in name for part in LEFT_OUT_WITH)]


def find_sanitizer():
    for pattern in ("/usr/local/cuda*/bin/compute-sanitizer", "/opt/nvidia/*/compute-sanitizer",
                    "/usr/local/cuda*/compute-sanitizer/compute-sanitizer"):
        found = sorted(glob.glob(pattern))
        if found:
            return found[-1]
    return shutil.which("compute-sanitizer")


def jobs_of(names):
    """(tool, program, shard, shards), the long ones first."""
    found = [(tool, name, shard, SHARDS.get(name, 1)) for name in names for tool in TOOLS for shard in range(SHARDS.get(name, 1))]
    return sorted(found, key=lambda job: -job[3])


def run_one(session, sanitizer, tool, name, shard, shards):
    command = [sanitizer, "--tool", tool, *TOOLS[tool], "--error-exitcode", "9", session.program(name)]
    environment = session.environment(GTEST_FILTER=FILTER, GTEST_TOTAL_SHARDS=str(shards), GTEST_SHARD_INDEX=str(shard),
                                      HEADRACE_TEST_REDUCED="1")
    return gtest.run(command, environment, session.seconds_left(), session.scratch / f"{tool}.{name}.{shard}")


def run(session):
    sanitizer = find_sanitizer()
    if not sanitizer or not session.gpus:
        session.note("sanitizers", "skipped: " + ("no compute-sanitizer here" if session.gpus else "no GPU here"))
        return
    # Several at once: nothing here is timed, and each waits for one core most of the time.
    jobs = jobs_of(device_programs(session))
    with concurrent.futures.ThreadPoolExecutor(max_workers=6) as pool:
        runs = list(pool.map(lambda job: run_one(session, sanitizer, *job), jobs))
    for job, done in zip(jobs, runs):
        tool, name, shard, shards = job
        if done.status is not None and done.report is None:
            # The test never reported: tools that start beside each other may get into each other's way. Once more, alone.
            done = run_one(session, sanitizer, *job)
        good, text = gtest.summary(done, device_expected=True)
        if done.report and done.report["slowest"]:
            text += " (slowest {0:.0f} s {1})".format(*done.report["slowest"][0])
        what = f"{tool} {name}" + (f" {shard + 1}/{shards}" if shards > 1 else "")
        if not good:
            print(f"--- {what}", gtest.text_of(done.output), sep="\n", flush=True)
        session.check(what, good, text)
