"""compute-sanitizer's four tools over the tests that touch the device, at reduced sizes."""
import concurrent.futures
import glob
import shutil

from . import gtest
from .suites import test_programs

# Memory that runs out is a test of its own, and its refused allocations are no finding: so errors that calls return are left
# to the tests.
TOOLS = {"memcheck": ["--report-api-errors", "no"], "racecheck": [], "initcheck": [], "synccheck": []}
# Those that never reach a device, or whose kernels fault on purpose.
LEFT_OUT = ("gpu_test", "gpu_ops_test", "e2e_test")
LEFT_OUT_WITH = ("_plain_", "_lost_", "_fault", "_nvml_")
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


def run_one(session, sanitizer, tool, name):
    command = [sanitizer, "--tool", tool, *TOOLS[tool], "--error-exitcode", "9", session.program(name)]
    return gtest.run(command, session.environment(GTEST_FILTER=FILTER, HEADRACE_TEST_REDUCED="1"), session.seconds_left(),
                     session.scratch / f"{tool}.{name}")


def run(session):
    sanitizer = find_sanitizer()
    if not sanitizer or not session.gpus:
        session.note("sanitizers", "skipped: " + ("no compute-sanitizer here" if session.gpus else "no GPU here"))
        return
    # Several at once: nothing here is timed, and each waits for one core most of the time.
    jobs = [(tool, name) for name in device_programs(session) for tool in TOOLS]
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        runs = list(pool.map(lambda job: run_one(session, sanitizer, *job), jobs))
    for (tool, name), done in zip(jobs, runs):
        if done.status is not None and done.report is None:
            # The test never reported: tools that start beside each other may get into each other's way. Once more, alone.
            done = run_one(session, sanitizer, tool, name)
        good, text = gtest.summary(done, device_expected=True)
        if done.report and done.report["slowest"]:
            text += " (slowest {0:.0f} s {1})".format(*done.report["slowest"][0])
        if not good:
            print(f"--- {tool} {name}", gtest.text_of(done.output), sep="\n", flush=True)
        session.check(f"{tool} {name}", good, text)
