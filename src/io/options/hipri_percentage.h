// hipri_percentage: the share of the I/Os that use hipri.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct HipriPercentageOptions : OfEngine {
  unsigned percentage = 100;
};

inline constexpr Row kHipriPercentageRows[] = {
    count<&HipriPercentageOptions::percentage>({"hipri_percentage", "100", "Percentage of the I/Os that use hipri"}, 0,
                                               100),
};
inline constexpr OptionTable kHipriPercentageOptions{"hipri_percentage", kHipriPercentageRows};

}  // namespace fathom::io
