// A tree of small files as one text file: `[folder]`, and below it a file a line, `name = content` (`=~` where the content
// has no newline at its end). Lines with # and empty ones are for the reader. tests/pmu_cli/recorded.py reads the same.
#pragma once
#include <fstream>
#include <stdexcept>
#include <string>

#include "host/temp_tree.h"

namespace fathom::host::testing {

inline void unpack(const std::string& manifest, const TempTree& tree) {
  std::ifstream text(manifest);
  if (!text) throw std::runtime_error(manifest + " is not there");
  std::string folder;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.front() == '[' && line.back() == ']') {
      folder = "/" + line.substr(1, line.size() - 2) + "/";
      continue;
    }
    const auto at = line.find(" =");
    if (at == line.npos) throw std::runtime_error(manifest + ": neither [folder] nor `name = content`: " + line);
    const bool open = line[at + 2] == '~';
    tree.file(folder + line.substr(0, at), line.substr(at + (open ? 4 : 3)) + (open ? "" : "\n"));
  }
}

}  // namespace fathom::host::testing
