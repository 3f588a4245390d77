// hipri: polled completions (RWF_HIPRI, IORING_SETUP_IOPOLL).
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct HipriOptions : OfEngine {
  bool hipri = false;
};

inline constexpr Row kHipriRows[] = {
    flag<&HipriOptions::hipri>({"hipri", "", "Poll for completions instead of waiting for interrupts"}),
};
inline constexpr OptionTable kHipriOptions{"hipri", kHipriRows};

}  // namespace fathom::io
