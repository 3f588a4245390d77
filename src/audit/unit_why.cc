// The factors by which the counters of events/pcie_bandwidth.csv can be mistaken for each other.
#include "audit/unit_why.h"

namespace fathom::audit {
namespace {

struct FactorRow {
  double factor;
  const char* why;
};
constexpr FactorRow kFactors[] = {
    {16, "the counter was in bytes already and was taken as units of 16 (dwc_rootport_* counts bytes)"},
    {1.0 / 16, "the counter is in units of 16 bytes and was taken as bytes (pcie_bdf_* counts such units)"},
    {4, "the counter was taken as 4 bytes a count where it is 1 (or as 16 where it is 4)"},
    {1.0 / 4, "the counter is in dwords of 4 bytes and was taken as bytes (or in 16 and was taken as 4)"},
    {8, "the counter was taken as 32 bytes a count where it is 4 (Intel's IIO before and after Ice Lake)"},
    {1.0 / 8, "the counter is in 32 bytes and was taken as 4 (Intel's IIO under kernels before April 2025)"},
    {32, "the counter was in bytes already and was taken as beats of 32 bytes"},
    {1.0 / 32, "the counter is in beats of 32 bytes and was taken as bytes"},
    {64, "the counter was in bytes already and was taken as units of 64 bytes"},
    {1.0 / 64, "the counter is in units of 64 bytes (cache lines, AMD's beats) and was taken as bytes"},
    {512, "the counter was in bytes already and was taken as sectors of 512 bytes"},
    {1.0 / 512, "the counter is in sectors of 512 bytes and was taken as bytes"},
};

}  // namespace

const char* unit_why(double factor) {
  for (const auto& row : kFactors)
    if (row.factor == factor) return row.why;
  return "";
}

}  // namespace fathom::audit
