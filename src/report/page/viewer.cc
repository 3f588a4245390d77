// The document around the viewer's parts. It has the policy of a page with results.
#include "report/page/viewer.h"

#include <fmt/format.h>

#include "report/page/assets.h"
#include "report/page/document.h"

namespace fathom::report::page {

std::string viewer_html() {
  return document({"Results, dropped onto a page",
                   std::string(viewer_body().text),
                   "",
                   {plot_style(), style(), viewer_style()},
                   {plot_script(), viewer_script()}});
}

}  // namespace fathom::report::page
