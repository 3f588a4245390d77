// Sense data of both formats, as devices sent them, in words.
#include "engine/scsi/scsi_sense.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fathom::engine::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string said(const Bytes& sense, unsigned status = 2, unsigned host = 0, std::size_t room = 200) {
  scsi::ScsiCommand command;
  command.bytes[0] = 0x2f;
  std::string text(room, 'x');
  scsi::say_refused({text.data(), text.size()}, command, {sense, status, host});
  return text.c_str();
}

const Bytes kMiscompare{0x70, 0, 0x0e, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x1d, 0, 0, 0, 0, 0};
const Bytes kMedium{0xf0, 0, 0x03, 0, 0, 0x12, 0x34, 10, 0, 0, 0, 0, 0x11, 0, 0, 0, 0, 0};
const Bytes kUnknownCommand{0x72, 0x05, 0x20, 0x00, 0, 0, 0, 0};
const Bytes kOther{0x70, 0, 0x04, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x44, 0x81, 0, 0, 0, 0};

TEST(ScsiSense, KeyAndCodeOfBothFormatsAreNamed) {
  EXPECT_EQ(said(kMiscompare), "command 2f: miscompare (0e/1d/00): the data on the device differ from the data sent");
  EXPECT_EQ(said(kMedium), "command 2f: medium error (03/11/00): the medium could not be read");
  EXPECT_TRUE(said(kUnknownCommand).starts_with("command 2f: illegal request (05/20/00): the device does not support"));
  EXPECT_EQ(said(kOther), "command 2f: hardware error (04/44/81)");
  EXPECT_EQ(scsi::sense_key(kUnknownCommand), scsi::SenseKey::illegal_request);
  EXPECT_EQ(scsi::sense_key({}), scsi::SenseKey::none);
}

TEST(ScsiSense, WithoutSenseTheStatusIsReported) {
  EXPECT_EQ(said({}, 0x18), "command 2f ended with status 0x18, without sense data");
  EXPECT_EQ(said({}, 0, 3), "command 2f did not reach the device (host status 0x3)");
}

TEST(ScsiSense, TruncatedSenseStillHasAText) {
  EXPECT_EQ(said(kMiscompare, 2, 0, 12), "command 2f:");
  EXPECT_EQ(said(Bytes{0x70}, 2), "command 2f: no sense (00/00/00)");
}

}  // namespace
}  // namespace fathom::engine::test
