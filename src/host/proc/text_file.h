// Small kernel text files (/proc, /sys): read whole, missing means empty. Containers hide many of them, and a fact that
// cannot be read is a fact left out, not an error. Thread-safe.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace fathom::host::proc {

// The file's bytes, "" if it cannot be read. At most max_bytes: /proc/cpuinfo of a large machine costs milliseconds,
// its first CPU does not.
std::string read_text(const std::string& path, std::size_t max_bytes = std::size_t{64} << 20);
// Its first line without white space around it.
std::string read_line(const std::string& path);
// Names in a folder, sorted, without . and ..; empty if it cannot be read.
std::vector<std::string> list_names(const std::string& path);

}  // namespace fathom::host::proc
