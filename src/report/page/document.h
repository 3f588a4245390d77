// An HTML document that loads, sends, frames and submits nothing, unless a member allows it. Its own styles and scripts
// are permitted by their hashes, and no others.
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
  bool asks_its_own_address = false;  // may load data from the page's own origin, and from nowhere else
};

std::string document(const Document& document);

}  // namespace fathom::report::page
