// A document; with -I a line an interval, as it was counted, and the document as the last line.
#include "report/document.h"
#include "report/pmu_stat.h"

namespace fathom::report {
namespace {

// The writer breaks lines between values only: a string holds no raw newline.
std::string one_line(const std::string& json) {
  std::string out;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '\n') {
      out += json[at];
      continue;
    }
    while (at + 1 < json.size() && json[at + 1] == ' ') ++at;
  }
  return out + "\n";
}

}  // namespace

std::string pmu_interval_json(const result::PmuIntervalRows& interval) {
  JsonWriter w;
  w.begin_object();
  JsonFields fields(w, result::kOfDocuments, false);
  walk(fields, interval);
  w.end_object();
  return one_line(w.take());
}

std::string pmu_stat_json_line(const result::PmuStat& stat) { return one_line(document(stat)); }

std::string pmu_stat_json(const result::PmuStat& stat) {
  if (stat.intervals.empty()) return document(stat);
  std::string out;
  for (const auto& interval : stat.intervals) out += pmu_interval_json(interval);
  return out + pmu_stat_json_line(stat);
}

}  // namespace fathom::report
