// The document around the content that the script fills in.
#include "report/page/live.h"

#include <fmt/format.h>

#include "report/page/assets.h"
#include "report/page/document.h"
#include "report/page/html.h"

namespace fathom::report::page {

std::string live_html(std::string_view title, int utc_offset_s) {
  Document page{std::string(title),
                fmt::format("<h1>{}</h1>\n<div id=\"follow\" data-utc-offset=\"{}\">\n{}</div>\n", escaped(title),
                            utc_offset_s, live_body().text),
                "",
                {plot_style(), style()},
                {plot_script(), live_script()}};
  page.asks_its_own_address = true;
  return document(page);
}

}  // namespace fathom::report::page
