// A row a point and number, for whoever draws curves of their own: columns that a program reads, values with all digits.
#include <fmt/format.h>

#include "report/formats.h"

namespace fathom::report {
namespace {

// RFC 4180.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string sweep_csv(const result::Sweep& sweep) {
  std::string out = "curve,setting,load,stage,runs,delivered_percent,metric,unit,typical,low,high\n";
  for (const auto& curve : sweep.curves)
    for (const auto& point : curve.points)
      for (const auto& number : point.numbers)
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", quoted(curve.of), quoted(point.setting),
                           point.load ? fmt::format("{}", *point.load) : "", point.stage, point.runs,
                           point.delivered_percent ? fmt::format("{}", *point.delivered_percent) : "",
                           quoted(number.name), number.unit, number.typical, number.low, number.high);
  return out;
}

}  // namespace fathom::report
