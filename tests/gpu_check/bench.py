"""headrace-bench beside the raw programs, interleaved, as ratios."""
import json
import statistics
import subprocess

from . import raw_output

READERS = {"raw_limits": raw_output.limits, "raw_ingest": raw_output.ingest}
MIB = 1 << 20


def run_raw(session, name):
    """The figures of one run of a raw program, None where it was not packed or cannot run."""
    program = session.peer(name)
    if program is None or not session.gpus or session.device == "cpu":
        return None
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=session.seconds_left(), check=False)
    try:
        figures = READERS[name](done.stdout)
    except raw_output.RawError as error:
        print(done.stdout[-2000:], done.stderr[-2000:], flush=True)
        session.check(name, False, str(error))
        return None
    session.denominators.append({"name": name, "command": name, "figures": figures})
    return figures


def run_ours(session):
    report = session.scratch / "bench.json"
    command = [session.program("headrace-bench"), "--device", session.device, "--json", str(report)]
    command += ["--quick", "--seconds", "0.02"] if session.quick else []
    done = subprocess.run(command, capture_output=True, text=True, env=session.environment(), timeout=session.seconds_left(),
                          check=False)
    if done.returncode != 0:
        print(done.stdout[-4000:], done.stderr[-2000:], flush=True)
        session.check("headrace-bench", False, f"exit status {done.returncode}: {done.stderr.strip()[-200:]}")
        return None, ""
    document = json.loads(report.read_text(encoding="utf-8"))
    words = [f"headrace-bench --device {session.device}", *(["--quick"] if session.quick else [])]
    session.runs.append({"command": " ".join(words), "report": document})
    return document, done.stdout


class Ours:
    """Medians over several reports of headrace-bench."""

    def __init__(self, reports):
        self.values = {}
        for report in reports:
            for row in report["rows"]:
                for name, value in row["figures"].items():
                    self.values.setdefault((row["bench"], row["case"], row["way"], name), []).append(value)

    def get(self, bench, case, way, name):
        values = self.values.get((bench, case, way, name))
        return statistics.median(values) if values else None


def inverse(value, scale=1.0):
    return scale / value if value else None


def ratios(session, ours, limits, ingest):
    """Each bound of the ring against the raw programs. `limits` and `ingest` are {} where there were none."""
    both = limits.get("both_ways_gbps")
    ring = ours.get("ring", "4x4MiB", "copy_engines", "gbps_each_way")
    session.ratio("ring 4 x 4 MiB, copy engines, each way", ring, both / 2 if both else None, "GB/s", least=0.95,
                  theirs_name="raw two-stream copies")
    session.ratio("ring 4 x 4 MiB, copy engines, each way", ring, limits.get(f"ring_4x{4 * MIB}_gbps"), "GB/s", theirs_name="raw ring K=4")
    for case, size, least in (("64x64KiB", 65536, 0.90), ("64x1KiB", 1024, 0.80)):
        raw_us = ingest.get(f"64x{size}_in_place_us")
        session.ratio(f"in place {case}, all slots", ours.get("ingest", case, "in_place", "batches_per_second"),
                      inverse(raw_us, 1e6), "batches/s", least=least, theirs_name="raw kernel in place, one by one")
        one_us = ours.get("ingest", case, "in_place", "p50_us")
        session.ratio(f"in place {case}, one at a time", one_us, raw_us, "us", theirs_name="raw kernel (ratio theirs / ours)",
                      least=least if size == 65536 else None, ratio=raw_us / one_us if raw_us and one_us else None)
    for case, size, way in (("256x4KiB", 4096, "in_place"), ("64x256KiB", 262144, "in_place"), ("64x1MiB", MIB, "in_place"),
                            ("64x1MiB", MIB, "copy_engines")):
        requests = case.split("x", 1)[0]
        key = "copies" if way == "copy_engines" else "in_place"
        session.ratio(f"{way} {case}, all slots", ours.get("ingest", case, way, "batches_per_second"),
                      inverse(ingest.get(f"{requests}x{size}_{key}_us"), 1e6), "batches/s", theirs_name=f"raw {key}, one by one")
    for case in ("back_to_back", "after_idle", "back_to_back attended", "after_idle attended"):
        session.ratio(f"notice of the smallest flight, {case}", ours.get("completion", case, "automatic", "p50_us"),
                      limits.get("event_poll_us"), "us", theirs_name="raw kernel + event poll")
    for case, size in (("affine 64x1KiB", 65536), ("classifier 1x1", 4096), ("classifier 64x1", 4096),
                       ("classifier 64x64", 65536)):
        session.ratio(f"submit {case}", ours.get("submission", case, "automatic", "p50_us"),
                      limits.get(f"slot_{size}_graph_enqueue_us"), "us", theirs_name="raw graph enqueue")


def choices(session, ours):
    """What the cost model chose beside the better of the two forced ways: 1 where it chose well. No bound: it also weighs what
    this bench does not show."""
    for case in ("1x1KiB", "64x1KiB", "256x4KiB", "64x64KiB", "64x256KiB", "64x1MiB"):
        for name, unit, better in (("batches_per_second", "batches/s", max), ("p50_us", "us", min)):
            forced = [ours.get("ingest", case, way, name) for way in ("in_place", "copy_engines")]
            automatic = ours.get("ingest", case, "automatic", name)
            if automatic is None or None in forced:
                continue
            best = better(forced)
            session.ratio(f"automatic {case}, {'all slots' if better is max else 'one at a time'}", automatic, best, unit,
                          theirs_name="better forced way (ours)", ratio=automatic / best if better is max else best / automatic)


def devices(session, ours):
    every, one = ours.get("devices", "all", "automatic", "rows_per_second"), ours.get("devices", "1", "automatic", "rows_per_second")
    if every is None:
        session.note("two GPUs against one", "skipped: there is one device")
        return
    count = ours.get("devices", "all", "automatic", "devices")
    session.ratio(f"{count:.0f} GPUs against one, bound by the device", every, one, "rows/s", least=0.95 * count,
                  theirs_name="one GPU")


def run(session):
    reports, raw = [], {name: [] for name in READERS}
    text = ""

    def raw_round():
        for name, found in raw.items():
            figures = run_raw(session, name)
            if figures:
                found.append(figures)

    raw_round()
    for _ in range(1 if session.quick else 2):
        report, text = run_ours(session)
        if report:
            reports.append(report)
        raw_round()
    print(text, flush=True)
    ours = Ours(reports)
    session.check("headrace-bench", bool(reports), f"{len(reports)} runs")
    ratios(session, ours, raw_output.medians(raw["raw_limits"]), raw_output.medians(raw["raw_ingest"]))
    choices(session, ours)
    devices(session, ours)
