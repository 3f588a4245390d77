// Crossed with Debian's fio, all methods by four layouts, both ways: fio writes and we find it good and make it again;
// we write and fio finds it good; a changed byte is seen by both, with the same words. One run of fio does all files,
// a job each. Needs fio 3.33, whose headers are of 40 bytes; those of 48 are held by fixtures_test.cc.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "verify/block.h"
#include "verify/blocks.h"
#include "verify/fio_lines.h"

namespace fathom::verify {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPatternText = "0xff%o'\"'abcd'\"'-12";  // as a shell is to see it

PatternBytes the_pattern() {
  const std::size_t place[] = {1};
  return *PatternBytes::make(std::string_view("\xff"
                                              "01234567abcd\xf4\xff\xff\xff",
                                              17),
                             place);
}

struct Sizes {
  const char* name;
  std::uint32_t bs, interval, offset, total;
};
constexpr Sizes kSizes[] = {{"small", 512, 0, 0, 4096},
                            {"page", 4096, 0, 1000, 32768},
                            {"intervals", 16384, 2048, 512, 65536},
                            {"large", 131072, 0, 0, 262144}};

struct LiveCase {
  std::string name, options;
  Sizes sizes{};
  Layout layout;
  PatternBytes pattern;
};

std::string option_of(const MethodRow& row) {
  const std::string pattern = fmt::format(" --verify_pattern={}", kPatternText);
  if (row.method == Method::pattern_hdr) return pattern;  // the name is newer than 3.33
  return fmt::format(" --verify={}{}", row.name, row.pattern ? pattern : "");
}

std::vector<LiveCase> live_cases() {
  std::vector<LiveCase> all;
  for (const auto& row : methods())
    for (const auto& sizes : kSizes) {
      const auto layout = settle({.format = Format::fio_3_33,
                                  .method = row.method,
                                  .interval = sizes.interval,
                                  .offset = sizes.offset,
                                  .min_write = sizes.bs,
                                  .max_write = sizes.bs,
                                  .has_pattern = row.pattern,
                                  .writes = false});
      EXPECT_TRUE(layout.ok()) << row.name << sizes.name;
      std::string options = fmt::format(" --bs={} --size={}{}", sizes.bs, sizes.total, option_of(row));
      if (sizes.interval != 0) options += fmt::format(" --verify_interval={}", sizes.interval);
      if (sizes.offset != 0) options += fmt::format(" --verify_offset={}", sizes.offset);
      all.push_back({fmt::format("{}.{}", row.name, sizes.name), options, sizes, *layout,
                     row.pattern ? the_pattern() : PatternBytes()});
    }
  return all;
}

class FioVerifyInterop : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("fio --version 2>/dev/null | grep -q '^fio-3\\.3[3-9]'") != 0) GTEST_SKIP() << "no fio 3.33";
    std::string name = fs::temp_directory_path() / "fathom-verify-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  // One job a case, all at once; what fio said.
  std::string fio(const std::vector<LiveCase>& all, const std::string& options) {
    std::string words = fmt::format("cd {} && fio --thread --ioengine=psync --randseed=99 --verify_state_save=0 {}",
                                    folder_.string(), options);
    for (const auto& c : all) words += fmt::format(" --name={0} --filename={0}{1}", c.name, c.options);
    status_ = std::system((words + " >said 2>&1").c_str());
    std::ifstream said(folder_ / "said");
    std::stringstream text;
    text << said.rdbuf();
    return text.str();
  }
  std::vector<std::byte> content(const LiveCase& c) const {
    std::ifstream in(folder_ / c.name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return testing::bytes(text.str());
  }
  void write(const LiveCase& c, std::span<const std::byte> data) const {
    std::ofstream(folder_ / c.name, std::ios::binary)
        .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  }

  fs::path folder_;
  int status_ = 0;
};

std::uint64_t seed_of(const LiveCase& c, std::uint64_t number) {
  return std::hash<std::string>{}(c.name) * 0x9e3779b97f4a7c15ull + number * 7919;
}

std::vector<std::byte> written_by_us(const LiveCase& c) {
  auto sealer = Sealer::make(c.layout, c.pattern);
  std::vector<std::byte> file(c.sizes.total);
  for (std::uint64_t at = 0, number = 0; at < file.size(); at += c.sizes.bs, ++number)
    sealer->seal(std::span(file).subspan(at, c.sizes.bs),
                 {.offset = at, .numberio = number, .seed = seed_of(c, number), .sec = 3, .nsec = 9, .thread = 2});
  return file;
}

bool is_copy(const LiveCase& c) { return row_of(c.layout.method).copy_before_3_39; }

TEST_F(FioVerifyInterop, TimedBlocksOfFioPassAndAreReproduced) {
  const auto all = live_cases();
  const auto said = fio(all, "--rw=write --do_verify=0");
  ASSERT_EQ(status_, 0) << said;
  for (const auto& c : all) {
    const auto file = content(c);
    ASSERT_EQ(file.size(), c.sizes.total) << c.name;
    auto checker = Checker::make(c.layout, c.pattern);
    auto sealer = Sealer::make(c.layout, c.pattern);
    for (std::uint64_t at = 0, number = 0; at < file.size(); at += c.sizes.bs, ++number) {
      const auto io = std::span(file).subspan(at, c.sizes.bs);
      std::vector<std::byte> read(io.begin(), io.end()), again(io.size());
      const auto verdict = checker->check(read, {.offset = at, .numberio = number});
      ASSERT_TRUE(verdict.good()) << c.name << ": " << name(verdict.flaw) << " at " << at;
      EXPECT_EQ(verdict.proves_little, is_copy(c)) << c.name;
      if (is_copy(c) || c.layout.method == Method::null) continue;
      IoFacts facts{.offset = at};
      if (verdict.header) facts = facts_of(*verdict.header, c.layout, verdict.interval);
      sealer->seal(again, facts);
      EXPECT_TRUE(std::equal(io.begin(), io.end(), again.begin())) << c.name << " at " << at;
    }
  }
}

TEST_F(FioVerifyInterop, TimedFioAcceptsOurBlocks) {
  std::vector<LiveCase> all;
  for (auto& c : live_cases())
    if (!is_copy(c)) all.push_back(std::move(c));
  for (const auto& c : all) write(c, written_by_us(c));
  const auto said = fio(all, "--rw=read");
  EXPECT_EQ(status_, 0) << said;
  EXPECT_EQ(said.find("verify"), std::string::npos) << said;
}

// In the last interval of the last I/O but one: fio 3.33 forgets what was wrong in an earlier one of the same I/O.
std::size_t place_of_damage(const LiveCase& c) {
  const std::size_t end = c.sizes.total - c.sizes.bs;
  const bool headers_only = row_of(c.layout.method).digest == nullptr && !row_of(c.layout.method).pattern;
  const std::size_t interval = c.layout.interval == 0 ? c.sizes.bs : c.layout.interval;
  return headers_only ? end - interval + c.layout.offset + 18 : end - 5;
}

// Of one layout: fio takes a quarter of a second for each job that waits for the one before it.
TEST_F(FioVerifyInterop, TimedFioAndWeReportAChangedByteInTheSameWords) {
  std::vector<LiveCase> all;
  for (auto& c : live_cases())
    if (!is_copy(c) && c.layout.method != Method::null && c.name.ends_with(".intervals")) all.push_back(std::move(c));
  std::vector<std::string> wanted;
  for (const auto& c : all) {
    auto file = written_by_us(c);
    file[place_of_damage(c)] ^= std::byte{0x24};
    write(c, file);
    const std::size_t at = c.sizes.total - 2 * c.sizes.bs;
    const auto verdict =
        Checker::make(c.layout, c.pattern)->check(std::span(file).subspan(at, c.sizes.bs), {.offset = at});
    EXPECT_FALSE(verdict.good()) << c.name;
    auto lines = fio_lines(verdict, {.file = c.name, .offset = at, .length = c.sizes.bs, .format = Format::fio_3_33});
    if (c.layout.method == Method::pattern) lines.pop_back();  // 3.33 has a length there that means nothing
    wanted.insert(wanted.end(), lines.begin(), lines.end());
  }
  // One after the other: fio writes its lines in pieces.
  const auto said = fio(all, "--rw=read --stonewall");
  EXPECT_NE(status_, 0);
  EXPECT_GT(wanted.size(), all.size());
  for (const auto& line : wanted) EXPECT_NE(said.find(line + "\n"), std::string::npos) << line;
}

}  // namespace
}  // namespace fathom::verify
