// Format texts as kernels write them, and records made after them, for tests of what reads both.
#pragma once
#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmu/trace/block_event.h"

namespace fathom::pmu::testing {

inline constexpr const char* kCommon =
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

// block_bio_queue of Linux 6.18, its block_rq_issue, and the block_rq_issue of 5.10, which had no ioprio.
inline std::string bio_queue_format() {
  return std::string("name: block_bio_queue\nID: 2097\nformat:\n") + kCommon +
         "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
         "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
         "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
         "\tfield:char rwbs[10];\toffset:28;\tsize:10;\tsigned:0;\n"
         "\tfield:char comm[16];\toffset:38;\tsize:16;\tsigned:0;\n"
         "\nprint fmt: \"%d,%d\", ((unsigned int) ((REC->dev) >> 20)), field:nonsense\n";
}
inline std::string rq_issue_format(bool old) {
  const std::string rest = old ? "\tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:1;\n"
                                 "\tfield:char comm[16];\toffset:40;\tsize:16;\tsigned:1;\n"
                                 "\tfield:__data_loc char[] cmd;\toffset:56;\tsize:4;\tsigned:1;\n"
                               : "\tfield:unsigned short ioprio;\toffset:32;\tsize:2;\tsigned:0;\n"
                                 "\tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n"
                                 "\tfield:char comm[16];\toffset:44;\tsize:16;\tsigned:0;\n"
                                 "\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;\n";
  return std::string("name: block_rq_issue\nID: ") + (old ? "900" : "2104") + "\nformat:\n" + kCommon +
         "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
         "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
         "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
         "\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n" +
         rest + "\nprint fmt: \"%d\", REC->dev\n";
}

// A record of a format, a field at a time.
class Record {
 public:
  explicit Record(const trace::EventFormat& format) : format_(format), bytes_(72) { set("common_type", format.id); }
  Record& set(std::string_view field, std::uint64_t value) {
    const auto* f = format_.find(field);
    std::memcpy(bytes_.data() + f->offset, &value, f->size);
    return *this;
  }
  Record& text(std::string_view field, std::string_view value) {
    std::memcpy(bytes_.data() + format_.find(field)->offset, value.data(), value.size());
    return *this;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  const trace::EventFormat& format_;
  std::vector<std::byte> bytes_;
};

// What the kernel's ring holds, written by hand.
class MadeRing {
 public:
  explicit MadeRing(std::size_t size, std::uint64_t start = 0) : bytes_(size), tail_(start), head_(start) {}
  void add(std::uint32_t type, std::span<const std::byte> payload) {
    const perf_event_header header{type, 0, static_cast<std::uint16_t>(sizeof(perf_event_header) + payload.size())};
    put(std::as_bytes(std::span(&header, 1)));
    put(payload);
  }
  void add_sample(std::int32_t process, std::uint64_t time_ns, std::span<const std::byte> raw) {
    std::vector<std::byte> payload(20 + raw.size());
    const std::int32_t thread = process + 1;
    const auto size = static_cast<std::uint32_t>(raw.size());
    std::memcpy(payload.data(), &process, 4);
    std::memcpy(payload.data() + 4, &thread, 4);
    std::memcpy(payload.data() + 8, &time_ns, 8);
    std::memcpy(payload.data() + 16, &size, 4);
    if (!raw.empty()) std::memcpy(payload.data() + 20, raw.data(), raw.size());
    payload.resize((payload.size() + 7) / 8 * 8);
    add(PERF_RECORD_SAMPLE, payload);
  }
  void put(std::span<const std::byte> bytes) {
    for (const auto b : bytes) bytes_[head_++ & (bytes_.size() - 1)] = b;
  }
  std::uint64_t head() const { return head_; }
  std::uint64_t tail() const { return tail_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t tail_, head_;
};

}  // namespace fathom::pmu::testing
