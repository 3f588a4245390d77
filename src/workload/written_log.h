// The writes of a job whose places do not follow from its seed: with zonemode=zbd they depend on the write pointers,
// which other jobs move as well. 16 bytes per write; only touched pages use memory. The room is for all writes of the
// job; later ones are counted, and not read back.
// Thread rule: one owner. No allocation after make_if_needed().
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "base/system/shared_memory.h"
#include "io/request.h"
#include "io/target.h"
#include "job/job.h"
#include "workload/source.h"

namespace fathom::workload {

class WrittenLog {
 public:
  // nullptr: the job's writes follow from its seed.
  static std::unique_ptr<WrittenLog> make_if_needed(const job::Job& job, std::span<const io::Target> targets);
  explicit WrittenLog(std::size_t room) : entries_(room) {}

  void add(const io::Request& write);
  std::uint64_t size() const { return size_; }
  io::Request at(std::uint64_t number) const;

 private:
  struct Entry {
    std::uint64_t offset;
    std::uint32_t length;
    std::uint16_t target;
  };
  static_assert(sizeof(Entry) == 16);
  base::system::SharedArray<Entry> entries_;
  std::uint64_t size_ = 0;
};

// Repeats the writes that are in the log when they are asked for. The log outlives it.
class WrittenAgain final : public Source {
 public:
  explicit WrittenAgain(const WrittenLog& log) : log_(log) {}
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return false; }

 private:
  const WrittenLog& log_;
  std::uint64_t next_ = 0;
};

}  // namespace fathom::workload
