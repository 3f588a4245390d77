// The programs as instructions, the ring as bytes, a kernel that refuses; and the real kernel, where it lets us: every
// direct read of one at a time on a quiet device has all its events.
#include "pmu/trace/bpf/block_programs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "base/attempts.h"
#include "base/system/fd.h"
#include "pmu/events/tracefs.h"
#include "pmu/trace/bpf/bpf_assembler.h"
#include "pmu/trace/bpf/bpf_program.h"
#include "pmu/trace/bpf/bpf_ring.h"
#include "pmu/trace/split/target_map.h"
#include "pmu/trace_records.h"

namespace fathom::pmu {
namespace {

using namespace trace::bpf;

TEST(BpfAssembler, JumpsReachTheirLabels) {
  trace::bpf::Assembler a;
  const auto out = a.label(), far = a.label();
  a.jump_if_equal(trace::bpf::Reg::r7, 0xFE000000, far);
  a.set_map(trace::bpf::Reg::r1, 9);
  a.jump(out);
  a.here(far);
  a.put(trace::bpf::set(trace::bpf::Reg::r0, 5));
  a.here(out);
  a.put(trace::bpf::leave());
  const auto code = a.finish();
  ASSERT_EQ(code.size(), 6u);
  EXPECT_EQ(code[0].code, BPF_JMP32 | BPF_JEQ | BPF_K);
  EXPECT_EQ(code[0].dst_reg, 7);
  EXPECT_EQ(static_cast<std::uint32_t>(code[0].imm), 0xFE000000);
  EXPECT_EQ(code[0].off, 3) << "over two instructions of 64 bits and a jump";
  EXPECT_EQ(code[1].src_reg, BPF_PSEUDO_MAP_FD);
  EXPECT_EQ(code[1].imm, 9);
  EXPECT_EQ(code[2].code, 0);
  EXPECT_EQ(code[3].off, 1);
}

TEST(BpfAssembler, SixtyFourBitsAreTwoInstructions) {
  trace::bpf::Assembler a;
  a.set_wide(trace::bpf::Reg::r2, 0x1122334455667788);
  const auto code = a.finish();
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].code, BPF_LD | BPF_DW | BPF_IMM);
  EXPECT_EQ(code[0].imm, 0x55667788);
  EXPECT_EQ(code[1].imm, 0x11223344);
}

trace::EventFormat format_of(const std::string& text) { return *trace::parse_event_format(text); }

// Loads from the event itself, which is in r6, as offset and width.
std::map<int, int> loads(const std::vector<bpf_insn>& code) {
  std::map<int, int> out;
  for (const auto& i : code)
    if (i.src_reg == 6 && (i.code & 7) == BPF_LDX) out[i.off] = i.code & 0x18;
  return out;
}

TEST(BlockProgram, LoadsFieldsAtTheOffsetsOfTheFormat) {
  for (const bool old : {false, true}) {
    const auto code =
        trace::bpf::assemble({trace::BlockPoint::rq_issue, {1}, 3, 4, {}}, format_of(testing::rq_issue_format(old)));
    ASSERT_TRUE(code);
    const int letters = old ? 32 : 34;
    const std::map<int, int> expected{{8, BPF_W}, {16, BPF_DW}, {24, BPF_W}, {letters, BPF_B}, {letters + 1, BPF_B}};
    EXPECT_EQ(loads(*code), expected);
  }
}

TEST(BlockProgram, AnUnalignedFieldIsNamedInTheError) {
  auto format = format_of(testing::bio_queue_format());
  auto& sector = *std::find_if(format.fields.begin(), format.fields.end(), [](auto& f) { return f.name == "sector"; });
  sector.offset = 12;
  const auto code = trace::bpf::assemble({trace::BlockPoint::bio_queue, {}, 3, 4, {}}, format);
  ASSERT_FALSE(code);
  EXPECT_NE(code.error().what.find("`sector`"), std::string::npos);
}

TEST(BlockProgram, ParseRecordGivesABlockEvent) {
  trace::bpf::BpfRecord record{5, 1000, 8, 254u << 20, 42, {'F', 'W'}, 1, 0};
  const auto bytes = std::as_bytes(std::span(&record, 1));
  const auto event = trace::bpf::parse_record(bytes);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->time_ns, 5u);
  EXPECT_EQ(event->sector, 1000u);
  EXPECT_EQ(event->sectors, 8u);
  EXPECT_EQ(event->dev, 254u << 20);
  EXPECT_EQ(event->process, 42);
  EXPECT_EQ(event->point, trace::BlockPoint::rq_issue);
  EXPECT_EQ(event->dir, 1);
  EXPECT_FALSE(trace::bpf::parse_record(bytes.first(31)));
  std::memcpy(record.rwbs, "R\0", 2);
  EXPECT_EQ(trace::bpf::parse_record(bytes)->dir, 0);
  std::memcpy(record.rwbs, "F\0", 2);
  EXPECT_EQ(trace::bpf::parse_record(bytes)->dir, trace::kNoDir);
  record.point = trace::kBlockPoints;
  EXPECT_FALSE(trace::bpf::parse_record(bytes));
}

// The kernel maps a ring's data twice in a row; so does this.
class TwiceMapped {
 public:
  void add(std::uint64_t at, std::uint32_t word, std::string_view text) {
    put(at, &word, sizeof word);
    put(at + BPF_RINGBUF_HDR_SZ, text.data(), text.size());
  }
  std::span<const std::byte> bytes() const { return {reinterpret_cast<const std::byte*>(words_.data()), 2 * kHalf}; }
  static constexpr std::size_t kHalf = 64;

 private:
  void put(std::uint64_t at, const void* from, std::size_t n) {
    auto* const all = reinterpret_cast<std::byte*>(words_.data());
    for (std::size_t i = 0; i < n; ++i)
      for (const std::size_t half : {std::size_t{0}, kHalf})
        all[half + ((at + i) & (kHalf - 1))] = static_cast<const std::byte*>(from)[i];
  }
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(2 * kHalf / 8);
};

std::vector<std::string> drained(const TwiceMapped& ring, std::uint64_t from, std::uint64_t to, std::uint64_t& end) {
  std::vector<std::string> out;
  end = trace::bpf::drain(ring.bytes(), from, to, [&](std::span<const std::byte> r) {
    out.emplace_back(reinterpret_cast<const char*>(r.data()), r.size());
  });
  return out;
}

TEST(BpfRing, RecordsAreReadWholeAtEveryWrapPosition) {
  for (std::uint64_t start = 0; start < 256; start += 8) {
    TwiceMapped ring;
    ring.add(start, 13, "thirteenbytes");
    ring.add(start + 24, 3 | BPF_RINGBUF_DISCARD_BIT, "bad");
    ring.add(start + 40, 2, "ok");
    std::uint64_t end = 0;
    EXPECT_EQ(drained(ring, start, start + 56, end), (std::vector<std::string>{"thirteenbytes", "ok"})) << start;
    EXPECT_EQ(end, start + 56);
  }
}

TEST(BpfRing, StopsAtABusyRecord) {
  TwiceMapped ring;
  ring.add(0, 8, "complete");
  ring.add(16, 8 | BPF_RINGBUF_BUSY_BIT, "halfdone");
  ring.add(32, 8, "complete");
  std::uint64_t end = 0;
  EXPECT_EQ(drained(ring, 0, 48, end).size(), 1u);
  EXPECT_EQ(end, 16u);
}

TEST(BpfRing, SkipsToTheEndAfterAnInvalidLength) {
  TwiceMapped ring;
  ring.add(0, 1000, "");
  std::uint64_t end = 0;
  EXPECT_TRUE(drained(ring, 0, 48, end).empty());
  EXPECT_EQ(end, 48u);
  EXPECT_TRUE(drained(ring, 0, 1000, end).empty()) << "more than the ring holds";
  EXPECT_EQ(end, 1000u);
}

int refuse(bpf_cmd, bpf_attr*) { return -EPERM; }

TEST(BlockPrograms, RefusalNamesTheMissingCapability) {
  const trace::PointFormats formats{{trace::BlockPoint::bio_queue, format_of(testing::bio_queue_format())}};
  const auto source = trace::bpf::open_block_programs(formats, {}, refuse);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().kind, base::ErrorKind::privilege);
  EXPECT_NE(source.error().cause.find("CAP_BPF"), std::string::npos);
}

// The real kernel: a file on a disk that makes requests, read directly, one read at a time.
class BlockProgramsInKernel : public ::testing::Test {
 protected:
  static constexpr int kReads = 2000, kBlock = 4096;
  void SetUp() override {
    const auto folder = events::tracefs_root();
    if (!folder) GTEST_SKIP() << folder.error().what;
    for (const auto point :
         {trace::BlockPoint::bio_queue, trace::BlockPoint::rq_issue, trace::BlockPoint::rq_complete}) {
      auto format = trace::load_event_format(*folder, "block", trace::name(point));
      if (!format) GTEST_SKIP() << format.error().what;
      formats_.emplace_back(point, std::move(*format));
    }
    make_file();
    const auto map = trace::split::TargetMap::of(host::placement::place(path_));
    if (!map || map->bios()) GTEST_SKIP() << "no disk with requests under /var/tmp";
    devices_ = {map->disk_dev(), map->part_dev()};
    auto source = trace::bpf::open_block_programs(formats_, devices_);
    if (!source) GTEST_SKIP() << source.error().what << ": " << source.error().cause;
    source_ = std::move(*source);
  }
  void TearDown() override { ::unlink(path_.c_str()); }

  void make_file() {
    char path[] = "/var/tmp/fathom-programs-XXXXXX";
    const base::system::UniqueFd fd(::mkstemp(path));
    path_ = path;
    const std::vector<char> block(1 << 20, 'x');
    for (int i = 0; i < 8; ++i) ASSERT_EQ(::write(fd.get(), block.data(), block.size()), 1 << 20);
    ASSERT_EQ(::fsync(fd.get()), 0);
    file_.reset(::open(path_.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  }
  bool read_all(int first_cpu, int cpus) {
    const std::unique_ptr<void, void (*)(void*)> memory(::aligned_alloc(kBlock, kBlock), ::free);
    for (int i = 0; i < kReads; ++i) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(static_cast<unsigned>(first_cpu + i % cpus), &set);
      ::sched_setaffinity(0, sizeof set, &set);
      if (::pread(file_.get(), memory.get(), kBlock, off_t{i % 2048} * kBlock) != kBlock) return false;
    }
    return true;
  }
  // Events of reads by point; of bio_queue only those of this process.
  std::map<trace::BlockPoint, int> counted() {
    std::map<trace::BlockPoint, int> out;
    source_->read([&](const trace::BlockEvent& e) {
      if (e.dir == 0 && e.sectors == kBlock / 512 &&
          (e.point != trace::BlockPoint::bio_queue || e.process == ::getpid()))
        ++out[e.point];
    });
    return out;
  }

  trace::PointFormats formats_;
  std::vector<std::uint32_t> devices_;
  std::unique_ptr<trace::EventSource> source_;
  std::string path_;
  base::system::UniqueFd file_;
};

TEST_F(BlockProgramsInKernel, GiveEveryReadAllItsEventsOnEveryCpu) {
  steady::attempts([&] {
    cpu_set_t before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    const std::uint64_t lost_before = source_->lost();
    source_->enable();
    const bool well = read_all(0, std::min(2, CPU_COUNT(&before)));
    source_->disable();
    ::sched_setaffinity(0, sizeof before, &before);
    if (!well) GTEST_SKIP() << "direct reads are refused under /var/tmp";
    const auto seen = counted();
    // An interrupt that comes while a program runs on its CPU finds it busy: the kernel leaves that event out and
    // counts it; the more of them, the more others use the disk meanwhile.
    const int lost = static_cast<int>(source_->lost() - lost_before);
    EXPECT_LE(lost, kReads / 20);
    for (const auto point : {trace::BlockPoint::bio_queue, trace::BlockPoint::rq_issue, trace::BlockPoint::rq_complete})
      EXPECT_GE(seen.at(point), kReads * 95 / 100) << trace::name(point);
    EXPECT_GE(seen.at(trace::BlockPoint::bio_queue), kReads - lost);
  });
}

TEST_F(BlockProgramsInKernel, RecordNothingWhileDisabled) {
  if (!read_all(0, 1)) GTEST_SKIP() << "direct reads are refused under /var/tmp";
  EXPECT_TRUE(counted().empty());
}

// 4 MiB are 104,857 records; what finds no room is counted.
TEST_F(BlockProgramsInKernel, CountRecordsThatFindNoRoomInTheRing) {
  source_->enable();
  for (int i = 0; i < 20; ++i)
    if (!read_all(0, 1)) GTEST_SKIP() << "direct reads are refused under /var/tmp";
  source_->disable();
  int held = 0;
  for (const auto& [point, count] : counted()) held += count;
  EXPECT_GT(source_->lost(), 10'000u);
  EXPECT_LT(held, 110'000);
}

}  // namespace
}  // namespace fathom::pmu
