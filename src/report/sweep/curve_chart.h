// A load-latency curve drawn with characters: loads to the right, latency upwards on an axis of logarithms, since it grows
// by powers of ten beyond the knee; the limit as a line across, the knee as one upwards. A curve over something else than
// a load says how a place on its axis is written. Pure.
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
  std::string (*label)(double load) = nullptr;  // below the axis, "" for none; nullptr: the load in three digits
};
struct CurveMarks {
  std::optional<double> knee, limit_ns;
};

std::string load_text(double load);  // three digits
// Empty of fewer than two points.
std::string draw_curve(const std::vector<CurvePoint>& points, const CurveMarks& marks, const std::string& load_name,
                       const CurveStyle& style);

}  // namespace fathom::report::sweep
