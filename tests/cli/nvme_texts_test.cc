// What `fathom nvme` prints, from values made up here: lists, identify data, log pages, flags.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/dispatch.h"
#include "report/formats.h"
#include "session/controllers/nvme_fields.h"

namespace fathom::cli {
namespace {

namespace controllers = session::controllers;

const controllers::Field* field(const controllers::Fields& fields, const std::string& name) {
  for (const auto& f : fields)
    if (f.name == name) return &f;
  return nullptr;
}

template <std::size_t N>
void put(char (&to)[N], const char* text) {
  std::memset(to, ' ', N);
  std::memcpy(to, text, std::strlen(text));
}

TEST(NvmeFields, AControllersFieldsAreFormatted) {
  nvme::IdentifyController id{};
  id.vid = 0x1b36;
  put(id.mn, "QEMU NVMe Ctrl");
  put(id.sn, "EMU\x01");
  id.mdts = 5;
  id.ver = 0x10400;
  const auto fields = controllers::id_ctrl_fields(id);
  EXPECT_EQ(field(fields, "vid")->text, "0x1b36");
  EXPECT_EQ(field(fields, "mn")->text, "QEMU NVMe Ctrl");
  EXPECT_EQ(field(fields, "sn")->text, "EMU?") << "a device's text never reaches the terminal as it is";
  EXPECT_EQ(*field(fields, "mdts")->number, 5u);
  EXPECT_NE(report::nvme_identify_text({"", fields, {}, {}}).find("ver       : 0x10400\n"), std::string::npos);
}

TEST(NvmeFields, ANamespacesFieldsMarkTheFormatInUse) {
  nvme::IdentifyNamespace id{};
  id.nsze = 4096;
  id.nlbaf = 1;
  id.flbas = 1;
  id.lbaf[0].lbads = 9;
  id.lbaf[1].lbads = 12;
  const auto fields = controllers::id_ns_fields(id);
  EXPECT_EQ(field(fields, "lbaf  0")->text, "ms:0 lbads:9 rp:0");
  EXPECT_EQ(field(fields, "lbaf  1")->text, "ms:0 lbads:12 rp:0 (in use)");
  EXPECT_EQ(field(fields, "lbaf  2"), nullptr);
  id.nlbaf = 255;
  EXPECT_NE(field(controllers::id_ns_fields(id), "lbaf 63"), nullptr) << "a hostile count ends at the table's end";
}

TEST(NvmeFields, LogPageFieldsAreFormatted) {
  nvme::SmartLog smart{};
  smart.composite_temperature_kelvin = 310;
  smart.host_reads[0] = 7;
  smart.media_errors[1] = 1;
  EXPECT_EQ(field(controllers::smart_fields(smart), "temperature")->text, "37 C (310 K)");
  EXPECT_EQ(*field(controllers::smart_fields(smart), "host_read_commands")->number, 7u);
  EXPECT_EQ(*field(controllers::smart_fields(smart), "media_errors")->number, UINT64_MAX);

  nvme::ErrorLogEntry error{};
  error.error_count = 3;
  error.status = 0x281 << 1 | 1;
  EXPECT_EQ(field(controllers::error_fields(error), "status_field")->text, "0x281");

  nvme::FirmwareLog firmware{};
  firmware.active = 1;
  put(firmware.revision[0], "1.0");
  EXPECT_EQ(field(controllers::firmware_fields(firmware), "frs1")->text, "1.0");
  EXPECT_EQ(field(controllers::firmware_fields(firmware), "frs2"), nullptr);

  nvme::ChangedNamespaces changed{};
  changed.nsid[0] = 2;
  changed.nsid[1] = 5;
  EXPECT_EQ(controllers::changed_namespace_fields(changed).size(), 2u);
  changed.nsid[0] = 0xffffffff;
  EXPECT_EQ(controllers::changed_namespace_fields(changed)[0].name, "overflow");
}

result::NvmeListed listed() {
  result::NvmeListed one;
  one.address = "0000:04:00.0";
  one.vendor = 0x144d;
  one.device = 0xa80a;
  one.driver = "nvme";
  one.iommu_group = "12";
  one.numa_node = 0;
  one.model = "Samsung SSD 980 PRO";
  one.serial = "S5";
  one.namespaces = {{1, "nvme0n1", "ng0n1", 1000ull << 30, 512, "mounted on /"}};
  return one;
}

TEST(NvmeList, TextShowsDriverGroupAndNamespaces) {
  const std::string text = report::nvme_list_text({{listed()}});
  EXPECT_NE(text.find("0000:04:00.0  144d:a80a  driver nvme  IOMMU group 12  NUMA node 0\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("namespace 1  /dev/nvme0n1  1000.0 GiB in blocks of 512 bytes: mounted on /\n"),
            std::string::npos);
  EXPECT_EQ(text.find("ready:"), std::string::npos);
  auto bound = listed();
  bound.driver = "vfio-pci";
  bound.namespaces.clear();
  EXPECT_NE(report::nvme_list_text({{bound}}).find("ready: fathom nvme perf --device=0000:04:00.0"), std::string::npos);
}

TEST(NvmeList, JsonShowsControllersAndNamespaces) {
  const auto json = nlohmann::json::parse(report::nvme_list_json({{listed()}}));
  const auto& one = json["controllers"][0];
  EXPECT_EQ(one["address"], "0000:04:00.0");
  EXPECT_EQ(one["namespaces"][0]["use"], "mounted on /");
  EXPECT_EQ(one["namespaces"][0]["size_bytes"], 1000ull << 30);
  EXPECT_TRUE(nlohmann::json::parse(report::nvme_list_json({}))["controllers"].empty());
}

TEST(NvmeList, WithoutControllersTheTextSuggestsSoft) {
  EXPECT_NE(report::nvme_list_text({}).find("no NVMe controller found; try --device soft"), std::string::npos);
}

TEST(Dispatch, CalledAsSpdkNvmePerfItIsSpdksTool) {
  const auto entry = choose_applet("/usr/bin/spdk_nvme_perf", std::vector<std::string>{"-q", "1"},
                                   [](const std::string&) { return false; });
  EXPECT_EQ(entry.applet, Applet::spdk_perf);
  EXPECT_EQ(entry.args.size(), 2u);
}

}  // namespace
}  // namespace fathom::cli
