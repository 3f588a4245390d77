// A FUSE file system that damages what is written to it, for tests of verification.
//
// Problem: whether a verification can see a damage can only be asked of data that was damaged below the program that wrote it, by
// something that knows nothing of headers and checksums. A changed file (dd after the run) is one such damage, bit rot; a write that
// was acknowledged and never arrived, or arrived elsewhere, is none that a finished file can be edited into while the program runs.
//
// Choice: one file, `data`, held in memory as blocks of 4 KiB, each in its last two versions. A second file, `control`, takes one
// command a line; each plants one damage in one block, from then on. Writes of a whole block are damaged, parts of a block pass as they are.
// `control` read back says how often each plant acted, so that a test can know that its damage was there. One thread serves all: no locks.
//   flip AT BIT              a write arrives with bit BIT of the block (0 to 32767) changed
//   torn AT SECTORS          only the first SECTORS * 512 bytes of a write arrive
//   lost AT                  a write is acknowledged and dropped
//   misdirected AT PLACE     a write arrives at PLACE instead
//   zero AT                  a write arrives as zeroes
//   shifted AT BYTES         a write arrives BYTES later in the block; what has no room is dropped
//   stale AT READERS         reads give the version before the last; READERS: all, buffered, direct (O_DIRECT), once (the first read only)
//   cache on|off             whether the kernel's page cache stands before `data`, for files opened from now on (off at the start)
//   clear                    no more damage; what was damaged stays so
//   wipe                     as clear, and `data` is empty
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "one_file_fs.h"

namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kSector = 512;
constexpr std::size_t kMost = 64UL << 20;  // bytes that `data` may have

struct Plant {
  std::string kind;
  std::size_t number = 0;  // bit, sectors, place or bytes: what the kind says
  std::string readers;     // of stale
  unsigned acted = 0;
};

struct Medium {
  std::vector<char> now, before;  // of the same length, whole blocks
  std::size_t size = 0;           // bytes in the file
  std::map<std::size_t, Plant> plants;
  bool cached = false;
};

Medium medium;

void grow(std::size_t bytes) {
  const std::size_t whole = (bytes + kBlock - 1) / kBlock * kBlock;
  if (whole > medium.now.size()) {
    medium.now.resize(whole);
    medium.before.resize(whole);
  }
  medium.size = std::max(medium.size, bytes);
}

// Bytes within one block reach the medium; what the block held is its version before.
void arrive(std::size_t at, const char* bytes, std::size_t length) {
  const std::size_t block = at / kBlock * kBlock;
  std::copy_n(medium.now.data() + block, kBlock, medium.before.data() + block);
  std::copy_n(bytes, length, medium.now.data() + at);
}

void arrive_damaged(Plant& plant, std::size_t at, const char* bytes) {
  std::vector<char> block(bytes, bytes + kBlock);
  if (plant.kind == "flip") {
    block[plant.number / 8] = static_cast<char>(block[plant.number / 8] ^ (1 << (plant.number % 8)));
    arrive(at, block.data(), kBlock);
  } else if (plant.kind == "torn") {
    arrive(at, bytes, plant.number * kSector);
  } else if (plant.kind == "misdirected") {
    grow(plant.number + kBlock);
    arrive(plant.number, bytes, kBlock);
  } else if (plant.kind == "zero") {
    std::ranges::fill(block, 0);
    arrive(at, block.data(), kBlock);
  } else if (plant.kind == "shifted") {
    arrive(at + plant.number, bytes, kBlock - plant.number);
  }  // lost: nothing
  ++plant.acted;
}

void store(std::size_t at, const char* bytes, std::size_t length) {
  grow(at + length);
  while (length > 0) {
    const std::size_t part = std::min(length, kBlock - at % kBlock);
    const auto plant = medium.plants.find(at);
    if (part == kBlock && plant != medium.plants.end() && plant->second.kind != "stale") {
      arrive_damaged(plant->second, at, bytes);
    } else {
      arrive(at, bytes, part);
    }
    at += part;
    bytes += part;
    length -= part;
  }
}

bool stale_for(const Plant& plant, bool direct) {
  if (plant.kind != "stale") return false;
  if (plant.readers == "once") return plant.acted == 0;
  return plant.readers == "all" || (plant.readers == "direct") == direct;
}

void fetch(std::size_t at, char* bytes, std::size_t length, bool direct) {
  while (length > 0) {
    const std::size_t part = std::min(length, kBlock - at % kBlock);
    const auto plant = medium.plants.find(at / kBlock * kBlock);
    const bool stale = plant != medium.plants.end() && stale_for(plant->second, direct);
    std::copy_n((stale ? medium.before : medium.now).data() + at, part, bytes);
    if (stale) ++plant->second.acted;
    at += part;
    bytes += part;
    length -= part;
  }
}

bool possible(std::size_t at, const Plant& plant) {
  if (at % kBlock != 0 || at + kBlock > kMost) return false;
  if (plant.kind == "lost" || plant.kind == "zero") return true;
  if (plant.kind == "flip") return plant.number < kBlock * 8;
  if (plant.kind == "torn") return plant.number < kBlock / kSector;
  if (plant.kind == "misdirected")
    return plant.number % kBlock == 0 && plant.number + kBlock <= kMost && plant.number != at;
  if (plant.kind == "shifted") return plant.number > 0 && plant.number < kBlock;
  return plant.kind == "stale" && (plant.readers == "all" || plant.readers == "buffered" || plant.readers == "direct" ||
                                   plant.readers == "once");
}

// True if the line was understood and done.
bool command(const std::string& line) {
  std::istringstream words(line);
  Plant plant;
  std::size_t at = 0;
  words >> plant.kind;
  if (plant.kind == "cache") {
    std::string choice;
    words >> choice;
    medium.cached = choice == "on";
    return choice == "on" || choice == "off";
  }
  if (plant.kind == "clear" || plant.kind == "wipe") {
    medium.plants.clear();
    if (plant.kind == "wipe") {
      medium.now.clear();
      medium.before.clear();
      medium.size = 0;
    }
    return true;
  }
  words >> at;
  if (plant.kind == "stale") {
    words >> plant.readers;
  } else if (plant.kind != "lost" && plant.kind != "zero") {
    words >> plant.number;
  }
  if (words.fail() || !possible(at, plant)) return false;
  medium.plants[at] = plant;
  return true;
}

std::string acted() {
  std::ostringstream rows;
  for (const auto& [at, plant] : medium.plants) rows << plant.kind << ' ' << at << " acted " << plant.acted << '\n';
  return rows.str();
}

struct DamagingFile {
  static constexpr std::size_t kMost = ::kMost;
  static std::size_t size() { return medium.size; }
  static bool cached() { return medium.cached; }
  static bool command(const std::string& line) { return ::command(line); }
  static std::string told() { return acted(); }
  static void read(std::size_t at, char* bytes, std::size_t length, bool direct) { fetch(at, bytes, length, direct); }
  static void write(std::size_t at, const char* bytes, std::size_t length) { store(at, bytes, length); }
  static void resize(std::size_t bytes) {
    grow(bytes);
    medium.size = bytes;
    std::fill(medium.now.begin() + static_cast<std::ptrdiff_t>(bytes), medium.now.end(), 0);
  }
};

}  // namespace

int main(int argc, char** argv) { return one_file_fs::serve<DamagingFile>(argc, argv); }
