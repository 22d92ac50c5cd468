"""One run of the check: where things are, what was found, how it is shown."""
import datetime
import json
import os
import platform
import subprocess
import time

PART_SECONDS = 460  # a part ends itself before anything outside has to


def gpu_names():
    """One line for each GPU, empty where there is none."""
    try:
        asked = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                               text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return asked.stdout.strip().splitlines() if asked.returncode == 0 else []


class Session:
    def __init__(self, tree, scratch, device="cuda", quick=False, serve=(), json_path=None):
        self.tree, self.scratch, self.device, self.quick = tree, scratch, device, quick
        self.serve, self.json_path = list(serve), json_path
        self.gpus = gpu_names()
        self.passed = True
        self.rows, self.ratio_rows = [], []
        self.runs, self.denominators, self.ratios = [], [], []
        self.part, self.began = "", time.monotonic()

    # Where things are.

    def program(self, name):
        return str(self.tree / "bin" / name)

    def peer(self, name):
        """The path of a peer, None where it was not packed."""
        path = self.tree / "peers" / name
        return path if path.exists() else None

    def environment(self, **more):
        library_path = ":".join(filter(None, [str(self.tree / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
        return {**os.environ, "LD_LIBRARY_PATH": library_path, "HEADRACE_TEST_PROGRAM": self.program("headrace"),
                "HEADRACE_TEST_MODELS": str(self.tree / "share/headrace/models"),
                "HEADRACE_TEST_NVTX_RECORDER": self.program("nvtx_recorder.so"), **more}

    def commit(self):
        return (self.tree / "commit").read_text(encoding="utf-8").strip()

    def machine(self):
        gpus = "; ".join(f"{self.gpus.count(name)} x {name}" for name in dict.fromkeys(self.gpus)) or "no GPU"
        return f"{gpus}; {os.cpu_count()} cores; Linux {platform.release()}; clients on the same machine"

    # What was found.

    def begin_part(self, name):
        self.part, self.began = name, time.monotonic()
        print(f"\n=== {name}", flush=True)

    def end_part(self):
        self.note(f"{self.part} took", f"{time.monotonic() - self.began:.0f} s")
        self.write_json()

    def seconds_left(self):
        return max(1.0, PART_SECONDS - (time.monotonic() - self.began))

    def note(self, what, text):
        self.rows.append((what, text))
        print(f"{what}: {text}", flush=True)

    def check(self, what, good, text=""):
        self.passed = self.passed and good
        self.note(what, f"{'ok' if good else 'FAILED'} {text}".rstrip())

    def ratio(self, what, ours, theirs, unit, least=None, most=None, theirs_name="", ratio=None):
        """Ours beside theirs; `least` or `most` is what the ratio must hold. None for a figure that is not there: without
        a peer there is no ratio, but a figure of ours that must hold and is not there is a failure."""
        if ours is None:
            if self.gpus and self.device != "cpu" and not self.quick and (least is not None or most is not None):
                self.check(what, False, "no figure of ours")
            else:
                self.note(what, "not measured")
            return
        if theirs is None:
            self.note(what, f"{ours:,.1f} {unit}, not compared: no {theirs_name}")
            return
        value = ratio if ratio is not None else ours / theirs
        bound = f">= {least:g}" if least is not None else f"<= {most:g}" if most is not None else ""
        good = (least is None or value >= least) and (most is None or value <= most)
        verdict = ("pass" if good else "FAIL") if bound else ""
        if not self.quick:  # short rounds prove nothing
            self.passed = self.passed and good
        self.ratio_rows.append((what, ours, theirs, unit, theirs_name, value, bound, verdict))
        self.ratios.append({"what": what, "ours": ours, "theirs": theirs, "unit": unit, "beside": theirs_name,
                            "ratio": round(value, 4), "bound": bound, "verdict": verdict})
        print(f"{what}: {ours:,.1f} against {theirs:,.1f} {unit} ({theirs_name}): {value:.3f} {bound} {verdict}", flush=True)

    # How it is shown.

    def table(self):
        lines = ["", f"gpu-check of commit {self.commit()} on {self.machine()}{', QUICK: no figure counts' if self.quick else ''}"]
        lines += [f"{what:<52} {text}" for what, text in self.rows]
        if self.ratio_rows:
            lines.append(f"{'':<52} {'ours':>13} {'theirs':>13} {'unit':<9} {'ratio':>8} {'bound':>8}")
        for what, ours, theirs, unit, name, value, bound, verdict in self.ratio_rows:
            lines.append(f"{what:<52} {ours:>13,.1f} {theirs:>13,.1f} {unit:<9} {value:>8.3f} {bound:>8} {verdict:<4} {name}")
        lines.append("all passed" if self.passed else "FAILED")
        return "\n".join(lines)

    def write_json(self):
        """After each part, so that what was measured is kept even when a later one is cut short."""
        if not self.json_path:
            return
        self.json_path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.json_path, "w", encoding="utf-8") as file:
            json.dump({"commit": self.commit(), "date": datetime.date.today().isoformat(), "machine": self.machine(),
                       "build": "default preset, clang; nvcc for kernels and raw programs", "quick": self.quick,
                       "table": [list(row) for row in self.rows], "ratios": self.ratios, "runs": self.runs,
                       "denominators": self.denominators,
                       "spread": "each round is an entry of its own; ratios are of medians over interleaved rounds"},
                      file, indent=1)
            file.write("\n")
