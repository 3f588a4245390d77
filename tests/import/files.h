// The synthetic files of tests/import/data, results that older programs stored, and small changes to them.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "source_dir.h"

namespace fathom::import {

inline std::string file_in(const std::string& folder, const std::string& name) {
  const std::string path = in_source("tests/import/" + folder + "/" + name);
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}
inline std::string sample(const std::string& name) { return file_in("data", name); }
inline std::string stored_result(const std::string& name) { return file_in("corpus_result_json", name); }

// The text with the first `from` replaced; fails where there is none.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace fathom::import
