#pragma once

#include <string_view>

namespace stretto::report {

// The files of the page, from src/report/page. Where they hold {{data}} and the like, something else comes.
extern const std::string_view page_html;
extern const std::string_view page_style;
extern const std::string_view page_scripts;

}  // namespace stretto::report
