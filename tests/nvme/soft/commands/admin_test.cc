// Bring-up by the registers and every admin command, with the status of each mistake.
#include <algorithm>

#include "nvme/soft/commands/generic_status.h"
#include "nvme/soft/commands/log_pages.h"
#include "nvme/soft/driver.h"

namespace fathom::nvme::soft::commands {
namespace {

constexpr std::uint16_t kSequence = 0x00c, kNoCq = 0x100, kQueueId = 0x101, kQueueSize = 0x102, kEventLimit = 0x105,
                        kVector = 0x108, kLogPage = 0x109, kDeletion = 0x10c, kNotSaveable = 0x10d;

TEST(SoftRegisters, CapReflectsTheOptions) {
  Driver d("entries=256,dstrd=4,queues=8");
  const Cap cap{d.device->read64(kCap)};
  EXPECT_EQ(cap.queue_entries_max(), 256u);
  EXPECT_TRUE(cap.contiguous_queues());
  EXPECT_EQ(cap.timeout_ms(), 1000u);
  EXPECT_EQ(cap.doorbell_stride_bytes(), 64u);
  EXPECT_EQ(cap.command_sets() & 1, 1u);
  EXPECT_EQ(cap.page_bytes_min(), 4096u);
  EXPECT_EQ(d.device->read32(kVs), 0x00010400u);
  EXPECT_EQ(d.device->read32(kCap), cap.raw & 0xffffffff);
  EXPECT_EQ(d.device->read32(0x1000), kAllOnes);
  EXPECT_EQ(d.device->read32(0x02), kAllOnes);
  EXPECT_EQ(d.run_admin(AdminOpcode::identify, 1, 0, d.data.iova).status, 0);  // the doorbell lies a line further on
}

TEST(SoftRegisters, EnableDisableAndShutdownSetCsts) {
  Driver d;
  EXPECT_EQ(d.csts(), kCstsReady);
  d.device->write32(kCc, d.device->read32(kCc) | kCcShutdownNormal);
  EXPECT_EQ(d.csts(), kCstsReady | kCstsShutdownComplete);
  d.device->write32(kCc, 0);
  EXPECT_EQ(d.csts(), 0u);
  d.enable();
  EXPECT_EQ(d.csts(), kCstsReady);
  EXPECT_EQ(d.run_admin(AdminOpcode::keep_alive).status, 0);
}

TEST(SoftRegisters, ABadConfigurationIsFatalAndAResetClearsIt) {
  for (const std::uint32_t cc : {0x10u, 5u << 7, 1u << 11}) {
    Driver d;
    d.device->write32(kCc, 0);
    d.device->write32(kCc, kCcEnable | cc);
    EXPECT_EQ(d.csts(), kCstsFatal) << cc;
    d.device->write32(kCc, 0);
    EXPECT_EQ(d.csts(), 0u);
    d.enable();
    EXPECT_EQ(d.csts(), kCstsReady);
  }
}

TEST(SoftRegisters, AdminQueuesThatAreNotInMemoryAreFatal) {
  Driver d;
  d.device->write32(kCc, 0);
  d.device->write64(kAsq, 0x10);
  d.device->write32(kCc, kCcEnable);
  EXPECT_EQ(d.csts(), kCstsFatal);
  d.device->write32(kCc, 0);
  d.device->write64(kAsq, 0xdead000);
  d.device->write32(kCc, kCcEnable);
  EXPECT_EQ(d.csts(), kCstsFatal);
  d.device->write32(kCc, 0);
  d.device->write32(kAqa, 0);
  d.device->write32(kCc, kCcEnable);
  EXPECT_EQ(d.csts(), kCstsFatal);
}

TEST(SoftRegisters, AddressesMayBeWrittenInHalves) {
  Driver d;
  d.device->write32(kCc, 0);
  d.device->write32(kAsq, 0x1000);
  d.device->write32(kAsq + 4, 7);
  EXPECT_EQ(d.device->read64(kAsq), 0x700001000u);
  d.enable();
  const std::uint64_t before = d.device->read64(kAcq);
  d.device->write64(kAcq, 0);
  EXPECT_EQ(d.device->read64(kAcq), before);  // not while enabled
}

TEST(SoftRegisters, InterruptMaskBitsAreSetAndCleared) {
  Driver d;
  d.device->write32(kIntms, 5);
  d.device->write32(kIntmc, 4);
  EXPECT_EQ(d.device->read32(kIntms), 1u);
}

TEST(SoftIdentify, ControllerDataReflectsTheOptions) {
  Driver d("id=3,ns=2,mdts=4,cqes=6");
  ASSERT_EQ(d.run_admin(AdminOpcode::identify, 1, 0, d.data.iova).status, 0);
  const auto id = d.data_as<IdentifyController>();
  EXPECT_EQ(id.vid, kVendorId);
  EXPECT_EQ(std::string(id.sn, 20), "SOFT00000003        ");
  EXPECT_EQ(std::string(id.mn, 22), "fathom soft controller");
  EXPECT_EQ(id.mdts, 4);
  EXPECT_EQ(id.cntrltype, 1);
  EXPECT_EQ(id.sqes, 0x66);
  EXPECT_EQ(id.cqes, 0x64);
  EXPECT_EQ(id.nn, 2u);
  EXPECT_EQ(id.oncs, 0x0d);
  EXPECT_EQ(id.vwc & 1, 1);
  EXPECT_EQ(id.ver, d.device->read32(kVs));
  EXPECT_EQ(std::string(id.subnqn, 32), "nqn.2014-08.org.nvmexpress:uuid:");
}

TEST(SoftIdentify, NamespaceDataReflectsTheOptions) {
  for (const std::uint32_t block : {512u, 4096u}) {
    Driver d("size=8m,ns=3,bs=" + std::to_string(block));
    ASSERT_EQ(d.run_admin(AdminOpcode::identify, 0, 0, d.data.iova, 2).status, 0);
    const auto id = d.data_as<IdentifyNamespace>();
    EXPECT_EQ(id.nsze, (8u << 20) / block);
    EXPECT_EQ(1u << id.lbaf[id.flbas & 0xf].lbads, block);
    EXPECT_EQ(id.eui64[7], 2);
    ASSERT_EQ(d.run_admin(AdminOpcode::identify, 2, 0, d.data.iova, 1).status, 0);
    EXPECT_EQ((d.data_as<std::array<std::uint32_t, 3>>()), (std::array<std::uint32_t, 3>{2, 3, 0}));
    ASSERT_EQ(d.run_admin(AdminOpcode::identify, 3, 0, d.data.iova, 2).status, 0);
    EXPECT_EQ(d.data_as<std::uint16_t>(), 0x0801);
  }
}

TEST(SoftIdentify, InvalidRequestsAreRefused) {
  Driver d("ns=2");
  EXPECT_EQ(d.run_admin(AdminOpcode::identify, 0, 0, d.data.iova, 3).status, kNamespaceError);
  EXPECT_EQ(d.run_admin(AdminOpcode::identify, 0, 0, d.data.iova, 0).status, kNamespaceError);
  EXPECT_EQ(d.run_admin(AdminOpcode::identify, 2, 0, d.data.iova, 0xffffffff).status, kNamespaceError);
  EXPECT_EQ(d.run_admin(AdminOpcode::identify, 3, 0, d.data.iova, 9).status, kNamespaceError);
  EXPECT_EQ(d.run_admin(AdminOpcode::identify, 0x77, 0, d.data.iova).status, kField);
  EXPECT_EQ(d.run_admin(AdminOpcode::identify, 1, 0, 0x10).status, kTransfer);
  EXPECT_EQ(d.run_admin(AdminOpcode::identify, 1, 0, d.data.iova + 1).status, kOffset);
  const Reply reply = d.run_admin(static_cast<AdminOpcode>(0x7f));
  EXPECT_EQ(reply.status, 0x001);
  EXPECT_TRUE(reply.do_not_retry);
  Command sgl = d.command_of(0x06, 0, d.data.iova, 1, 0);
  sgl.flags = 0x40;
  EXPECT_EQ(d.run(*d.admin, sgl).status, kField);
}

TEST(SoftIdentify, DataMaySpanTwoPages) {
  Driver d;
  Command command = d.command_of(0x06, 0, d.data.iova + 0x800, 1, 0);
  command.prp2 = d.data.iova + 0x5000;
  ASSERT_EQ(d.run(*d.admin, command).status, 0);
  std::uint32_t nn = 0;
  std::memcpy(&nn, d.data.memory + 0x800 + 516, 4);
  EXPECT_EQ(nn, 1u);
  EXPECT_EQ(std::to_integer<char>(d.data.memory[0x5000]), '\0');  // byte 2048: first power state
}

TEST(SoftQueues, InvalidQueueCommandsAreRefused) {
  Driver d("queues=4,entries=64");
  const std::uint64_t at = d.data.iova;
  EXPECT_EQ(d.create_cq(0, 16, at).status, kQueueId);
  EXPECT_EQ(d.create_cq(5, 16, at).status, kQueueId);
  EXPECT_EQ(d.create_cq(1, 1, at).status, kQueueSize);
  EXPECT_EQ(d.create_cq(1, 65, at).status, kQueueSize);
  EXPECT_EQ(d.create_cq(1, 16, at, 0).status, kField);
  EXPECT_EQ(d.create_cq(1, 16, at + 64).status, kOffset);
  EXPECT_EQ(d.create_cq(1, 16, 0xdead000).status, kTransfer);
  EXPECT_EQ(d.create_cq(1, 16, at, 99 << 16 | 1).status, kVector);
  EXPECT_EQ(d.create_sq(1, 16, at, 1).status, kNoCq);
  EXPECT_EQ(d.create_cq(1, 16, at).status, 0);
  EXPECT_EQ(d.create_cq(1, 16, at).status, kQueueId);
  EXPECT_EQ(d.create_sq(1, 16, at, 0).status, kQueueId);
  EXPECT_EQ(d.create_sq(1, 16, at, 5).status, kQueueId);
  EXPECT_EQ(d.create_sq(1, 65, at, 1).status, kQueueSize);
  EXPECT_EQ(d.create_sq(1, 16, at, 1, 0).status, kField);
  EXPECT_EQ(d.create_sq(0, 16, at, 1).status, kQueueId);
  EXPECT_EQ(d.create_sq(1, 16, at, 1).status, 0);
  EXPECT_EQ(d.create_sq(1, 16, at, 1).status, kQueueId);
  EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_cq, 1).status, kDeletion);
  EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_sq, 0).status, kQueueId);
  EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_sq, 2).status, kQueueId);
  EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_sq, 1).status, 0);
  EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_cq, 1).status, 0);
  EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_cq, 1).status, kQueueId);
}

TEST(SoftQueues, EntrySizesMustBeSetFirst) {
  Driver d("cqes=5");
  d.device->write32(kCc, kCcEnable);
  EXPECT_EQ(d.create_cq(1, 16, d.data.iova).status, kQueueSize);
  d.device->write32(kCc, kCcEnable | cc_entry_sizes(5, 6));
  EXPECT_EQ(d.create_cq(1, 16, d.data.iova).status, kQueueSize);
  d.device->write32(kCc, kCcEnable | cc_entry_sizes(5, 5));
  EXPECT_EQ(d.create_cq(1, 16, d.data.iova).status, 0);
  EXPECT_EQ(d.create_sq(1, 16, d.data.iova, 1).status, kQueueSize);
}

TEST(SoftQueues, SeveralSubmissionQueuesOnOneCompletionQueue) {
  Driver d("size=1m");
  auto one = d.make_queue(1);
  Queue two(*d.device, 2, 8);
  ASSERT_EQ(d.create_sq(2, 8, two.sq().iova, 1).status, 0);
  Command flush = d.command_of(0x00, 1, 0, 0, 0);
  flush.cid = 77;
  two.post(flush);
  two.ring();
  const auto reply = one->wait();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->sq_id, 2);
  EXPECT_EQ(reply->sq_head, 1);
  EXPECT_EQ(reply->cid, 77);
  EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_sq, 1).status, 0);
  EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_cq, 1).status, kDeletion);
}

TEST(SoftFeatures, NumberOfQueuesIsGrantedWithinTheLimit) {
  Driver d("queues=4");
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 7, 0x00010001).result, 0x00010001u);
  EXPECT_EQ(d.run_admin(AdminOpcode::get_features, 7).result, 0x00010001u);
  EXPECT_EQ(d.create_cq(3, 16, d.data.iova).status, kQueueId);
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 7, 0x00ff00ff).result, 0x00030003u);
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 7, 0xffff0000).status, kField);
  EXPECT_EQ(d.create_cq(3, 16, d.data.iova).status, 0);
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 7, 0).status, kSequence);
}

TEST(SoftFeatures, ValuesAreKeptAndUnknownFeaturesRefused) {
  Driver d;
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 6, 1).status, 0);
  EXPECT_EQ(d.run_admin(AdminOpcode::get_features, 6).result, 1u);
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 0x7f, 1).status, kField);
  EXPECT_EQ(d.run_admin(AdminOpcode::get_features, 0x0c).status, kField);
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 1u << 31 | 6, 1).status, kNotSaveable);
}

Command log_page(Driver& d, std::uint8_t id, std::uint32_t bytes, std::uint64_t offset = 0, bool retain = false) {
  Command c = d.command_of(0x02, 0xffffffff, d.data.iova, (bytes / 4 - 1) << 16 | (retain ? 1u << 15 : 0) | id, 0,
                           static_cast<std::uint32_t>(offset));
  return c;
}

TEST(SoftLogs, FailedIosAreInTheErrorLog) {
  Driver d("size=1m");
  auto q = d.make_queue();
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 256, 1)).status, 0x080);
  ASSERT_EQ(d.run(*d.admin, log_page(d, 1, 128)).status, 0);
  const auto entry = d.data_as<ErrorEntry>();
  EXPECT_EQ(entry.count, 1u);
  EXPECT_EQ(entry.sq_id, 1);
  EXPECT_EQ((entry.status >> 1) & 0x7ff, 0x080);
  EXPECT_EQ(entry.lba, 256u);
  EXPECT_EQ(entry.nsid, 1u);
}

TEST(SoftLogs, HealthCountsCommandsWithAndWithoutIdeal) {
  for (const char* text : {"ideal,bs=512", "bs=512"}) {
    Driver d(text);
    auto q = d.make_queue();
    for (int i = 0; i < 300; ++i) d.run(*q, d.transfer(NvmOpcode::read, 0, 8));
    d.run(*q, d.transfer(NvmOpcode::write, 0, 2));
    ASSERT_EQ(d.run(*d.admin, log_page(d, 2, 512)).status, 0);
    const auto page = d.data_as<HealthPage>();
    EXPECT_EQ(page.reads[0], 300u) << text;
    EXPECT_EQ(page.writes[0], 1u);
    EXPECT_EQ(page.data_units_read[0], 3u);  // 2400 blocks of 512, in thousands, rounded up
    EXPECT_EQ(page.data_units_written[0], 1u);
    EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_sq, 1).status, 0);
    ASSERT_EQ(d.run(*d.admin, log_page(d, 2, 512)).status, 0);
    EXPECT_EQ(d.data_as<HealthPage>().reads[0], 300u);
  }
}

TEST(SoftLogs, OffsetsAreHonouredAndInvalidRequestsRefused) {
  Driver d;
  EXPECT_EQ(d.run(*d.admin, log_page(d, 3, 512)).status, 0);
  EXPECT_EQ(std::string(reinterpret_cast<char*>(d.data.memory) + 8, 3), "1.0");
  EXPECT_EQ(d.run(*d.admin, log_page(d, 3, 8, 8)).status, 0);
  EXPECT_EQ(std::string(reinterpret_cast<char*>(d.data.memory), 3), "1.0");
  EXPECT_EQ(d.run(*d.admin, log_page(d, 3, 512, 2)).status, kField);
  EXPECT_EQ(d.run(*d.admin, log_page(d, 3, 512, 516)).status, kField);
  EXPECT_EQ(d.run(*d.admin, log_page(d, 0x7e, 512)).status, kLogPage);
  Command of_namespace = log_page(d, 2, 512);
  of_namespace.nsid = 1;
  EXPECT_EQ(d.run(*d.admin, of_namespace).status, kField);
  Command long_one = log_page(d, 3, 512);
  long_one.cdw11 = 0xffff;
  EXPECT_EQ(d.run(*d.admin, long_one).status, kField);
}

void lend_request(Driver& d, std::uint16_t cid) {
  Command command = d.command_of(0x0c, 0, 0, 0, 0);
  command.cid = cid;
  d.admin->post(command);
  d.admin->ring();
  d.device->idle();
}

TEST(SoftEvents, AnInvalidDoorbellValueIsReportedOnce) {
  Driver d;
  auto q = d.make_queue(1, 16);
  lend_request(d, 900);
  EXPECT_FALSE(d.admin->wait());
  q->doorbell(0, 16);
  auto reply = d.admin->wait();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->cid, 900);
  EXPECT_EQ(reply->result, 0x010100u);
  lend_request(d, 901);
  q->doorbell(1, 3);              // beyond the tail: nothing was completed
  EXPECT_FALSE(d.admin->wait());  // masked until the log page is read
  EXPECT_EQ(d.csts(), kCstsReady);
  ASSERT_EQ(d.run(*d.admin, log_page(d, 1, 64)).status, 0);
  EXPECT_FALSE(d.admin->wait());  // the completion doorbell is looked at only when it is needed
  q->doorbell(0, 0);
  EXPECT_EQ(d.run_admin(AdminOpcode::keep_alive).status, 0);
}

TEST(SoftEvents, ADoorbellOfNoQueueIsReported) {
  Driver d;
  lend_request(d, 900);
  d.device->doorbells()[2 * 9] = 1;
  const auto reply = d.admin->wait(10'000);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->result, 0x010000u);
}

TEST(SoftEvents, RequestsAreLimitedAndCanBeAborted) {
  Driver d;
  for (std::uint16_t cid = 100; cid < 104; ++cid) lend_request(d, cid);
  lend_request(d, 104);
  auto reply = d.admin->take();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->cid, 104);
  EXPECT_EQ(reply->status, kEventLimit);
  Command abort = d.command_of(0x08, 0, 0, 102u << 16, 0);
  abort.cid = 200;
  d.admin->post(abort);
  d.admin->ring();
  reply = d.admin->wait();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->cid, 102);
  EXPECT_EQ(reply->status, 0x007);
  reply = d.admin->wait();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->cid, 200);
  EXPECT_EQ(reply->result, 0u);
}

// A request keeps no slot of the completion ring; its abort must take one, and find one free.
TEST(SoftEvents, AbortsDoNotOverrunTheCompletionRing) {
  Driver d;
  for (std::uint16_t cid = 0; cid < 4; ++cid) lend_request(d, cid);
  for (int i = 0; i < 28; ++i) {
    d.admin->post(d.command_of(0x18, 0, 0, 0, 0));
    d.admin->ring();
    d.device->idle();
  }
  for (std::uint32_t cid = 0; cid < 4; ++cid) d.admin->post(d.command_of(0x08, 0, 0, cid << 16, 0));
  d.admin->ring();
  d.device->idle();
  unsigned seen = 0;
  while (d.admin->take(false)) ++seen;
  EXPECT_EQ(seen, 31u);  // of 32 slots
}

TEST(SoftEvents, AChangedNamespaceIsReported) {
  Driver d("ns=3,ideal");
  auto q = d.make_queue();
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 0x0b, 1 << 8).status, 0);
  lend_request(d, 900);
  ASSERT_TRUE(d.device->controller().set_active(2, false));
  EXPECT_FALSE(d.device->controller().set_active(4, false));
  const auto reply = d.admin->wait();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->result, 0x040002u);
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1, 2)).status, kNamespaceError);
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1, 3)).status, 0);
  ASSERT_EQ(d.run(*d.admin, log_page(d, 4, 4096)).status, 0);
  EXPECT_EQ(d.data_as<std::uint32_t>(), 2u);
  ASSERT_EQ(d.run(*d.admin, log_page(d, 4, 4096)).status, 0);
  EXPECT_EQ(d.data_as<std::uint32_t>(), 0u);  // reading it cleared it
  ASSERT_EQ(d.run_admin(AdminOpcode::identify, 0, 0, d.data.iova, 2).status, 0);
  EXPECT_EQ(d.data_as<std::uint64_t>(), 0u);
  ASSERT_TRUE(d.device->controller().set_active(2, true));
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1, 2)).status, 0);
}

// The controller's one temperature is 298 K.
TEST(SoftFeatures, TemperatureThresholdsSetTheHealthWarning) {
  Driver d("ideal");
  const auto warned = [&] {
    EXPECT_EQ(d.run(*d.admin, log_page(d, 2, 512)).status, 0);
    return (d.data_as<std::uint8_t>() & 2) != 0;
  };
  constexpr std::uint32_t kUnder = 1 << 20, kAllSensors = 0xf << 16, kOneSensor = 1 << 16;
  EXPECT_EQ(d.run_admin(AdminOpcode::get_features, 4, 0).result, 343u);  // WCTEMP
  EXPECT_EQ(d.run_admin(AdminOpcode::get_features, 4, kUnder).result, kUnder | 0);
  EXPECT_FALSE(warned());
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 4, 298).status, 0);
  EXPECT_EQ(d.run_admin(AdminOpcode::get_features, 4, 0).result, 298u);
  EXPECT_TRUE(warned());
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 4, kAllSensors | 299).status, 0);
  EXPECT_FALSE(warned());
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 4, kUnder | 298).status, 0);
  EXPECT_EQ(d.run_admin(AdminOpcode::get_features, 4, kUnder).result, kUnder | 298);
  EXPECT_TRUE(warned());
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 4, kOneSensor | 298).status, kField) << "there is no such sensor";
  EXPECT_EQ(d.run_admin(AdminOpcode::get_features, 4, kAllSensors).status, kField);
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 4, 2u << 20 | 298).status, kField);
}

TEST(SoftEvents, ACrossedTemperatureThresholdIsReportedWhenEnabled) {
  Driver d("ideal");
  lend_request(d, 900);
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 4, 298).status, 0);
  EXPECT_FALSE(d.admin->wait()) << "nobody asked";
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 0x0b, 1 << 1).status, 0);
  const auto reply = d.admin->wait();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->cid, 900);
  EXPECT_EQ(reply->result, 0x020101u);
  lend_request(d, 901);
  EXPECT_EQ(d.run_admin(AdminOpcode::set_features, 4, 297).status, 0);
  EXPECT_FALSE(d.admin->wait()) << "until the log page has been read";
  ASSERT_EQ(d.run(*d.admin, log_page(d, 2, 512)).status, 0);
  const auto again = d.admin->wait();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->result, 0x020101u);
}

}  // namespace
}  // namespace fathom::nvme::soft::commands
