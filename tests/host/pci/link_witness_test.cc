// A healthy link says nothing; each way of being unhealthy says what it is.
#include "host/pci/link_witness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/pci_recording.h"

namespace fathom::host::pci {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kPort = "pci0000:10/0000:10:00.0";
constexpr const char* kDisk = "pci0000:10/0000:10:00.0/0000:11:00.0";

class LinkWitnessReport : public ::testing::Test {
 protected:
  LinkWitnessReport() {
    tree.function(kPort, testing::kRootPort);
    tree.function(kDisk, testing::kNvme);
    link("16.0 GT/s PCIe", 4);
    tree.pci_link(kPort, "16.0 GT/s PCIe", 4, "32.0 GT/s PCIe", 16);
    errors(kDisk, 7, 0);
    errors(kPort, 0, 0);
    witness = make_link_witness({"0000:11:00.0", "0000:10:00.0", "0000:11:00.0"}, tree.root());
  }
  void link(std::string_view speed, int width) const { tree.pci_link(kDisk, speed, width, "16.0 GT/s PCIe", 4); }
  void errors(const std::string& below, int bad_tlp, int replay) const {
    tree.file("/sys/devices/" + below + "/aer_dev_correctable",
              "RxErr 0\nBadTLP " + std::to_string(bad_tlp) + "\nTimeout " + std::to_string(replay) +
                  "\nTOTAL_ERR_COR " + std::to_string(bad_tlp + replay) + "\n");
  }
  std::string seen() {
    std::string text;
    for (const auto& c : witness->end().counts) {
      EXPECT_EQ(c.source, "link");
      text += c.subject + " " + c.name + "=" + std::to_string(c.value).substr(0, 4) + c.unit + " from " +
              std::to_string(c.low).substr(0, 4) + "\n";
    }
    return text;
  }

  testing::PciRecording tree;
  std::unique_ptr<result::Witness> witness;
};

TEST_F(LinkWitnessReport, AHealthyLinkReportsNothing) {
  ASSERT_TRUE(witness->begin());
  witness->tick();
  EXPECT_EQ(seen(), "") << "a port that could do more than its card is no fault";
  EXPECT_EQ(witness->name(), "link of 0000:10:00.0, 0000:11:00.0");
}

TEST_F(LinkWitnessReport, ErrorsAreCountedFromTheBegin) {
  ASSERT_TRUE(witness->begin());
  errors(kDisk, 12, 1);
  errors(kPort, 2, 0);
  EXPECT_EQ(seen(),
            "0000:10:00.0 aer_dev_correctable/BadTLP=2.00count from 2.00\n"
            "0000:11:00.0 aer_dev_correctable/BadTLP=5.00count from 5.00\n"
            "0000:11:00.0 aer_dev_correctable/Timeout=1.00count from 1.00\n");
}

TEST_F(LinkWitnessReport, ASlowLinkIsReported) {
  link("8.0 GT/s PCIe", 4);
  ASSERT_TRUE(witness->begin());
  EXPECT_EQ(seen(),
            "0000:11:00.0 current_link_speed=8.00GT/s from 8.00\n0000:11:00.0 max_link_speed=16.0GT/s from 16.0\n");
}

TEST_F(LinkWitnessReport, ALinkThatTrainedDownIsReported) {
  ASSERT_TRUE(witness->begin());
  link("16.0 GT/s PCIe", 1);
  EXPECT_EQ(seen(),
            "0000:11:00.0 current_link_width=1.00lanes from 4.00\n0000:11:00.0 max_link_width=4.00lanes from 4.00\n");
}

TEST_F(LinkWitnessReport, ALinkThatTrainedUpIsReported) {
  link("16.0 GT/s PCIe", 2);
  ASSERT_TRUE(witness->begin());
  link("16.0 GT/s PCIe", 4);
  EXPECT_THAT(seen(), HasSubstr("current_link_width=4.00lanes from 2.00"));
}

TEST_F(LinkWitnessReport, ACardFasterThanItsSlotIsNotReported) {
  tree.pci_link(kPort, "8.0 GT/s PCIe", 4, "8.0 GT/s PCIe", 16);
  link("8.0 GT/s PCIe", 4);
  ASSERT_TRUE(witness->begin());
  EXPECT_EQ(seen(), "");
}

TEST_F(LinkWitnessReport, APortReportsTheLinkBelowIt) {
  link("2.5 GT/s PCIe", 4);
  witness = make_link_witness({"0000:10:00.0"}, tree.root());
  ASSERT_TRUE(witness->begin());
  EXPECT_THAT(seen(), HasSubstr("0000:11:00.0 current_link_speed=2.50GT/s"));
}

TEST_F(LinkWitnessReport, AVanishedFunctionIsLost) {
  ASSERT_TRUE(witness->begin());
  std::filesystem::remove_all(tree.path(std::string("/sys/devices/") + kDisk));
  witness->tick();
  const auto report = witness->end();
  ASSERT_EQ(report.counts.size(), 1u);
  EXPECT_EQ(report.counts[0].subject, "0000:11:00.0");
  EXPECT_TRUE(report.counts[0].lost_at_s);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].id, "link.lost");
}

TEST_F(LinkWitnessReport, WithoutLinkFilesItDoesNotBegin) {
  tree.function("pci0000:00/0000:00:02.0", {"0x018000", "0x1af4", "0x1042", "virtio-pci"}, "-1");
  for (const std::vector<std::string>& none : {std::vector<std::string>{"0000:00:02.0"}, {}, {"0000:55:00.0"}}) {
    witness = make_link_witness(none, tree.root());
    auto begun = witness->begin();
    ASSERT_FALSE(begun);
    EXPECT_THAT(begun.error().what, HasSubstr("neither link speed nor error counters"));
    EXPECT_THAT(witness->end().counts, IsEmpty());
    EXPECT_THAT(witness->end().findings, IsEmpty());
  }
}

}  // namespace
}  // namespace fathom::host::pci
