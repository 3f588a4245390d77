// Positions of the members in a verify state file. fio changed the format three times. Versions 3 and 4 list the latest
// completed writes by file and offset, versions 5 to 7 the numbers of the writes in flight. Each change moved the
// members behind it. A layout is therefore data: one row for versions that agree, and one code for reading and writing
// any row. A file is a header and a payload. Positions in a row are byte offsets in the payload; integers are
// little-endian.
// Source: files that fio 3.33 and 3.42 wrote, and facts about its later versions. Constants only; any thread.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fathom::verify::state {

static_assert(std::endian::native == std::endian::little, "integers of a state file are copied as they are");

struct StateHeader {
  static constexpr std::size_t kVersionAt = 0;    // u64
  static constexpr std::size_t kBytesAt = 8;      // u64: size of the payload
  static constexpr std::size_t kChecksumAt = 16;  // u64: of the payload; the upper half is 0
  static constexpr std::size_t kBytes = 24;
};

inline constexpr std::size_t kGeneratorBytes = 48;  // the state of fio's offset generator
inline constexpr std::size_t kNameBytes = 64;       // including the terminating zero
inline constexpr std::size_t kAbsent = ~std::size_t{0};

struct StateLayout {
  std::uint64_t first_version, last_version;
  std::size_t completions_at;    // u64: entries in use
  std::size_t depth_at;          // u32
  std::size_t kept_per_file_at;  // u32: entries per file; absent: equal to the depth
  std::size_t files_at;          // u32
  std::size_t issued_at;         // u64
  std::size_t index_at;          // u64
  std::size_t wide_at;           // u64: the generator has 64-bit words
  std::size_t generator_at;      // kGeneratorBytes
  std::size_t name_at;           // kNameBytes
  std::size_t entries_at;
  std::size_t entry_bytes;  // 16: file number and offset; 8: the number of a write

  constexpr bool lists_offsets() const { return completions_at != kAbsent; }
};

inline constexpr StateLayout kStateLayouts[] = {
    {3, 3, 0, 8, kAbsent, 12, 16, 24, 32, 40, 88, 152, 16},
    {4, 4, 0, 8, 12, 16, 24, 32, 40, 48, 96, 160, 16},
    {5, 7, kAbsent, 0, kAbsent, kAbsent, 8, 16, 24, 32, 80, 144, 8},
};

// nullptr: unsupported version. Later versions begin with the workload.
constexpr const StateLayout* layout_of(std::uint64_t version) {
  for (const StateLayout& layout : kStateLayouts)
    if (version >= layout.first_version && version <= layout.last_version) return &layout;
  return nullptr;
}

// True if consecutive members are adjacent in the file.
constexpr bool is_dense(const StateLayout& layout) {
  return layout.index_at == layout.issued_at + 8 && layout.wide_at == layout.index_at + 8 &&
         layout.generator_at == layout.wide_at + 8 && layout.name_at == layout.generator_at + kGeneratorBytes &&
         layout.entries_at == layout.name_at + kNameBytes;
}
static_assert(is_dense(kStateLayouts[0]) && is_dense(kStateLayouts[1]) && is_dense(kStateLayouts[2]));

}  // namespace fathom::verify::state
