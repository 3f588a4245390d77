// All of a result is walked, by the list that its files are written by. tests/report/parts/shown_test.cc fills every string
// of a result and looks for what got through.
#include "report/parts/shown.h"

#include "base/text/printable.h"
#include "report/parts/every_value.h"

namespace fathom::report::parts {
namespace {

struct Show {
  void operator()(std::string& text) const { text = base::text::printable(text); }
  void operator()(const auto&) const {}
};

}  // namespace

result::Run shown(const result::Run& run) {
  result::Run out = run;
  out.repetitions.clear();
  EveryValue shower{Show{}};
  walk(shower, out);
  return out;
}

}  // namespace fathom::report::parts
