#pragma once

#include <string_view>

namespace perfmodel::reports {

/// A file of the page, compiled into the program by cmake/page_assets.cmake.
struct PageAsset {
  std::string_view text;
  std::string_view sha256;  ///< in hexadecimal
};

PageAsset page_markup();
PageAsset page_style();
PageAsset page_script();
/// Chart.js as the distribution ships it; empty where it was not there when perfmodel was built.
PageAsset chart_library();
PageAsset chart_licence();

}  // namespace perfmodel::reports
