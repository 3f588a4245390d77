// verify_dump=1: the bytes of a block that is wrong, in files beside the run, under fio's names: what was read
// (.received) and what should have been (.expected), or, where not even the header is one, what was read (.hdr_fail).
// Any thread. Allocates: it is for blocks that are wrong only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/block.h"

namespace fathom::run::checks {

struct DumpedBlock {
  std::string_view file;
  std::uint64_t offset;
  std::span<const std::byte> received, expected;  // expected is empty: not known
  const verify::Verdict& verdict;
};

// folder: empty is the working directory. The lines that say it, fio's; of a file that could not be written, why. What
// was dumped before of the same place is overwritten.
std::vector<std::string> dump_block(const DumpedBlock& block, const std::string& folder);

}  // namespace fathom::run::checks
