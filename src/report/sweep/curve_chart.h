// A load-latency curve drawn with characters: loads to the right, latency upwards on a logarithmic axis, because beyond
// the knee it grows by powers of ten. The limit is a horizontal line, the knee a vertical one. If the axis is not a
// load, `label` formats its values. Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fathom::report::sweep {

struct CurvePoint {
  double load = 0, latency_ns = 0;
};
struct CurveStyle {
  bool utf8 = true;
  std::size_t width = 80, height = 14;
  std::string (*label)(double load) = nullptr;  // below the axis, "": no label; nullptr: the load in three digits
};
struct CurveMarks {
  std::optional<double> knee, limit_ns;
};

std::string load_text(double load);  // three digits
// Empty for fewer than two points.
std::string draw_curve(const std::vector<CurvePoint>& points, const CurveMarks& marks, const std::string& load_name,
                       const CurveStyle& style);

}  // namespace fathom::report::sweep
