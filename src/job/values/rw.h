// rw=: the modes and their sequencer.
#pragma once
#include "job/option.h"

namespace fathom::job::values {

inline constexpr Choice kRwChoices[] = {
    {"read", 0, "sequential reads"},
    {"write", 1, "sequential writes"},
    {"trim", 2, "sequential trims"},
    {"randread", 3, "random reads"},
    {"randwrite", 4, "random writes"},
    {"randtrim", 5, "random trims"},
    {"rw", 6, "sequential reads and writes, mixed"},
    {"readwrite", 6, "as rw"},
    {"randrw", 7, "random reads and writes, mixed"},
    {"trimwrite", 8, "sequential: each block is trimmed, then written"},
    {"randtrimwrite", 9, "random: each block is trimmed, then written"},
};

// "randread", "randread:8", "read:4k".
Outcome read_rw(Job& job, const Value& value);

}  // namespace fathom::job::values
