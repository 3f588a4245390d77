// An HTML document that loads, sends, frames and submits nothing, unless it says so: its styles and scripts run by their hashes, and no others.
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
  bool asks_its_own_address = false;  // may load data from where it came itself, and from nowhere else
};

std::string document(const Document& document);

}  // namespace fathom::report::page
