// What is probably wrong with the unit of a PCIe counter that is off by a named factor. Pure.
#pragma once

namespace fathom::audit {

// `factor` as of stats::unit_factor: seen / expected.
const char* unit_why(double factor);

}  // namespace fathom::audit
