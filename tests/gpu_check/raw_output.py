"""What the raw programs print, as numbers. The forms are those of raw_limits.cu and raw_ingest.cu, which never change."""
import re
import statistics


class RawError(Exception):
    pass


def _only(pattern, text, what):
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise RawError(f"raw output: expected a line of {what}, found none")
    return [float(group) for group in found.groups()]


def _refuse_errors(text):
    found = re.search(r"^ERR .*$", text, re.MULTILINE)
    if found:
        raise RawError(f"raw output: {found.group(0)}")


def limits(text):
    """raw_limits: GB/s of copies, and by ring depth; microseconds of enqueueing, of a graph and of noticing the end."""
    _refuse_errors(text)
    figures = {}
    for key, label in (("h2d_gbps", "H2D pinned"), ("d2h_gbps", "D2H pinned"), ("both_ways_gbps", "bidir pinned")):
        _, figures[key] = _only(rf"^{label} \S+.*?\s([\d.]+) us\s+([\d.]+) GB/s", text, f"'{label}'")
    figures["event_poll_us"], = _only(r"^kernel \+ event poll ([\d.]+) us", text, "'kernel + event poll'")
    figures["host_callback_us"], = _only(r"^kernel \+ launchHostFunc ([\d.]+) us", text, "'kernel + launchHostFunc'")
    number = r"\s*([\d.]+)"
    for match in re.finditer(rf"^slot\s+(\d+) B: enqueue{number} us, h2d\+k\+d2h done{number} us \| graph enq{number} "
                             rf"done{number} \| zero-copy kernel{number} \| streamSync{number}", text, re.MULTILINE):
        size = int(match.group(1))
        for key, value in zip(("enqueue", "done", "graph_enqueue", "graph_done", "zero_copy", "stream_sync"), match.groups()[1:]):
            figures[f"slot_{size}_{key}_us"] = float(value)
    for match in re.finditer(r"^ring K=(\d+) slot=\s*(\d+): ([\d.]+) GB/s each way, ([\d.]+) us/batch", text, re.MULTILINE):
        slots, size = match.group(1), match.group(2)
        figures[f"ring_{slots}x{size}_gbps"], figures[f"ring_{slots}x{size}_us"] = float(match.group(3)), float(match.group(4))
    for key in ("slot_4096_graph_enqueue_us", "slot_65536_graph_enqueue_us", "ring_4x4194304_gbps"):
        if key not in figures:
            raise RawError(f"raw output: expected the figure {key}, found {len(figures)} others")
    return figures


def ingest(text):
    """raw_ingest: microseconds for a batch of N requests of S bytes there and back, by way of travel."""
    _refuse_errors(text)
    figures = {}
    pattern = (r"^S=\s*(\d+) N=\s*(\d+) total\s+[\d.]+ KiB: memcpy\+slot\s+([\d.]+) \| N async copies\s+([\d.]+) \| "
               r"batch copy\s+(-?[\d.]+) \| kernel in place\s+([\d.]+) us")
    for match in re.finditer(pattern, text, re.MULTILINE):
        size, requests = match.group(1), match.group(2)
        for key, value in zip(("memcpy", "copies", "batch_copy", "in_place"), match.groups()[2:]):
            if float(value) >= 0:  # -1: the call does not exist there
                figures[f"{requests}x{size}_{key}_us"] = float(value)
    for key in ("1x1024_in_place_us", "64x1024_in_place_us", "64x65536_in_place_us"):
        if key not in figures:
            raise RawError(f"raw output: expected the figure {key}, found {len(figures)} others")
    return figures


def medians(rounds):
    """Of several runs' figures, key by key."""
    return {key: statistics.median(one[key] for one in rounds if key in one) for key in (rounds[0] if rounds else {})}
