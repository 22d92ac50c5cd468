"""Fills an install tree with all that the check needs where the GPU is."""
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Part of every system that the tree runs on.
SYSTEM_LIBRARIES = re.compile(r"^(ld-linux|libc|libm|libdl|librt|libgcc_s|libstdc\+\+|libpthread)[.-]")


# Opens libraries of the build's folder that stand in for the driver's; it needs no GPU, and has run where the build is.
LEFT_OUT = {"gpu_cuda_nvml_test"}
# What test programs load themselves; built with those that do, and packed beside them.
MODULES = ("nvtx_recorder.so",)


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, **more)


def gpu_tests(build):
    """The test programs of gpu/ that this build has, and the end-to-end test."""
    names = set()
    for cmake in (ROOT / "tests/gpu").rglob("CMakeLists.txt"):
        names |= set(re.findall(r"headrace_test\(\s*(\w+)", cmake.read_text(encoding="utf-8")))
    targets = run("ninja", "-C", build, "-t", "targets", "all", capture_output=True, text=True).stdout
    have = set(re.findall(r"^(?:\S*/)?(\w+): phony", targets, re.MULTILINE))
    return sorted(((names | {"e2e_test"}) & have) - LEFT_OUT)


def modules(build):
    """Those that this build has."""
    return [name for name in MODULES if (build / "bin" / name).exists()]


def find_nvcc():
    return os.environ.get("CUDACXX") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def build_command(source):
    """The words of the command in a peer's first lines, without the compiler, its sources and its -o."""
    text = (source.read_text(encoding="utf-8")).splitlines()[:10]
    line = next(line for line in text if re.match(r"//\s*(nvcc|clang\+\+\S*)\s", line))
    words = line.lstrip("/ ").split()[1:]
    at = words.index("-o")
    return [word for word in words[:at] + words[at + 2:] if word != source.name]


def pack_peers(peers, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("echo_server.cpp", "raw_limits.cu", "raw_ingest.cu"):
        source = peers / name
        compiler = find_nvcc() if name.endswith(".cu") else os.environ.get("CXX", "clang++-19")
        run(compiler, *build_command(source), source, "-o", folder / source.stem)
    shutil.copy(peers / "torch_server.py", folder)


def copy_libraries(program, folder):
    """What the program is linked with and the tree lacks."""
    text = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout
    for path in re.findall(r"=> (/\S+)", text):
        name = pathlib.Path(path).name
        if not SYSTEM_LIBRARIES.match(name) and not (folder / name).exists():
            shutil.copy(os.path.realpath(path), folder / name)


def fill(tree, peers):
    build = pathlib.Path(os.environ.get("HEADRACE_BUILD", ROOT / "build"))
    programs = [*gpu_tests(build), "headrace-bench"]
    run("cmake", "--build", build, "--target", "headrace", "headrace-load", *programs)
    shutil.rmtree(tree, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", tree, "--strip", stdout=subprocess.DEVNULL)
    for name in [*programs, *modules(build)]:
        run("install", "-s", build / "bin" / name, tree / "bin")
    for program in (tree / "bin").iterdir():
        copy_libraries(program, tree / "lib")
    shutil.copytree(ROOT / "load/models", tree / "share/headrace/load/models")
    if peers:
        pack_peers(peers, tree / "peers")
    head = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    (tree / "commit").write_text((head.stdout.strip() or "unknown") + "\n", encoding="utf-8")
    print(f"{tree}: {sum(path.stat().st_size for path in tree.rglob('*') if path.is_file()) / 2**20:.1f} MiB, "
          f"tests {' '.join(programs)}{'' if peers else ', no peers'}")
