// I/O commands: data that comes back, both block sizes, PRP lists, every refusal, the rings over many laps, completion
// entries of 16, 32 and 64 bytes, the media.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "nvme/soft/commands/generic_status.h"
#include "nvme/soft/driver.h"

namespace fathom::nvme::soft::commands {
namespace {

constexpr std::uint16_t kRange = 0x080;

void fill(Driver& d, std::size_t bytes, unsigned seed) {
  for (std::size_t i = 0; i < bytes; ++i) d.data.memory[i] = static_cast<std::byte>(i * 7 + i / 4096 + seed);
}
bool holds(const Driver& d, std::size_t bytes, unsigned seed) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (d.data.memory[i] != static_cast<std::byte>(i * 7 + i / 4096 + seed)) return false;
  return true;
}
bool zeroes(const Driver& d, std::size_t bytes) {
  return std::all_of(d.data.memory, d.data.memory + bytes, [](std::byte b) { return b == std::byte{0}; });
}

struct TemporaryFile {
  std::string path;
  TemporaryFile() {
    char name[] = "/tmp/fathom-soft-XXXXXX";
    const int fd = ::mkstemp(name);
    EXPECT_GE(fd, 0);
    ::close(fd);
    path = name;
  }
  ~TemporaryFile() { ::unlink(path.c_str()); }
};

void write_read_verify(const std::string& text) {
  Driver d(text + ",size=16m,mdts=0");
  auto q = d.make_queue();
  const std::uint32_t block = d.device->controller().options().block_bytes;
  for (const std::uint32_t bytes : {block, 4096u, 8192u, 12288u, 131072u}) {
    const std::uint64_t lba = bytes / 4096 * 5;
    fill(d, bytes, bytes);
    ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::write, lba, bytes / block)).status, 0) << text << bytes;
    ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::compare, lba, bytes / block)).status, 0);
    std::memset(d.data.memory, 0, bytes);
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::compare, lba, bytes / block)).status, 0x285);
    ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, lba, bytes / block)).status, 0);
    EXPECT_TRUE(holds(d, bytes, bytes)) << text << " " << bytes;
    ASSERT_EQ(d.run(*q, d.command_of(0x08, 1, 0, static_cast<std::uint32_t>(lba), 0, bytes / block - 1)).status, 0);
    ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, lba, bytes / block)).status, 0);
    EXPECT_TRUE(zeroes(d, bytes));
  }
}

TEST(SoftIo, RamDataIsReadBack) {
  write_read_verify("bs=512");
  write_read_verify("bs=4096");
}

TEST(SoftIo, FileDataIsReadBack) {
  const TemporaryFile file;
  write_read_verify("bs=512,media=file:" + file.path);
  write_read_verify("bs=4096,media=file:" + file.path);
}

// 200 pages need no chain with a list that starts a page; they do when it starts near the page's end.
TEST(SoftIo, ChainedPrpListsAreFollowed) {
  Driver d("size=4m,mdts=0");
  auto q = d.make_queue();
  constexpr std::uint64_t kPages = 200;
  fill(d, kPages * 4096, 3);
  Command command = d.transfer(NvmOpcode::write, 9, kPages);
  const std::size_t table = d.data.bytes - 16 * 4096;
  std::size_t at = table + 4096 - 16;
  command.prp2 = d.data.iova + at;
  for (std::uint64_t i = 1; i < kPages; ++i) {
    if (at == table + 4096 - 8) {
      d.put64(at, d.data.iova + table + 8192);
      at = table + 8192;
    }
    d.put64(at, d.data.iova + i * 4096);
    at += 8;
  }
  ASSERT_EQ(d.run(*q, command).status, 0);
  std::memset(d.data.memory, 0, kPages * 4096);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 9, kPages)).status, 0);
  EXPECT_TRUE(holds(d, kPages * 4096, 3));
}

TEST(SoftIo, NamespacesDoNotShareBlocks) {
  Driver d("size=1m,ns=2");
  auto q = d.make_queue();
  for (const std::uint32_t block : {0u, 255u}) {
    fill(d, 4096, 2);
    ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::write, block, 1, 1)).status, 0);
  }
  fill(d, 4096, 1);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::write, 0, 1, 2)).status, 0);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1, 1)).status, 0);
  EXPECT_TRUE(holds(d, 4096, 2));
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 255, 1, 1)).status, 0);
  EXPECT_TRUE(holds(d, 4096, 2));
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1, 2)).status, 0);
  EXPECT_TRUE(holds(d, 4096, 1));
}

// Neither zeroes nor one page again and again: each page has about as many different bytes as a random one.
TEST(SoftIo, PagesThatWereNeverWrittenDoNotCompress) {
  for (const char* text : {"size=1m", "size=1m,bs=512"}) {
    Driver d(text);
    auto q = d.make_queue();
    const std::uint32_t blocks = 4096 / d.device->controller().options().block_bytes;
    std::set<std::string> pages;
    for (std::uint64_t page = 0; page < 256; ++page) {
      ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, page * blocks, blocks)).status, 0);
      pages.emplace(reinterpret_cast<const char*>(d.data.memory), 4096);
      EXPECT_GT(std::set<std::byte>(d.data.memory, d.data.memory + 4096).size(), 200u) << page;
    }
    EXPECT_EQ(pages.size(), 256u) << text;
  }
}

// A block of 512 bytes that is written, or set to zeroes, leaves the rest of its page as it reads without that.
TEST(SoftIo, APartOfAPageLeavesTheRestOfIt) {
  Driver d("size=1m,bs=512");
  auto q = d.make_queue();
  const auto page = [&] {
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 8, 8)).status, 0);
    return std::string(reinterpret_cast<const char*>(d.data.memory), 4096);
  };
  const std::string before = page();
  EXPECT_EQ(page(), before);
  fill(d, 512, 1);
  const std::string written(reinterpret_cast<const char*>(d.data.memory), 512);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::write, 9, 1)).status, 0);
  EXPECT_EQ(page(), before.substr(0, 512) + written + before.substr(1024));
  ASSERT_EQ(d.run(*q, d.command_of(0x08, 1, 0, 6, 0, 4 - 1)).status, 0);  // blocks 6 to 9
  EXPECT_EQ(page(), std::string(1024, '\0') + before.substr(1024));
}

TEST(SoftIo, InvalidCommandsAreRefused) {
  for (const char* text : {"size=1m,mdts=2", "size=1m,mdts=2,ideal"}) {
    Driver d(text);
    auto q = d.make_queue();
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 4)).status, 0) << text;
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 5)).status, kField);
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 255, 1)).status, 0);
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 255, 2)).status, kRange);
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::write, 256, 1)).status, kRange);
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::write, ~0ull, 2)).status, kRange);
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1, 0)).status, kNamespaceError);
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1, 2)).status, kNamespaceError);
    EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1, 0xffffffff)).status, kNamespaceError);
    EXPECT_EQ(d.run(*q, d.command_of(0x00, 0xffffffff, 0, 0, 0)).status, 0);
    EXPECT_EQ(d.run(*q, d.command_of(0x00, 3, 0, 0, 0)).status, kNamespaceError);
    EXPECT_EQ(d.run(*q, d.command_of(0x08, 1, 0, 255, 0, 1)).status, kRange);
    EXPECT_EQ(d.run(*q, d.command_of(0x99, 1, 0, 0, 0)).status, 0x001);
    Command odd = d.transfer(NvmOpcode::read, 0, 1);
    odd.flags = 1;
    EXPECT_EQ(d.run(*q, odd).status, kField);
    odd.flags = 0x40;
    EXPECT_EQ(d.run(*q, odd).status, kField);
  }
}

TEST(SoftIo, InvalidPrpAddressesAreRefused) {
  Driver d("size=4m,mdts=0");
  auto q = d.make_queue();
  const auto with = [&](std::uint64_t prp1, std::uint64_t prp2, std::uint32_t blocks) {
    Command command = d.transfer(NvmOpcode::read, 0, blocks);
    command.prp1 = prp1;
    command.prp2 = prp2;
    return d.run(*q, command).status;
  };
  const std::uint64_t good = d.data.iova;
  EXPECT_EQ(with(0, 0, 1), kTransfer);
  EXPECT_EQ(with(reinterpret_cast<std::uint64_t>(d.data.memory), 0, 1), kTransfer);  // the program's address
  EXPECT_EQ(with(good + 2, 0, 1), kOffset);
  EXPECT_EQ(with(good, good + 8, 2), kOffset);
  EXPECT_EQ(with(good, good + 4, 3), kOffset);
  EXPECT_EQ(with(good, 1ull << 60, 3), kTransfer);
  EXPECT_EQ(with(good, good, 3), kTransfer);  // a list of zeroes
}

TEST(SoftIo, DeallocatedBlocksReadAsZeroes) {
  Driver d("size=1m,bs=512");
  auto q = d.make_queue();
  fill(d, 65536, 5);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::write, 0, 128)).status, 0);
  const DsmRange ranges[2] = {{0, 3, 1}, {0, 40, 16}};
  const auto trim = [&](std::uint32_t attributes) {
    std::memcpy(d.data.memory, ranges, sizeof ranges);
    return d.run(*q, d.command_of(0x09, 1, d.data.iova, 1, attributes)).status;
  };
  EXPECT_EQ(trim(0), 0);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 128)).status, 0);
  EXPECT_TRUE(holds(d, 65536, 5));
  EXPECT_EQ(trim(kDsmDeallocate), 0);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 128)).status, 0);
  std::vector<bool> zero;
  for (std::size_t block = 0; block < 128; ++block)
    zero.push_back(std::all_of(d.data.memory + block * 512, d.data.memory + block * 512 + 512,
                               [](std::byte b) { return b == std::byte{0}; }));
  for (std::size_t block = 0; block < 128; ++block)
    EXPECT_EQ(zero[block], (block >= 1 && block < 4) || (block >= 16 && block < 56)) << block;
  const DsmRange far[1] = {{0, 2, 2047}};
  std::memcpy(d.data.memory, far, sizeof far);
  EXPECT_EQ(d.run(*q, d.command_of(0x09, 1, d.data.iova, 0, kDsmDeallocate)).status, kRange);
  EXPECT_EQ(d.run(*q, d.command_of(0x09, 1, 0x10, 0, kDsmDeallocate)).status, kTransfer);
}

TEST(SoftIo, AFileKeepsItsBlocks) {
  const TemporaryFile file;
  const std::string text = "size=1m,media=file:" + file.path;
  {
    Driver d(text);
    auto q = d.make_queue();
    fill(d, 8192, 9);
    ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::write, 3, 2)).status, 0);
    ASSERT_EQ(d.run(*q, d.command_of(0x00, 1, 0, 0, 0)).status, 0);
  }
  Driver d(text);
  auto q = d.make_queue();
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 3, 2)).status, 0);
  EXPECT_TRUE(holds(d, 8192, 9));
  std::ifstream in(file.path, std::ios::binary | std::ios::ate);
  EXPECT_EQ(in.tellg(), 5 * 4096) << "as far as it was written";
}

TEST(SoftIo, ReadsDoNotChangeTheFile) {
  const TemporaryFile file;
  const std::string text = "size=1m,media=file:" + file.path;
  std::ofstream(file.path) << "somebody's";
  Driver d(text);
  EXPECT_FALSE(d.device->identity().harmless);
  auto q = d.make_queue();
  fill(d, 8192, 9);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 2)).status, 0);
  EXPECT_EQ(std::memcmp(d.data.memory, "somebody's\0", 12), 0);
  EXPECT_TRUE(std::all_of(d.data.memory + 10, d.data.memory + 8192, [](std::byte b) { return b == std::byte{0}; }));
  std::ifstream in(file.path, std::ios::binary | std::ios::ate);
  EXPECT_EQ(in.tellg(), 10);
}

TEST(SoftIo, AFileBelongsToOneController) {
  const TemporaryFile file;
  const Options options = options_of("step,size=1m,media=file:" + file.path);
  auto first = SoftTransport::make(options);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE((*first)->identity().harmless) << "an empty file holds nobody's data";
  const auto second = SoftTransport::make(options);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, base::ErrorKind::usage);
  EXPECT_NE(second.error().what.find("is in use by another controller"), std::string::npos);
  first->reset();
  EXPECT_TRUE(SoftTransport::make(options).ok());
}

TEST(SoftIo, RamSurvivesAReset) {
  Driver d("size=1m");
  auto q = d.make_queue();
  fill(d, 4096, 2);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::write, 7, 1)).status, 0);
  d.device->write32(kCc, 0);
  d.enable();
  q = d.make_queue();
  std::memset(d.data.memory, 0, 4096);
  ASSERT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 7, 1)).status, 0);
  EXPECT_TRUE(holds(d, 4096, 2));
}

// Rings of odd sizes over many laps, in bursts of changing length; every command is answered once and in order.
void laps(const std::string& text, unsigned iocqes, std::uint32_t entries) {
  Driver d(text, iocqes);
  auto q = d.make_queue(1, entries);
  std::uint16_t posted = 0, seen = 0;
  for (std::uint32_t round = 0; round < 400; ++round) {
    const std::uint32_t burst = round * 13 % (entries - 1) + 1;
    for (std::uint32_t i = 0; i < burst; ++i) {
      Command command = d.transfer(NvmOpcode::read, round % 200, 1);
      command.cid = posted++;
      q->post(command);
    }
    q->ring();
    for (std::uint32_t i = 0; i < burst; ++i) {
      const auto reply = q->wait();
      ASSERT_TRUE(reply) << text << " round " << round;
      ASSERT_EQ(reply->cid, seen++);
      ASSERT_EQ(reply->status, 0);
    }
    ASSERT_FALSE(q->take());
  }
}

TEST(SoftRings, EntriesAreRightOverManyLaps) {
  for (const char* text : {"size=1m,ideal,cqes=6", "size=1m,cqes=6"})
    for (const unsigned iocqes : {4u, 5u, 6u})
      for (const std::uint32_t entries : {2u, 3u, 7u, 16u, 61u, 200u}) laps(text, iocqes, entries);
}

// The device stops when the completion ring is full and goes on when the driver has made room. The ring is smaller than
// the submission ring, so that the two wrap apart.
void fill_completion_ring(const char* text, std::uint32_t slots) {
  Driver d(text);
  Queue q(*d.device, 1, 32);
  ASSERT_EQ(d.create_cq(1, slots, q.cq().iova).status, 0);
  ASSERT_EQ(d.create_sq(1, 32, q.sq().iova, 1).status, 0);
  for (std::uint16_t cid = 0; cid < 30; ++cid) {
    Command command = d.transfer(NvmOpcode::read, 0, 1);
    command.cid = cid;
    q.post(command);
  }
  q.ring();
  for (int i = 0; i < 10; ++i) d.device->idle();
  std::uint32_t head = 0, phase = 1;
  for (std::uint16_t seen = 0; seen < 30;) {
    std::uint32_t batch = 0;
    for (;; ++batch, ++seen) {
      Completion entry;
      std::memcpy(&entry, q.cq().memory + head * 16, 16);
      if ((entry.status & 1) != phase) break;
      ASSERT_EQ(entry.cid, seen);
      head = (head + 1) % slots;
      phase ^= head == 0;
    }
    ASSERT_GT(batch, 0u) << text;
    ASSERT_LT(batch, slots) << text;
    q.doorbell(1, head);
    d.device->idle();
  }
  for (std::size_t i = slots * 16; i < 32 * 16; ++i) ASSERT_EQ(q.cq().memory[i], std::byte{0});  // nothing behind it
}

TEST(SoftRings, AFullCompletionRingIsNotOverrun) {
  for (const char* text : {"size=1m,ideal", "size=1m"})
    for (const std::uint32_t slots : {8u, 9u, 10u, 11u}) fill_completion_ring(text, slots);
}

// Behind the submission ring lie commands that nobody submitted.
TEST(SoftRings, NothingBehindTheSubmissionRingIsFetched) {
  Driver d("size=1m,ideal");
  Queue q(*d.device, 1, 64);
  constexpr std::uint32_t kSlots = 5;
  ASSERT_EQ(d.create_cq(1, 64, q.cq().iova).status, 0);
  ASSERT_EQ(d.create_sq(1, kSlots, q.sq().iova, 1).status, 0);
  std::uint32_t tail = 0;
  for (std::uint16_t cid = 0; cid < 60; cid = static_cast<std::uint16_t>(cid + 4)) {
    for (std::uint32_t slot = 0; slot < 16; ++slot) {
      Command command = d.transfer(NvmOpcode::read, 0, 1);
      const std::uint32_t ahead = (slot + kSlots - tail) % kSlots;
      command.cid = static_cast<std::uint16_t>(slot >= kSlots ? 0x7777 : cid + ahead);
      std::memcpy(q.sq().memory + slot * 64, &command, 64);
    }
    tail = (tail + 4) % kSlots;
    q.doorbell(0, tail);
    for (std::uint16_t i = 0; i < 4; ++i) ASSERT_EQ(q.wait().value_or(Reply{}).cid, cid + i);
  }
}

TEST(SoftRings, TheReservedPartOfALongEntryIsLeftAlone) {
  Driver d("cqes=6,ideal", 6);
  auto q = d.make_queue(1, 8);
  d.run(*q, d.transfer(NvmOpcode::read, 0, 1));
  for (std::size_t i = 16; i < 64; ++i) EXPECT_EQ(q->cq().memory[i], std::byte{0});
}

TEST(SoftRings, UnmappedMemoryFailsUntilMappedAgain) {
  Driver d("size=1m");
  Queue q(*d.device, 1, 16);
  alignas(4096) static std::byte own[8192];
  const HostMemory memory{own, sizeof own, -1, 0};
  auto iova = d.device->map(memory);
  ASSERT_TRUE(iova.ok());
  ASSERT_EQ(d.create_cq(1, 16, *iova).status, 0);
  ASSERT_EQ(d.create_sq(1, 16, q.sq().iova, 1).status, 0);
  d.device->unmap(memory);
  q.post(d.command_of(0x00, 1, 0, 0, 0));
  q.ring();
  d.device->idle();
  EXPECT_EQ(own[14], std::byte{0});
  ASSERT_EQ(*d.device->map(memory), *iova);
  d.device->idle();
  EXPECT_EQ(own[14], std::byte{1});  // phase tag, success
}

}  // namespace
}  // namespace fathom::nvme::soft::commands
