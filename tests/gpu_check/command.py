"""The command line, and the order of things."""
import argparse
import pathlib
import shlex
import signal
import sys
import tempfile
import traceback

from . import bench, over_http, pack, sanitizers, suites
from .session import Session

PARTS = {"suites": suites.run, "sanitizers": sanitizers.run, "bench": bench.run, "http": over_http.run}


def parse(text, arguments):
    parser = argparse.ArgumentParser(prog="gpu-check", description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--pack", metavar="TREE", type=pathlib.Path)
    where.add_argument("--tree", metavar="TREE", type=pathlib.Path)
    parser.add_argument("--peers", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--part", action="append", choices=sorted(PARTS), help="may be given several times")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="figures in the form of load/baselines")
    parser.add_argument("--device", default="cuda", help="of `bench` and `http` (cuda); cpu tries the script itself")
    parser.add_argument("--serve", default="", metavar="ARGS", help="more arguments for `headrace serve` in `http`")
    parser.add_argument("--quick", action="store_true", help="short rounds: whether the script works, not how fast anything is")
    return parser.parse_args(arguments)


def run_part(session, name):
    session.begin_part(name)
    try:
        PARTS[name](session)
    except Exception as error:  # pylint: disable=broad-except: a part that breaks is a row of the table, and the next one runs
        traceback.print_exc()
        session.check(f"{name}: {type(error).__name__}", False, str(error).splitlines()[0][:100] if str(error) else "")
    session.end_part()


def main(text, arguments=None):
    options = parse(text, arguments)
    if options.pack:
        pack.fill(options.pack, options.peers)
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended
    with tempfile.TemporaryDirectory() as scratch:
        session = Session(options.tree.resolve(), pathlib.Path(scratch), device=options.device, quick=options.quick,
                          serve=shlex.split(options.serve), json_path=options.json)
        print(session.machine(), flush=True)
        for name in options.part or list(PARTS):
            run_part(session, name)
        print(session.table(), flush=True)
        return 0 if session.passed else 1
