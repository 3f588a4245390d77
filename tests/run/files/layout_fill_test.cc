// What is laid out: no block twice, neither within a file, nor in a part that was laid out later, nor between files.
#include "run/files/layout_fill.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>

#include "base/system/fd.h"

namespace fathom::run::files {
namespace {

constexpr std::size_t kBlock = 4096;

struct TemporaryFile {
  char path[32] = "/tmp/fathom-layout-XXXXXX";
  base::system::UniqueFd fd{::mkstemp(path)};
  ~TemporaryFile() { ::unlink(path); }
};

void fill_range(const TemporaryFile& file, std::uint64_t from, std::uint64_t to,
                workload::bytes::Contents::Bytes bytes) {
  PlannedTarget target;
  target.path = file.path;
  target.exists = true;
  target.size_now = from;
  target.size_needed = to;
  LayoutProgress progress;
  const std::atomic<std::uint32_t> stop{0};
  ASSERT_TRUE(fill_file(file.fd.get(), target, 0, {{.bytes = bytes}}, progress, {}, stop).ok());
  EXPECT_EQ(progress.done_bytes, to - from);
}

void add_blocks(const TemporaryFile& file, std::uint64_t bytes, std::multiset<std::string>& blocks) {
  std::string block(kBlock, '\0');
  for (std::uint64_t at = 0; at < bytes; at += kBlock) {
    ASSERT_EQ(::pread(file.fd.get(), block.data(), kBlock, static_cast<off_t>(at)), ssize_t{kBlock});
    blocks.insert(block);
  }
}

TEST(LayoutFill, NoTwoBlocksHaveEqualBytes) {
  for (const auto fill : {workload::bytes::Contents::Bytes::streams, workload::bytes::Contents::Bytes::random}) {
    TemporaryFile one, other;
    fill_range(one, 0, 3u << 20, fill);
    fill_range(one, 3u << 20, 5u << 20, fill);
    fill_range(other, 0, 3u << 20, fill);
    std::multiset<std::string> blocks;
    add_blocks(one, 5u << 20, blocks);
    add_blocks(other, 3u << 20, blocks);
    EXPECT_EQ(std::set<std::string>(blocks.begin(), blocks.end()).size(), blocks.size());
    EXPECT_EQ(blocks.size(), (8u << 20) / kBlock);
  }
}

}  // namespace
}  // namespace fathom::run::files
