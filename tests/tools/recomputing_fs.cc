// A FUSE file system for files larger than the memory and the disk: what was written is not kept but made again when it
// is read.
//
// Problem: what a verifying program needs for 64 GiB can only be measured where 64 GiB can be written and read back.
//
// Choice: blocks of verify= are nearly all contents that follow from a seed in their header (random_fill.h), so of a
// write only its first bytes are kept: header and hash. Every write is compared with what would be made again of it, and
// those that differ are counted: a test has to ask, for what it then reads was never written. `data` is cut
// into blocks of one size, told on the way in; a read or a write is of whole blocks. A second file, `control`, takes one
// command a line; read, it says how many blocks are kept and how often each plant acted.
//   block BYTES      first of all: the size of a block; `data` is empty then, and nothing planted
//   flip AT BIT      reads give the block at AT with bit BIT changed
//   lost AT WRITES   the first WRITES writes of the block at AT arrive, and those after them are acknowledged and dropped
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "one_file_fs.h"

namespace {

constexpr std::size_t kKept = 56;  // bytes of a block: a header of 48, and a hash of up to 8 behind it
constexpr std::size_t kSeedAt = 8;
constexpr std::size_t kSmallest = 512;  // bytes of a block

struct Plant {
  std::string kind;
  std::size_t number = 0;
  unsigned writes = 0, acted = 0;
};

// The contents that fio draws from a seed: words of four streams in turn.
void contents(std::uint64_t seed, char* bytes, std::size_t length) {
  std::array<std::uint64_t, 4> words = {seed, seed * 2, seed * 3, seed * 5};
  for (std::size_t at = 0; at < length; at += sizeof words) {
    std::memcpy(bytes + at, words.data(), std::min(sizeof words, length - at));
    for (auto& word : words) word *= 0x61c8864680b583ebULL;
  }
}

class RecomputedFile {
 public:
  static constexpr std::size_t kMost = std::size_t{128} << 30;
  std::size_t size() const { return size_; }
  void resize(std::size_t bytes) { size_ = bytes; }
  static bool cached() { return false; }

  void read(std::size_t at, char* bytes, std::size_t length, bool /*direct*/) {
    for (std::size_t done = 0; done < length; done += block_) {
      const std::size_t part = std::min(block_, length - done);
      make(at + done, bytes + done, part);
      const auto plant = plants_.find(at + done);
      if (plant == plants_.end() || plant->second.kind != "flip") continue;
      auto& byte = bytes[done + plant->second.number / 8];
      byte = static_cast<char>(byte ^ (1 << (plant->second.number % 8)));
      ++plant->second.acted;
    }
  }

  void write(std::size_t at, const char* bytes, std::size_t length) {
    size_ = std::max(size_, at + length);
    for (std::size_t done = 0; done < length; done += block_) {
      const auto plant = plants_.find(at + done);
      if (plant != plants_.end() && plant->second.kind == "lost" && ++plant->second.writes > plant->second.number) {
        ++plant->second.acted;
        continue;
      }
      auto& kept = kept_[(at + done) / block_];
      std::copy_n(bytes + done, kKept, kept.begin());
      make(at + done, again_.data(), block_);
      unexpected_ += std::memcmp(again_.data(), bytes + done, std::min(block_, length - done)) != 0 ? 1 : 0;
    }
  }

  bool command(const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    std::size_t at = 0, number = 0;
    words >> kind >> at;
    if (words.fail()) return false;
    if (kind == "block") return at >= kSmallest && begin(at);
    words >> number;
    if (words.fail() || at % block_ != 0 || (kind != "flip" && kind != "lost")) return false;
    if (kind == "flip" && number >= block_ * 8) return false;
    plants_[at] = {.kind = kind, .number = number};
    return true;
  }

  std::string told() const {
    std::ostringstream rows;
    rows << "strange -1 acted " << unexpected_ << '\n';
    for (const auto& [at, plant] : plants_) rows << plant.kind << ' ' << at << " acted " << plant.acted << '\n';
    return rows.str();
  }

 private:
  using Kept = std::array<char, kKept>;

  // Room for all blocks that there can be, of which those that are written take memory.
  bool begin(std::size_t block) {
    if (kept_ != nullptr) ::munmap(kept_, kMost / block_ * sizeof(Kept));
    void* const room = ::mmap(nullptr, kMost / block * sizeof(Kept), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    kept_ = room == MAP_FAILED ? nullptr : static_cast<Kept*>(room);
    plants_.clear();
    again_.resize(block);
    size_ = unexpected_ = 0;
    block_ = block;
    return kept_ != nullptr;
  }

  // Zeroes where nothing was written.
  void make(std::size_t at, char* bytes, std::size_t length) const {
    const Kept& kept = kept_[at / block_];
    std::uint64_t seed = 0;
    std::memcpy(&seed, kept.data() + kSeedAt, sizeof seed);
    contents(seed, bytes, length);
    if (seed != 0) std::copy_n(kept.begin(), std::min(kKept, length), bytes);
  }

  std::size_t block_ = 1, size_ = 0;
  Kept* kept_ = nullptr;
  std::vector<char> again_;
  std::map<std::size_t, Plant> plants_;
  std::size_t unexpected_ = 0;  // writes that were no blocks of contents from a seed
};

}  // namespace

int main(int argc, char** argv) { return one_file_fs::serve<RecomputedFile>(argc, argv); }
