"""A GoogleTest program, run and read."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import typing


class Run(typing.NamedTuple):
    """What came of one program."""
    status: int | None  # None: it did not end in time
    report: dict | None  # None: it wrote none
    reasons: dict  # of what it skipped
    seconds: float
    output: pathlib.Path


def execute(command, environment, timeout, output):
    """Exit status, or None when it did not end in time; what it wrote is in the file `output`. Its whole process group goes
    when the time is up: a sanitizer's child would run on."""
    with open(output, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            return process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def read_report(path):
    """What a report of --gtest_output=json says: how many passed, which failed or were skipped, and the slowest as (seconds,
    name)."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    result = {"passed": 0, "failed": [], "skipped": [], "slowest": []}
    for suite in document.get("testsuites", []):
        for case in suite.get("testsuite", []):
            name = f"{suite['name']}.{case['name']}"
            result["slowest"].append((float(str(case.get("time", "0s")).rstrip("s")), name))
            if case.get("failures"):
                result["failed"].append(name)
            elif case.get("result") == "SKIPPED":
                result["skipped"].append(name)
            elif case.get("status") == "RUN":
                result["passed"] += 1
    result["slowest"].sort(reverse=True)
    return result


def skip_reasons(text):
    """Each skipped case's reason, as the program wrote it: its report does not hold them."""
    reasons, name, lines = {}, "", []
    for line in text.splitlines():
        if line.startswith("[ RUN      ] "):
            name, lines = line.split()[-1], []
        elif line.startswith("[  SKIPPED ] ") and name and line.split()[3] == name:
            reasons[name] = " ".join(" ".join(lines).split())
            name = ""
        elif name and not line.endswith(": Skipped"):
            lines.append(line)
    return reasons


def wants_a_device(reason):
    """Any at all: a case that wants a second one may skip."""
    return re.search(r"\bno\b.*\b(device|GPU|CUDA)", reason, re.IGNORECASE) is not None and \
        re.search(r"\b(second|two|another|several)\b", reason, re.IGNORECASE) is None


def summary(run_of, device_expected):
    """(good, text) of one program. Where a device is expected, a case that skips because there is none is a failure."""
    status, report, reasons, seconds, _ = run_of
    if status is None:
        return False, f"not finished after {seconds:.0f} s"
    if report is None:
        return False, f"exit status {status}, no report"
    no_device = [name for name in report["skipped"] if device_expected and wants_a_device(reasons.get(name, ""))]
    good = status == 0 and not report["failed"] and not no_device
    text = f"{report['passed']} passed"
    if report["failed"]:
        text += f", {len(report['failed'])} failed: {', '.join(report['failed'][:5])}"
    if report["skipped"]:
        text += f", {len(report['skipped'])} skipped ({' | '.join(sorted(set(reasons.values())))[:100]})"
    if status != 0 and not report["failed"]:
        text += f", exit status {status}"
    return good, f"{text}, {seconds:.0f} s"


def run(command, environment, timeout, stem):
    """One program; its report and its output go beside `stem`."""
    report_path, output = stem.with_name(stem.name + ".json"), stem.with_name(stem.name + ".txt")
    report_path.unlink(missing_ok=True)  # of an earlier try
    began = time.monotonic()
    status = execute([*command, f"--gtest_output=json:{report_path}"], environment, timeout, output)
    seconds = time.monotonic() - began
    report = read_report(report_path) if report_path.exists() else None
    reasons = skip_reasons(output.read_text(encoding="utf-8", errors="replace"))
    return Run(status, report, reasons, seconds, output)


def text_of(path, lines=60):
    """The beginning and the end of what a program wrote."""
    with open(path, encoding="utf-8", errors="replace") as file:
        all_lines = file.read().splitlines()
    if len(all_lines) <= 2 * lines:
        return "\n".join(all_lines)
    return "\n".join(all_lines[:lines] + [f"... {len(all_lines) - 2 * lines} lines ..."] + all_lines[-lines:])
