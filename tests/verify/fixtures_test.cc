// What fio 3.42 wrote, made again byte for byte. fio-3.42.txt has the facts of each write and the MD5 of its bytes;
// the contents come from the seed. make_fixtures.py tells how it was made.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "source_dir.h"
#include "verify/block.h"
#include "verify/blocks.h"

namespace fathom::verify {
namespace {

struct Write {
  IoFacts facts;
  std::size_t length = 0;
  std::string md5;
};

struct File {
  std::string name;
  Layout layout;
  PatternBytes pattern;
  std::vector<Write> writes;
};

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

File read_file_line(std::istringstream& line) {
  File file;
  std::string method, pattern;
  int place = 0;
  line >> file.name >> method >> file.layout.interval >> file.layout.offset >> pattern >> place;
  file.layout.method = method_named(method)->method;
  if (pattern == "-") return file;
  const std::size_t places[] = {static_cast<std::size_t>(place)};
  file.pattern = *PatternBytes::make(bytes_of_hex(pattern), places);
  return file;
}

Write read_write_line(std::istringstream& line) {
  Write write;
  auto& facts = write.facts;
  line >> facts.offset >> write.length >> facts.numberio >> facts.seed >> facts.sec >> facts.nsec >> facts.thread >>
      write.md5;
  return write;
}

std::vector<File> fixtures() {
  std::ifstream in(in_source("tests/verify/fio-3.42.txt"));
  std::vector<File> files;
  for (std::string text; std::getline(in, text);) {
    if (text.starts_with('#')) continue;
    const bool is_file = text.starts_with("file ");
    std::istringstream line(is_file ? text.substr(5) : text);
    if (is_file)
      files.push_back(read_file_line(line));
    else
      files.back().writes.push_back(read_write_line(line));
  }
  return files;
}

TEST(Fio342Fixtures, EachWriteIsReproducedByteForByte) {
  const auto files = fixtures();
  ASSERT_EQ(files.size(), 19u);
  for (const auto& file : files) {
    auto sealer = Sealer::make(file.layout, file.pattern);
    ASSERT_TRUE(sealer.ok()) << file.name;
    EXPECT_GE(file.writes.size(), 8u);
    for (const auto& write : file.writes) {
      std::vector<std::byte> io(write.length);
      sealer->seal(io, write.facts);
      EXPECT_EQ(testing::md5_hex(io), write.md5) << file.name << " at " << write.facts.offset;
    }
  }
}

TEST(Fio342Fixtures, EachWritePassesAndAChangedByteIsDetected) {
  for (const auto& file : fixtures()) {
    auto sealer = Sealer::make(file.layout, file.pattern);
    auto checker = Checker::make(file.layout, file.pattern);
    ASSERT_TRUE(sealer.ok() && checker.ok());
    for (const auto& write : file.writes) {
      std::vector<std::byte> io(write.length);
      const Wanted wanted{
          write.facts.offset, write.facts.numberio,
          file.layout.has_header() && file.pattern.empty() ? std::optional(write.facts.seed) : std::nullopt};
      sealer->seal(io, write.facts);
      auto copy = io;
      EXPECT_TRUE(checker->check(copy, wanted).good()) << file.name;
      if (file.layout.method == Method::meta) continue;
      io[io.size() - 3] ^= std::byte{0x10};
      const auto verdict = checker->check(io, wanted);
      EXPECT_EQ(verdict.flaw, row_of(file.layout.method).pattern ? Flaw::pattern : Flaw::digest) << file.name;
      EXPECT_EQ(verdict.interval + 1, file.layout.count(io.size()));
    }
  }
}

}  // namespace
}  // namespace fathom::verify
