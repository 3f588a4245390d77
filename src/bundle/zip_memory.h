// minizip's input and output in memory: its table of file functions for a text that is read, or a text that grows.
// Source: minizip/ioapi.h. Thread rule: one owner.
#pragma once
#include <minizip/ioapi.h>

#include <string>
#include <string_view>

namespace fathom::bundle {

struct ZipInput {
  std::string_view bytes;
  ZPOS64_T at = 0;
};
struct ZipOutput {
  std::string bytes;
  ZPOS64_T at = 0;
};

// The object must outlive minizip's handle.
zlib_filefunc64_def functions_of(ZipInput& input);
zlib_filefunc64_def functions_of(ZipOutput& output);

}  // namespace fathom::bundle
