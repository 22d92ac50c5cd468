#pragma once
// The frame of an HTML report, and its tables. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::load {

/// A whole document; `body` is HTML, `title` is text.
std::string html_page(std::string_view title, std::string_view body);

/// Cells are text. The first column is left-aligned, the others right; `marked` is the row to stand out, if any.
std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                       std::size_t marked = static_cast<std::size_t>(-1));

/// A heading, a picture and a sentence that says what it shows.
std::string html_figure(std::string_view title, std::string_view picture, std::string_view caption);

}  // namespace headrace::load
