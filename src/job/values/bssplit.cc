// bssplit=size[/percent]:... for each direction. Entries without a percentage share the rest. If all entries have one
// and the sum is below 100, the last entry gets the rest, as in fio: 4k/33:8k/33:16k/33. A sum above 100 is an error.
#include "job/values/bssplit.h"

#include <fmt/format.h>

#include "base/text/parse.h"

namespace fathom::job::values {
namespace {

struct Entry {
  BlockSplit split;
  bool open = false;  // without a percentage
};

Outcome read_entry(const Value& value, Entry& out) {
  const auto text = value.text;
  const std::size_t slash = text.find('/');
  if (auto problem = read_number(value.part(base::text::trim(text.substr(0, slash))), out.split.bytes)) {
    problem->help = "write sizes with their percentages: `bssplit=4k/60:64k/40`";
    return problem;
  }
  std::string_view percent =
      slash == std::string_view::npos ? std::string_view() : base::text::trim(text.substr(slash + 1));
  out.open = percent.empty();
  if (out.open) return {};
  if (percent.back() == '%') percent.remove_suffix(1);
  return read_real(value.part(percent), 0, 100, out.split.percent);
}

Outcome share_out(std::string_view text, const std::vector<Entry>& entries, std::vector<BlockSplit>& out) {
  double given = 0;
  std::size_t open = 0;
  for (const auto& e : entries) {
    given += e.split.percent;
    open += e.open ? 1 : 0;
  }
  if (given > 100 + 1e-9)
    return wrong("percentages above 100", fmt::format("the percentages add up to {}", given),
                 "write percentages that add up to 100", text);
  const double rest = given < 100 ? 100 - given : 0;
  out.clear();
  for (const auto& e : entries) {
    out.push_back(e.split);
    if (e.open) out.back().percent = rest / static_cast<double>(open);
  }
  if (open == 0) out.back().percent += rest;
  return {};
}

Outcome read_direction(const Value& value, std::vector<BlockSplit>& out) {
  std::vector<Entry> entries;
  for (const auto part : split(value.text, ':')) {
    Entry entry;
    if (auto problem = read_entry(value.part(part), entry)) return problem;
    entries.push_back(entry);
  }
  return share_out(value.text, entries, out);
}

}  // namespace

Outcome read_bssplit(Job& job, const Value& value) {
  auto splits = job.bssplit;
  auto problem = for_each_direction(
      value.text, [&](std::size_t d, std::string_view part) { return read_direction(value.part(part), splits[d]); });
  if (!problem) job.bssplit = std::move(splits);
  return problem;
}

}  // namespace fathom::job::values
