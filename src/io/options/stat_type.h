// stat_type: the call that queries a file or directory.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

enum class StatType : std::uint8_t { stat, lstat, statx };
struct StatTypeOptions : OfEngine {
  StatType type = StatType::stat;
};

inline constexpr Choice kStatTypes[] = {{"stat", static_cast<int>(StatType::stat), "stat(2)"},
                                        {"lstat", static_cast<int>(StatType::lstat), "lstat(2)"},
                                        {"statx", static_cast<int>(StatType::statx), "statx(2)"}};

inline constexpr Row kStatTypeRows[] = {
    choice<&StatTypeOptions::type>({"stat_type", "stat", "Measured system call"}, kStatTypes),
};
inline constexpr OptionTable kStatTypeOptions{"stat_type", kStatTypeRows};

}  // namespace fathom::io
