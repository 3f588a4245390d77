// Reads user input: a regular file, `-` (standard input), a pipe or a terminal, up to a limit. A socket is accepted
// only as standard input. Devices have no end: all but /dev/null are refused. Source: read(2). Thread rule: any thread.
#pragma once
#include <cstddef>
#include <string>

#include "base/error.h"

namespace fathom::base::files {

enum class Larger { refused, cut };  // input that is larger than the limit

// what: for messages, "job file". ErrorKind::usage: the input is a device, or larger than most_bytes (checked before a
// regular file is read). From a pipe it reads at most kMostOfPipe_bytes. The end of a pipe is the end of the text.
Expected<std::string> read_input(const std::string& what, const std::string& path, std::size_t most_bytes,
                                 Larger larger = Larger::refused);
inline constexpr std::size_t kMostOfPipe_bytes = std::size_t{256} << 20;

}  // namespace fathom::base::files
