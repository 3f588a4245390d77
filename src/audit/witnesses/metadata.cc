// Bounds from measurements of each file system: docs/reference/audit.md, section "Metadata".
#include "audit/witnesses/metadata.h"

#include <algorithm>
#include <string_view>

#include "audit/witnesses/evidence.h"
#include "audit/witnesses/witness.h"

namespace fathom::audit::witnesses {
namespace {

// In blocks of 4 KiB. A journal takes the blocks from the writer: the journal's thread is charged at a commit.
struct Row {
  std::string_view file_systems;  // separated by spaces; empty: any other
  bool blocks_of_places;          // each block that maps file data is charged when it becomes dirty
  double commit_blocks;           // charged to the process that calls fsync
  double leaf_blocks;             // for each leaf that changed since the last commit
};
constexpr Row kRows[] = {
    {" xfs ", false, 0, 0}, {" btrfs ", false, 32, 4}, {" ext2 ext3 ext4 ", true, 0, 0}, {"", true, 32, 4}};
constexpr double kIosOfALeaf = 170;       // a leaf of an extent tree has space for 340 and is at least half full
constexpr double kBytesOfAMap = 4 << 20;  // described by one block of block numbers (ext2)
constexpr double kBlocksOfAFile = 2;      // the inode, and a bitmap
constexpr double kIosOfALogLeaf = 100;    // btrfs: extent and checksum items in 16 KiB
constexpr double kCopies = 2;             // btrfs writes its trees twice

const Row& row_of(const JobReach& reach) {
  const auto name = " " + reach.file_system + " ";
  const auto* const row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
    return r.file_systems.empty() || r.file_systems.find(name) != std::string_view::npos;
  });
  return *row;
}

}  // namespace

void Metadata::add(const Metadata& other) {
  charged_bytes += other.charged_bytes;
  again_bytes += other.again_bytes;
  disk_bytes += other.disk_bytes;
}

Metadata metadata_of(const JobPair& pair, double commits) {
  const auto& reach = *pair.reach;
  const auto& writes = pair.job->dirs[static_cast<std::size_t>(Way::write)];
  const auto ios = static_cast<double>(writes.moved_ios), bytes = static_cast<double>(writes.moved_bytes);
  const auto runtime_s = std::max(1.0, static_cast<double>(pair.job->elapsed_s));
  if (reach.files <= 0) return {};
  const Row& row = row_of(reach);
  const double timed_commits = commits + runtime_s / kCommitEvery_s + 1;
  Metadata m;
  m.disk_bytes = timed_commits * kBlocksOfACommit * kPageBytes;
  if (ios > 0 && row.blocks_of_places && !reach.journal) {
    const double blocks = ios / kIosOfALeaf + std::max(bytes, reach.range_bytes) / kBytesOfAMap;
    m.charged_bytes += (blocks + kBlocksOfAFile * reach.files) * kPageBytes;
    m.again_bytes = m.charged_bytes * runtime_s;
    m.disk_bytes += m.charged_bytes;
  }
  if (ios > 0) {
    const double leaves = std::min(ios, commits * (ios / kIosOfALogLeaf + 1));
    const double trees = (row.commit_blocks * commits + row.leaf_blocks * leaves) * kPageBytes;
    m.charged_bytes += trees;
    m.disk_bytes += kCopies * trees;
  }
  if (reach.journals_data) m.disk_bytes += bytes;
  return m;
}

}  // namespace fathom::audit::witnesses
