"""The test programs as they are, on every GPU there is."""
from . import gtest


def test_programs(session):
    """The tests that were packed: gpu_*_test, gpu_test and e2e_test."""
    names = sorted(path.name for path in (session.tree / "bin").iterdir())
    return [name for name in names if name.endswith("_test")]


def run_one(session, label, name, environment):
    done = gtest.run([session.program(name)], session.environment(**environment), session.seconds_left(),
                     session.scratch / f"{label}.{name}".replace(" ", "_"))
    good, text = gtest.summary(done, device_expected=bool(session.gpus))
    if not good:
        print(gtest.text_of(done.output), flush=True)
    session.check(f"{label} {name}", good, text)


def run(session):
    for name in test_programs(session):
        run_one(session, "suites", name, {})
    # Tests that take one GPU take the first: so the others come first in turn.
    for ordinal in range(1, len(session.gpus)):
        order = ",".join(map(str, [ordinal, *(i for i in range(len(session.gpus)) if i != ordinal)]))
        for name in test_programs(session):
            if name.startswith("gpu_"):
                run_one(session, f"suites, GPU {ordinal} first,", name, {"CUDA_VISIBLE_DEVICES": order})
