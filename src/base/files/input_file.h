// What a user names to be read: a regular file, `-` (standard input), a pipe, a socket or a terminal, up to a limit. A device has no end, so that all but
// /dev/null are refused. Source: read(2). Thread rule: any thread.
#pragma once
#include <cstddef>
#include <string>

#include "base/error.h"

namespace fathom::base::files {

enum class Larger { refused, cut };  // what has more bytes than are wanted

// what: for messages, "job file". ErrorKind::usage: it is a device, or larger than most_bytes (found before a
// regular file is read); of a pipe at most kMostOfPipe_bytes are read. The end of a pipe is the end of the text.
Expected<std::string> read_input(const std::string& what, const std::string& path, std::size_t most_bytes,
                                 Larger larger = Larger::refused);
inline constexpr std::size_t kMostOfPipe_bytes = std::size_t{256} << 20;

}  // namespace fathom::base::files
