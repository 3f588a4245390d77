// Reading the test's own files, and golden texts: FATHOM_REGOLD=1 writes them anew instead of comparing.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "fold.h"
#include "source_dir.h"

namespace fathom::report {

inline std::string test_path(const std::string& name) { return in_source("tests/report/" + name); }

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void expect_same_as_file(const std::string& path, const std::string& text) {
  if (std::getenv("FATHOM_REGOLD")) {
    std::ofstream(path, std::ios::binary) << text;
    GTEST_SKIP() << "wrote " << path;
  }
  EXPECT_EQ(text, read_text(path)) << "FATHOM_REGOLD=1 writes " << path << " anew";
}

inline void expect_golden(const std::string& name, const std::string& text) {
  expect_same_as_file(test_path("golden/" + name), text);
}

// A golden text that is kept folded (fold.h). The documents themselves go to the folder FATHOM_DOCUMENTS, where tests
// that read them find them (documents.py).
inline void expect_folded(const std::string& name, const std::string& text, Folded folded = {}) {
  if (const char* folder = std::getenv("FATHOM_DOCUMENTS"))
    std::ofstream(std::string(folder) + "/" + name, std::ios::binary) << text;
  expect_golden(name + ".folded", folded.of(text));
}

}  // namespace fathom::report
