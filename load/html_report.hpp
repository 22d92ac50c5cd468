#pragma once
// Reports as one HTML file each that needs nothing else: no script, no other file, pictures inline. Pure. Readable on
// paper and in light and dark; also well-formed as XML.

#include <string>

#include "load/report.hpp"
#include "load/side_by_side.hpp"
#include "load/sweep.hpp"

namespace headrace::load {

std::string report_html(const Report& report);
std::string sweep_html(const Sweep& sweep);
std::string side_by_side_html(const SideBySide& outcome);

}  // namespace headrace::load
