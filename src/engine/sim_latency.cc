// Distributions as rows: a name, the meaning of the fields, and two closed forms. See the header.
#include "engine/sim_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "base/text/parse.h"

namespace fathom::engine {
namespace {

// The inverse of the standard normal distribution function: a rational approximation (Acklam, relative error below
// 1.2e-9). One Halley step with erfc follows, which leaves only rounding errors.
double rational_normal_quantile(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  constexpr double kTail = 0.02425;
  if (p > 1 - kTail) return -rational_normal_quantile(1 - p);
  if (p < kTail) {
    const double q = std::sqrt(-2 * std::log(p));
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  }
  const double q = p - 0.5;
  const double r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

double standard_normal_quantile(double p) {
  p = std::max(p, 0x1.0p-54);  // the lowest uniform number is 0
  const double z = rational_normal_quantile(p);
  const double u = (normal_cdf(z) - p) / normal_density(z);
  return z - u / (1 + 0.5 * z * u);
}

double const_quantile(double, double a, double, double) { return a; }
double const_mean(double a, double, double) { return a; }
double uniform_quantile(double q, double a, double b, double) { return a + q * (b - a); }
double uniform_mean(double a, double b, double) { return 0.5 * (a + b); }
double exp_quantile(double q, double a, double, double) { return -a * std::log1p(-q); }
double exp_mean(double a, double, double) { return a; }
double normal_quantile(double q, double a, double b, double) {
  return std::max(0.0, a + b * standard_normal_quantile(q));
}
double normal_mean(double a, double b, double) {  // the mean of max(0, X)
  return b == 0 ? a : a * normal_cdf(a / b) + b * normal_density(a / b);
}
double two_quantile(double q, double a, double b, double share) {  // sorted: the larger value has the higher ranks
  const double low_share = a <= b ? 1 - share : share;
  return q < low_share ? std::min(a, b) : std::max(a, b);
}
double two_mean(double a, double b, double share) { return (1 - share) * a + share * b; }

struct Shape {
  std::string_view name;
  std::size_t durations;
  bool has_share;
  const char* form;
  double (*quantile)(double, double, double, double);
  double (*mean)(double, double, double);
};
constexpr Shape kShapes[] = {
    {"const", 1, false, "const:100us", const_quantile, const_mean},
    {"uniform", 2, false, "uniform:10us:20us", uniform_quantile, uniform_mean},
    {"exp", 1, false, "exp:100us", exp_quantile, exp_mean},
    {"normal", 2, false, "normal:100us:10us", normal_quantile, normal_mean},
    {"two", 2, true, "two:100us:10ms:1%", two_quantile, two_mean},
};

base::Error not_a_latency(std::string_view text, std::string cause, std::string help) {
  base::Error e;
  e.what = fmt::format("sim_latency={}: not a latency", text);
  e.cause = std::move(cause);
  e.help = std::move(help);
  return e;
}

struct Fields {
  std::array<std::string_view, 5> text;
  std::size_t count = 0;  // may exceed the size of `text`: then there were too many fields
};

Fields split(std::string_view text) {
  Fields f;
  for (;;) {
    const std::size_t colon = text.find(':');
    if (f.count < f.text.size()) f.text[f.count] = base::text::trim(text.substr(0, colon));
    ++f.count;
    if (colon == std::string_view::npos) return f;
    text.remove_prefix(colon + 1);
  }
}

}  // namespace

base::Expected<SimLatency> SimLatency::parse(std::string_view text) {
  const Fields fields = split(text);
  const auto* shape =
      std::find_if(std::begin(kShapes), std::end(kShapes), [&](auto& s) { return s.name == fields.text[0]; });
  if (shape == std::end(kShapes))
    return not_a_latency(text, fmt::format("unknown distribution \"{}\"", fields.text[0]),
                         "write const, uniform, exp, normal or two");
  const std::string help = fmt::format("like {}", shape->form);
  const std::size_t expected = 1 + shape->durations + (shape->has_share ? 1 : 0);
  if (fields.count != expected)
    return not_a_latency(text, fmt::format("{} takes {} values, not {}", shape->name, expected - 1, fields.count - 1),
                         help);
  SimLatency latency;
  latency.quantile_ = shape->quantile;
  latency.mean_ = shape->mean;
  double* values[] = {&latency.a_, &latency.b_};
  for (std::size_t i = 0; i < shape->durations; ++i) {
    auto ns = base::text::parse_duration_ns(fields.text[1 + i], 1);
    if (!ns) return not_a_latency(text, fmt::format("\"{}\" is not a duration", fields.text[1 + i]), help);
    *values[i] = static_cast<double>(*ns);
  }
  if (shape->has_share) {
    auto percent = base::text::parse_percent(fields.text[1 + shape->durations]);
    if (!percent || *percent < 0 || *percent > 100)
      return not_a_latency(text, fmt::format("\"{}\" is not a percentage", fields.text[1 + shape->durations]), help);
    latency.share_ = *percent / 100;
  }
  if (shape->quantile == uniform_quantile && latency.a_ > latency.b_)
    return not_a_latency(text, "the lower bound is above the upper bound", help);
  if (latency.mean_ns() < 1) return not_a_latency(text, "the mean is below 1 ns: the clock would not advance", help);
  return latency;
}

}  // namespace fathom::engine
