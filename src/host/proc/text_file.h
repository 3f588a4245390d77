// Small kernel text files (/proc, /sys), read as a whole; missing means empty. Containers hide many of them. A fact
// that cannot be read is omitted, not an error. Thread-safe.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace fathom::host::proc {

// The file's bytes, at most max_bytes; "": it cannot be read. Reading all of /proc/cpuinfo on a large machine takes
// milliseconds, its first CPU does not.
std::string read_text(const std::string& path, std::size_t max_bytes = std::size_t{64} << 20);
// Its first line without white space around it.
std::string read_line(const std::string& path);
// Names in a directory, sorted, without . and ..; empty: it cannot be read.
std::vector<std::string> list_names(const std::string& path);

}  // namespace fathom::host::proc
