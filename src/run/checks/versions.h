// Which write was the last at each place, for jobs that write places more than once. A lost rewrite leaves the version
// before it, whole and with a good checksum: only who knows the last number sees that. So each unit (what one header
// stands for) has 8 bytes here: 48 bits for the number of the last write, 15 for how many writes are in flight there,
// and one that says that their order is not known.
//
// Two writes in flight to one place may arrive in either order, or piece by piece. Nobody can say what has to stand
// there afterwards, and a verifier that demands the later one accuses storage that did nothing wrong (fio's
// norandommap with iodepth). Here the unit is without an order until a write meets it with none in flight.
//
// Above 64 MiB the map lies in a file without a name, so that the kernel can put it away; only what is touched takes
// memory or disk. Jobs that write each place once have no map: workload::ReadBack counts.
// Thread rule: one owner; last() from any thread, which may see a write before or after it. No allocation after make().
// Lengths and offsets are bytes.
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
  static constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 20;  // a larger map lies in a file

  // Of what the targets let a job touch. `folder`: where a large map's file is made.
  static base::Expected<Versions> make(std::span<const io::Target> targets, std::uint32_t unit, const char* folder);

  // True: another write to the same place is in flight, so the two have no order.
  bool issued(const io::Request& write, std::uint64_t number);
  // Not well: what stands there now is not known.
  void ended(const io::Request& write, bool well);
  // A trim stands for a write, of no number; it ends as a write does.
  void trim_issued(const io::Request& trim);
  // Whether a trim was the last in all of the range, and is over.
  bool is_trimmed(const io::Request& range) const;

  // Whether this write is the last one anywhere in what it wrote.
  bool is_last_somewhere(const io::Request& write, std::uint64_t number) const;

  enum class Standing : std::uint8_t {
    one,        // `number` was the last there, in all of the range
    unordered,  // one of several: order unknown, or failed, or the range has parts of several
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
