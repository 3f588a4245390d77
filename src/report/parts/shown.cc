// Walks over the whole result, by the list of fields from which its files are written. tests/report/parts/shown_test.cc
// fills every string of a result and searches for unescaped text.
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
