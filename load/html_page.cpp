#include "load/html_page.hpp"

#include <fmt/format.h>

#include "load/svg_plot.hpp"

namespace headrace::load {
namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1c2128; --paper: #ffffff; --faint: #d8dde3; --quiet: #59636e;
  --c0: #0b5fc0; --c1: #b3470a; --c2: #6a3fb0; --c3: #1a7f4b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #14181d; --faint: #333b45; --quiet: #9aa5b1;
  --c0: #6cb0ff; --c1: #ffa561; --c2: #c3a2ff; --c3: #63d397; --bad: #ff8a80; } }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --faint: #ccc; --quiet: #444;
  --c0: #0b5fc0; --c1: #b3470a; --c2: #6a3fb0; --c3: #1a7f4b; --bad: #b3261e; }
  main { max-width: none; padding: 0; } figure, table, tr { break-inside: avoid; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; } .quiet, figcaption { color: var(--quiet); } .bad { color: var(--bad); font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--faint); }
th:first-child, td:first-child { text-align: left; } tr.marked td { font-weight: 700; }
figure { margin: 0; } svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg text.tick { fill: var(--quiet); font-size: 11px; }
.grid { stroke: var(--faint); stroke-width: 1; } .axis { stroke: var(--quiet); stroke-width: 1; }
polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
polyline.c0 { stroke: var(--c0); } polyline.c1 { stroke: var(--c1); } polyline.c2 { stroke: var(--c2); }
polyline.c3 { stroke: var(--c3); } .d1 { stroke-dasharray: 7 3; } .d2 { stroke-dasharray: 2 3; }
.d3 { stroke-dasharray: 9 3 2 3; }
circle.c0, rect.c0 { fill: var(--c0); } circle.c1, rect.c1 { fill: var(--c1); } circle.c2, rect.c2 { fill: var(--c2); }
circle.c3, rect.c3 { fill: var(--c3); } circle.mark { fill: none; stroke: var(--bad); stroke-width: 2; }
)";

}  // namespace

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      escaped(title), style, body);
}

std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                       std::size_t marked) {
  std::string html = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const std::string& cell : head) html += fmt::format("<th scope=\"col\">{}</th>", escaped(cell));
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    html += i == marked ? "<tr class=\"marked\">" : "<tr>";
    for (const std::string& cell : rows[i]) html += fmt::format("<td>{}</td>", escaped(cell));
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string html_figure(std::string_view title, std::string_view picture, std::string_view caption) {
  return fmt::format("<h2>{}</h2>\n<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", escaped(title), picture,
                     escaped(caption));
}

}  // namespace headrace::load
