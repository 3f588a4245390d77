// One row per point and number, for users who draw other plots. The columns are for programs, and values have all
// digits.
#include <fmt/format.h>

#include "report/formats.h"
#include "report/parts/utf8.h"

namespace fathom::report {

std::string sweep_csv(const result::Sweep& sweep) {
  std::string out = "curve,setting,load,stage,runs,delivered_percent,metric,unit,typical,low,high\n";
  for (const auto& curve : sweep.curves)
    for (const auto& point : curve.points)
      for (const auto& number : point.numbers)
        out +=
            fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", parts::csv_text(curve.of), parts::csv_text(point.setting),
                        point.load ? fmt::format("{}", *point.load) : "", point.stage, point.runs,
                        point.delivered_percent ? fmt::format("{}", *point.delivered_percent) : "",
                        parts::csv_text(number.name), number.unit, number.typical, number.low, number.high);
  return out;
}

}  // namespace fathom::report
