// verify_dump=1: the bytes of a wrong block, in files with fio's names: the bytes read (.received) and the expected
// ones (.expected), or, if the header is wrong, only those read (.hdr_fail). Any thread. Allocates, because it is only
// for wrong blocks.
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
  std::span<const std::byte> received, expected;  // expected: empty if unknown
  const verify::Verdict& verdict;
};

// folder: empty: the working directory. Returns fio's lines about the files; for a file that could not be written, the
// cause. An earlier dump of the same place is overwritten.
std::vector<std::string> dump_block(const DumpedBlock& block, const std::string& folder);

}  // namespace fathom::run::checks
