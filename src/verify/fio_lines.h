// A verdict in fio's lines, which scripts look for. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/block.h"

namespace fathom::verify {

// The I/O that the verdict is about. Bytes.
struct RequestedBlock {
  std::string_view file;
  std::uint64_t offset = 0, length = 0;
  unsigned flags = 8;                // fio's own of the I/O; 8 stands in most of its messages
  Format format = Format::fio_3_42;  // of the fio whose words they are: trimmed data have others
};

// In the order in which fio writes them, without ends of lines. None for a good verdict.
std::vector<std::string> fio_lines(const Verdict& verdict, const RequestedBlock& io);

// what: "received", "expected" or "hdr_fail".
std::string fio_dump_line(std::string_view what, std::string_view name);
// The name of a dump in the working directory or --aux-path: BASENAME.OFFSET.WHAT.
std::string fio_dump_name(std::string_view file, std::uint64_t offset, std::string_view what);

}  // namespace fathom::verify
