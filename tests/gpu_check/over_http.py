"""What a client sees: headrace beside a bare echo of the same bytes and beside a PyTorch server, by the same client, in
interleaved rounds."""
import contextlib
import dataclasses
import json
import pathlib
import shutil
import statistics
import subprocess
import time
import urllib.request

from . import bench, servers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DIGITS, SMALL, LARGE = "digits", "affine256", "affine4096"
TORCH_MODELS = {SMALL: "affine", LARGE: "affine", DIGITS: "digits"}


@dataclasses.dataclass
class Scenario:
    what: str
    model: str
    rows: int
    connections: int
    threads: int     # of the client
    io_threads: int  # of headrace and of the echo


SCENARIOS = [
    Scenario("1 connection, 1 KiB", SMALL, 1, 1, 1, 8),
    Scenario("256 connections, 1 KiB", SMALL, 1, 256, 8, 8),
    Scenario("16 connections, 1 MiB", LARGE, 64, 16, 4, 4),
    Scenario("1 connection, digits", DIGITS, 1, 1, 1, 8),
    Scenario("64 connections, digits", DIGITS, 1, 64, 4, 8),
]


class Target:
    """Who is asked, and how headrace-load is told to."""

    def __init__(self, name, server, arguments):
        self.name, self.server, self.arguments = name, server, arguments
        self.reports, self.cpu = [], []

    def median(self, *path):
        values = []
        for report in self.reports:
            for key in path:
                report = report[key]
            values.append(report)
        return statistics.median(values) if values else None

    def rps(self):
        return self.median("throughput_rps")

    def p50(self):
        return self.median("latency_us", "p50")


def load(session, scenario, target, seconds, file):
    """The report of one closed loop; raises when the run fails."""
    command = [session.program("headrace-load"), "run", *target.arguments, "--concurrency", str(scenario.connections),
               "--threads", str(scenario.threads), "--duration", f"{seconds}s", "--quiet", "--json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, env=session.environment(),
                          timeout=min(session.seconds_left(), seconds + 60), check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{scenario.what}: headrace-load against {target.name}: status {done.returncode}: "
                           f"{(done.stderr or done.stdout).strip()[-300:]}")
    return json.loads(file.read_text(encoding="utf-8"))


def measure(session, scenario, target, seconds):
    before = target.server.cpu_seconds()
    report = load(session, scenario, target, seconds, session.scratch / "load.json")
    after = target.server.cpu_seconds()
    requests = max(1, report["requests"])
    cpu = {"user_us": (after[0] - before[0]) * 1e6 / requests, "system_us": (after[1] - before[1]) * 1e6 / requests,
           "user_us_by_thread": {name: round((used - before[2].get(name, 0.0)) * 1e6 / requests, 3)
                                 for name, used in sorted(after[2].items())}}
    target.reports.append(report)
    target.cpu.append(cpu)
    shown = ["headrace-load run", *target.arguments, f"--concurrency {scenario.connections} --threads {scenario.threads} "
             f"--duration {seconds}s"]
    entry = {"name": target.name, "server": target.server.command, "server_cpu": cpu,
             "command": " ".join(map(str, shown)).replace(target.server.url, "URL").replace(str(session.scratch) + "/", ""),
             "report": report}
    (session.runs if target.name == "headrace" else session.denominators).append(entry)


def model_repository(session):
    folder = session.scratch / "models"
    shutil.copytree(session.tree / "share/headrace/models", folder, dirs_exist_ok=True)
    shutil.copytree(session.tree / "share/headrace/load/models", folder, dirs_exist_ok=True)
    return folder


def metadata(session, server, model, name):
    """A file with what headrace says of the model, under the name that another server knows it by."""
    with urllib.request.urlopen(f"{server.url}/v2/models/{model}", timeout=30) as answer:
        document = json.load(answer)
    document["name"] = name
    path = session.scratch / f"{model}.{name}.metadata.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def targets(session, scenario, headrace, echo, torch):
    rows = ["--rows", str(scenario.rows)]
    found = {"headrace": Target("headrace", headrace, ["--url", headrace.url, "--model", scenario.model, *rows])}
    if echo:
        file = metadata(session, headrace, scenario.model, scenario.model)

        def send(url):
            subprocess.run([session.program("headrace-load"), "run", "--url", url, "--model", scenario.model, "--metadata",
                            str(file), *rows, "--requests", "1", "--quiet"], env=session.environment(), timeout=60,
                           capture_output=True, check=False)
        found["echo"] = Target("echo", echo, ["--url", echo.url, "--raw-body", str(servers.body_bytes(send))])
    if torch:
        name = TORCH_MODELS[scenario.model]
        file = metadata(session, headrace, scenario.model, name)
        found["torch"] = Target("torch", torch, ["--url", torch.url, "--model", name, "--metadata", str(file), *rows])
    return found


def run_scenario(session, scenario, models, torch):
    seconds, rounds = (0.3, 1) if session.quick else (3, 3)
    raw = []
    with contextlib.ExitStack() as stack:
        headrace = stack.enter_context(servers.headrace(session, models, scenario.io_threads))
        echo = stack.enter_context(servers.echo(session, scenario.io_threads)) if scenario.model != DIGITS else None
        found = targets(session, scenario, headrace, echo, torch)
        if scenario.model == DIGITS and scenario.connections == 1:
            accuracy(session, headrace)
        for target in found.values():  # warm, and thrown away
            load(session, scenario, target, 0.2 if session.quick else 1, session.scratch / "warm.json")
        if scenario is SCENARIOS[0]:
            idle(session, headrace)
        for _ in range(rounds):
            for name in ("echo", "headrace", "torch"):
                if name in found:
                    measure(session, scenario, found[name], seconds)
            if scenario is SCENARIOS[0]:
                figures = bench.run_raw(session, "raw_ingest")
                raw += [figures["1x1024_in_place_us"]] if figures else []
    for name, target in found.items():
        session.note(f"{scenario.what}: {name}", f"{target.rps():,.0f} requests/s, p50 {target.p50():,.1f} us, server CPU user "
                     f"{statistics.median(c['user_us'] for c in target.cpu):.1f} system "
                     f"{statistics.median(c['system_us'] for c in target.cpu):.1f} us a request")
    return found, statistics.median(raw) if raw else None


def idle(session, headrace):
    """What the service takes of a core after it has served and while nobody asks for anything."""
    time.sleep(0.2)
    before = headrace.cpu_seconds()
    time.sleep(1)
    after = headrace.cpu_seconds()
    used = (after[0] - before[0] + after[1] - before[1]) * 1e3
    session.check("idle: CPU time in a second, at most 20 ms", used <= 20, f"{used:.0f} ms")


def accuracy(session, headrace):
    address = headrace.url.removeprefix("http://")
    done = subprocess.run(["python3", str(ROOT / "deploy/post_digits.py"), address,
                           str(session.tree / "share/headrace/models/digits/scans")], capture_output=True, text=True, timeout=60,
                          check=False)
    session.check("digit scans over HTTP", done.returncode == 0, (done.stdout.splitlines() or [done.stderr[-200:]])[0])


def rps(found, name):
    return found[name].rps() if name in found else None


def bounds(session, scenario, found, raw_us):
    """The scenario's promises, by number in SCENARIOS."""
    ours, number = found["headrace"], SCENARIOS.index(scenario)
    if number == 0:
        floor = found["echo"].p50() + raw_us if "echo" in found and raw_us is not None else None
        session.ratio(f"{scenario.what}: p50", ours.p50(), floor, "us", most=1.5, theirs_name="echo p50 + raw round trip")
        return
    if number in (1, 2):
        session.ratio(scenario.what, ours.rps(), rps(found, "echo"), "req/s", least=0.5 if number == 1 else 0.6,
                      theirs_name="echo_server")
    session.ratio(scenario.what, ours.rps(), rps(found, "torch"), "req/s", least={1: 40, 2: 20}.get(number),
                  theirs_name="torch_server")
    if number == 2:
        user = statistics.median(cpu["user_us"] for cpu in ours.cpu)
        by_thread = sorted(ours.cpu[-1]["user_us_by_thread"].items(), key=lambda item: -item[1])
        shown = ", ".join(f"{name} {used:.1f}" for name, used in by_thread[:4])
        if session.device == "cpu" or session.quick:
            session.note("user CPU a 1 MiB request", f"{user:.1f} us ({shown})")
        else:
            session.check("user CPU a 1 MiB request, at most 40 us", user <= 40, f"{user:.1f} us ({shown})")


def run(session):
    models = model_repository(session)
    with servers.torch(session) as torch:
        for scenario in SCENARIOS:
            found, raw_us = run_scenario(session, scenario, models, torch)
            bounds(session, scenario, found, raw_us)
