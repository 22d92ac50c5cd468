"""POSTs the digit scans to a running headrace and prints the accuracy: post_digits.py ADDRESS SCANS_FOLDER

Only the standard library; shows the binary form of the Open Inference Protocol in a few lines."""
import array
import json
import re
import sys
import time
import urllib.request

address, folder = sys.argv[1], sys.argv[2]


def read_npy(name):
    """The values of a little-endian C-order .npy file, and its shape."""
    data = open(f"{folder}/{name}", "rb").read()
    header = data[10:10 + int.from_bytes(data[8:10], "little")].decode()
    code = {"<f4": "f", "<f8": "d", "<i8": "q", "|u1": "B"}[re.search(r"'descr': '([^']+)'", header)[1]]
    shape = [int(n) for n in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", header)[1])]
    return array.array(code, data[10 + len(header):]), shape


images, (rows, pixels) = read_npy("test_images.npy")
labels, _ = read_npy("test_labels.npy")
tensor = array.array("f", images).tobytes()
head = json.dumps({
    "inputs": [{"name": "image", "datatype": "FP32", "shape": [rows, pixels],
                "parameters": {"binary_data_size": len(tensor)}}],
    "parameters": {"binary_data_output": True}}).encode()
request = urllib.request.Request(f"http://{address}/v2/models/digits/infer", data=head + tensor,
                                 headers={"Inference-Header-Content-Length": str(len(head))})
began = time.perf_counter()
with urllib.request.urlopen(request, timeout=30) as answer:
    body = answer.read()
    took_ms = (time.perf_counter() - began) * 1e3
    cut = int(answer.headers["Inference-Header-Content-Length"])
probabilities = array.array("f", body[cut:])
classes = len(probabilities) // rows
right = sum(labels[i] == max(range(classes), key=lambda c: probabilities[i * classes + c]) for i in range(rows))
accuracy = right / rows
print(f"{rows} scans in one request, {took_ms:.1f} ms: accuracy {accuracy:.4f} ({right} of {rows})")

scan = ",".join(f"{value:g}" for value in images[:pixels])
print(f"This scan is a {labels[0]}; try:")
print(f"  curl -s http://{address}/v2/models/digits/infer -d "
      f"'{{\"inputs\":[{{\"name\":\"image\",\"datatype\":\"FP32\",\"shape\":[1,{pixels}],\"data\":[{scan}]}}]}}'")
sys.exit(0 if accuracy >= 0.98 else 1)
