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
//
// Reference: libfuse's high-level interface, https://libfuse.github.io/doxygen/structfuse__operations.html
#define FUSE_USE_VERSION 31
#include <fcntl.h>
#include <fuse.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

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

bool is_data(const char* path) { return std::string_view(path) == "/data"; }
bool is_control(const char* path) { return std::string_view(path) == "/control"; }

int get_attributes(const char* path, struct stat* to, fuse_file_info* /*file*/) {
  *to = {};
  if (std::string_view(path) == "/") {
    to->st_mode = S_IFDIR | 0755;
    to->st_nlink = 2;
    return 0;
  }
  if (!is_data(path) && !is_control(path)) return -ENOENT;
  to->st_mode = S_IFREG | 0644;
  to->st_nlink = 1;
  to->st_size = static_cast<off_t>(is_data(path) ? medium.size : 0);
  to->st_blocks = to->st_size / 512;
  to->st_blksize = kBlock;
  return 0;
}

int list(const char* /*path*/, void* to, fuse_fill_dir_t add, off_t /*from*/, fuse_file_info* /*file*/,
         fuse_readdir_flags /*flags*/) {
  for (const char* name : {".", "..", "data", "control"})
    add(to, name, nullptr, 0, static_cast<fuse_fill_dir_flags>(0));
  return 0;
}

int open_file(const char* path, fuse_file_info* file) {
  if (!is_data(path) && !is_control(path)) return -ENOENT;
  file->direct_io = is_control(path) || !medium.cached;
  file->keep_cache = is_data(path) && medium.cached;  // as a disk's file system: what is cached outlives the open file
  return 0;
}

int read_file(const char* path, char* to, std::size_t length, off_t from, fuse_file_info* file) {
  const auto at = static_cast<std::size_t>(from);
  if (is_control(path)) {
    const std::string rows = acted();
    return static_cast<int>(at < rows.size() ? rows.copy(to, length, at) : 0);
  }
  if (at >= medium.size) return 0;
  length = std::min(length, medium.size - at);
  fetch(at, to, length, (file->flags & O_DIRECT) != 0);
  return static_cast<int>(length);
}

int write_file(const char* path, const char* bytes, std::size_t length, off_t from, fuse_file_info* /*file*/) {
  if (is_control(path)) {
    std::istringstream lines(std::string(bytes, length));
    for (std::string line; std::getline(lines, line);) {
      if (!command(line)) return -EINVAL;
    }
    return static_cast<int>(length);
  }
  const auto at = static_cast<std::size_t>(from);
  if (at + length > kMost) return -ENOSPC;
  store(at, bytes, length);
  return static_cast<int>(length);
}

int set_size(const char* path, off_t size, fuse_file_info* /*file*/) {
  if (is_control(path)) return 0;
  const auto bytes = static_cast<std::size_t>(size);
  if (bytes > kMost) return -ENOSPC;
  grow(bytes);
  medium.size = bytes;
  std::fill(medium.now.begin() + size, medium.now.end(), 0);
  return 0;
}

void* begin(fuse_conn_info* /*connection*/, fuse_config* config) {
  config->attr_timeout = config->entry_timeout = config->negative_timeout =
      0;  // sizes change by commands, which the kernel does not see
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  fuse_operations operations{};
  operations.getattr = get_attributes;
  operations.truncate = set_size;
  operations.open = open_file;
  operations.read = read_file;
  operations.write = write_file;
  operations.readdir = list;
  operations.init = begin;
  return fuse_main(argc, argv, &operations, nullptr);
}
