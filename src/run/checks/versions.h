// The last write at each place, for jobs that write places more than once. A lost rewrite leaves the previous version,
// complete and with a correct checksum: only the number of the last write reveals that. Each unit (the range of one
// header) has 8 bytes here: 48 bits for the number of the last write, 15 for the number of writes in flight there, and
// one if their order is unknown.
//
// Two writes in flight to one place may arrive in either order, or in parts. The resulting content is unknown. A
// verifier that requires the later write blames storage that did nothing wrong (fio's norandommap with iodepth). Here
// the unit has no order until a write is issued to it with no other one in flight.
//
// Above 64 MiB the map is in an unnamed file, so that the kernel can write it out. Only touched pages use memory or
// disk. Jobs that write each place once have no map: workload::ReadBack counts.
// Thread rule: one owner. Any thread may call last(), and may see a concurrent write or not. No allocation after
// make(). Lengths and offsets are bytes.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "io/request.h"
#include "io/target.h"

namespace fathom::run::checks {

class Versions {
 public:
  static constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 20;  // a larger map is in a file

  // Covers the parts of the targets that the job may access. `folder`: the directory for a large map's file.
  static base::Expected<Versions> make(std::span<const io::Target> targets, std::uint32_t unit, const char* folder);

  // True: another write to the same place is in flight, so the two have no order.
  bool issued(const io::Request& write, std::uint64_t number);
  // well false: the content of that place is now unknown.
  void ended(const io::Request& write, bool well);
  // A trim counts as a write without a number. It ends as a write does.
  void trim_issued(const io::Request& trim);
  // Whether a trim was the last request in all of the range, and has ended.
  bool is_trimmed(const io::Request& range) const;

  // Whether this write is the last one in any part of its range.
  bool is_last_somewhere(const io::Request& write, std::uint64_t number) const;

  enum class Standing : std::uint8_t {
    one,        // `number` was the last there, in all of the range
    unordered,  // order unknown, in flight, failed, or several writes in the range
    none        // trimmed, or never written
  };
  struct Last {
    Standing standing = Standing::none;
    std::uint64_t number = 0;
  };
  Last last(std::uint16_t target, std::uint64_t offset, std::uint64_t length) const;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::uint64_t* map) const;
  };
  struct Window {
    std::uint64_t begin = 0, first_unit = 0, units = 0;
  };
  bool put(const io::Request& request, std::uint64_t entry);
  std::span<std::uint64_t> units_of(std::uint16_t target, std::uint64_t offset, std::uint64_t length) const;

  Versions() = default;
  std::uint32_t unit_ = 0;
  std::vector<Window> windows_;
  std::unique_ptr<std::uint64_t, Unmap> map_;
};

}  // namespace fathom::run::checks
