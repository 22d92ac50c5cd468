"""proto/openapi.yaml → a C++ source that holds it as JSON: openapi.py INPUT.yaml OUTPUT.cpp"""
import json
import sys

import yaml

PIECE_CHARS_MAX = 12_000  # compilers need not take longer string literals than 65,535 characters

with open(sys.argv[1], encoding="utf-8") as source:
    text = json.dumps(yaml.safe_load(source), ensure_ascii=True, separators=(",", ":"))
pieces = [text[i:i + PIECE_CHARS_MAX] for i in range(0, len(text), PIECE_CHARS_MAX)]
literal = "\n".join(f'    R"json({piece})json"' for piece in pieces)
with open(sys.argv[2], "w", encoding="utf-8") as target:
    target.write('#include "service/http/openapi.hpp"\n\nnamespace headrace::http {\n\n'
                 f"const std::string_view openapi_json =\n{literal};\n\n}}  // namespace headrace::http\n")
