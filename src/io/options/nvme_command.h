// A job's options for the NVMe commands that it passes through, except their placement.
#pragma once
#include <vector>

#include "io/option_table.h"

namespace fathom::io {

enum class WriteMode : std::uint8_t { write, uncor, zeroes, verify, zone_append };

struct NvmeCommandOptions : OfEngine {
  struct Share {
    WriteMode mode = WriteMode::write;
    unsigned percent = 100;
  };
  bool deac = false;
  std::vector<Share> write_modes{Share{}};  // percents sum to 100
};

inline constexpr Choice kWriteModes[] = {
    {"write", int(WriteMode::write), "Write"},
    {"uncor", int(WriteMode::uncor), "Write Uncorrectable"},
    {"zeroes", int(WriteMode::zeroes), "Write Zeroes"},
    {"verify", int(WriteMode::verify), "Verify"},
    {"zone_append", int(WriteMode::zone_append), "Zone Append"},
};

// One mode, or mode/percent pairs joined by ':'.
inline Outcome read_write_mode(NvmeCommandOptions& own, const Value& value) {
  std::vector<NvmeCommandOptions::Share> shares;
  double sum = 0;
  const auto entries = options::split(value.text, ':');
  for (const auto entry : entries) {
    const auto parts = options::split(entry, '/');
    int mode = 0;
    if (auto problem = read_choice(value.part(parts[0]), mode)) return problem;
    double percent = entries.size() == 1 ? 100 : 0;
    if (parts.size() > 1)
      if (auto problem = read_real(value.part(parts[1]), 0, 100, percent)) return problem;
    sum += percent;
    shares.push_back({static_cast<WriteMode>(mode), static_cast<unsigned>(percent)});
  }
  if (sum != 100)
    return wrong("shares are not 100 %", "", "write for example `write_mode=write/90:zeroes/10`", value.text);
  own.write_modes = std::move(shares);
  return {};
}

inline constexpr Row kNvmeCommandRows[] = {
    special<read_write_mode>(
        {"write_mode", "write", "Command of a write: one command, or shares of several: write/90:zeroes/10"},
        Type::choice, 0, 0, 0, false, kWriteModes),
    boolean<&NvmeCommandOptions::deac>({"deac", "0", "write_mode=zeroes may deallocate"}),
};
inline constexpr OptionTable kNvmeCommandOptions{"nvme_command", kNvmeCommandRows};

}  // namespace fathom::io
