// An HTML document that loads, sends, frames and submits nothing: its styles and scripts run by their hashes, and no others.
#pragma once
#include <string>
#include <vector>

#include "report/page/assets.h"

namespace fathom::report::page {

struct Document {
  std::string title;  // any text
  std::string body;   // HTML
  std::string data;   // HTML: elements that hold results
  std::vector<Asset> styles, scripts;
};

std::string document(const Document& document);

}  // namespace fathom::report::page
