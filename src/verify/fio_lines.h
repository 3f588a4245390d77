// A verdict in the format of fio's lines, which scripts parse. Pure.
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
  unsigned flags = 8;                // fio's own flags of the I/O; 8 in most of its messages
  Format format = Format::fio_3_42;  // version of fio for the wording, which differs for trimmed data
};

// In fio's order, without line ends. Empty: good verdict.
std::vector<std::string> fio_lines(const Verdict& verdict, const RequestedBlock& io);

// what: "received", "expected" or "hdr_fail".
std::string fio_dump_line(std::string_view what, std::string_view name);
// The name of a dump in the working directory or --aux-path: BASENAME.OFFSET.WHAT.
std::string fio_dump_name(std::string_view file, std::uint64_t offset, std::string_view what);

}  // namespace fathom::verify
