// The text of a soft controller's options: every key, and what a mistake is told.
#include "nvme/soft/options.h"

#include <gtest/gtest.h>

namespace fathom::nvme::soft {
namespace {

Options good(std::string_view text) {
  const auto options = parse_options(text);
  EXPECT_TRUE(options.ok()) << text << ": " << (options.ok() ? "" : options.error().cause);
  return options.ok() ? *options : Options{};
}

TEST(SoftOptions, AnEmptyTextGivesTheDefaults) {
  const Options o = good("");
  EXPECT_EQ(o.size_bytes, 1ull << 30);
  EXPECT_EQ(o.block_bytes, 4096u);
  EXPECT_EQ(o.media, Media::ram);
  EXPECT_FALSE(o.stepped);
}

TEST(SoftOptions, EveryKeyIsParsed) {
  const Options o = good(
      "id=7,size=256m,bs=512,ns=3,ideal,mdts=0,entries=1024,queues=8,cqes=6,dstrd=4,doorbell=150ns,step,cpu=1,seed=9");
  EXPECT_EQ(o.id, 7u);
  EXPECT_EQ(o.size_bytes, 256u << 20);
  EXPECT_EQ(o.block_bytes, 512u);
  EXPECT_EQ(o.namespaces, 3u);
  EXPECT_EQ(o.media, Media::ideal);
  EXPECT_EQ(o.mdts, 0);
  EXPECT_EQ(o.queue_entries_max, 1024u);
  EXPECT_EQ(o.io_queues_max, 8u);
  EXPECT_EQ(o.cqes, 6);
  EXPECT_EQ(o.doorbell_stride, 4);
  EXPECT_EQ(o.doorbell_ns, 150u);
  EXPECT_TRUE(o.stepped);
  EXPECT_EQ(o.cpu, 1);
  EXPECT_EQ(o.seed, 9u);
}

TEST(SoftOptions, MediaKindsAreParsed) {
  EXPECT_EQ(good("media=ideal").media, Media::ideal);
  EXPECT_EQ(good("ideal,media=ram").media, Media::ram);
  EXPECT_EQ(good("media=file:/a/b.img").file, "/a/b.img");
}

TEST(SoftOptions, LatencyModelsAreParsed) {
  EXPECT_EQ(good("latency=fixed:80us").latency.fixed_ns, 80'000u);
  const LatencyModel log = good("latency=lognormal:80us:0.3").latency;
  EXPECT_EQ(log.kind, LatencyModel::Kind::lognormal);
  EXPECT_EQ(log.fixed_ns, 80'000u);
  EXPECT_DOUBLE_EQ(log.sigma, 0.3);
  const LatencyModel table = good("latency=table:0.5=80us;0.99=200us;1=1ms").latency;
  ASSERT_EQ(table.table.size(), 3u);
  EXPECT_DOUBLE_EQ(table.table[1].first, 0.99);
  EXPECT_EQ(table.table[2].second, 1'000'000u);
  EXPECT_EQ(good("latency=fixed:1us,latency=none").latency.kind, LatencyModel::Kind::none);
}

TEST(SoftOptions, FaultsAreParsed) {
  const Options o = good("fault=status:after=100:sc=0x281,fault=late:by=10us:every=3,fault=removal");
  ASSERT_EQ(o.faults.size(), 3u);
  EXPECT_EQ(o.faults[0].kind, FaultKind::status);
  EXPECT_EQ(o.faults[0].after, 100u);
  EXPECT_EQ(o.faults[0].status, 0x281);
  EXPECT_EQ(o.faults[1].late_ns, 10'000u);
  EXPECT_EQ(o.faults[1].every, 3u);
  EXPECT_EQ(o.faults[2].kind, FaultKind::removal);
}

TEST(SoftOptions, AnUnknownKeyIsNamedWithTheNearest) {
  const auto options = parse_options("size=1g,laetncy=fixed:1us");
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().kind, base::ErrorKind::usage);
  EXPECT_NE(options.error().what.find("laetncy"), std::string::npos);
  EXPECT_NE(options.error().cause.find("doorbell"), std::string::npos);
  EXPECT_NE(options.error().help.find("`latency`"), std::string::npos);
}

TEST(SoftOptions, InvalidValuesAreRefused) {
  for (const char* text : {"size=0",
                           "size=1000",
                           "size=x",
                           "bs=1024",
                           "bs",
                           "ns=0",
                           "ns=2000",
                           "media=disk",
                           "media=file:",
                           "ideal=1",
                           "mdts=17",
                           "entries=1",
                           "entries=65537",
                           "queues=0",
                           "cqes=3",
                           "cqes=7",
                           "dstrd=9",
                           "latency=fast",
                           "latency=fixed",
                           "latency=fixed:",
                           "latency=lognormal:80us",
                           "latency=lognormal:80us:-1",
                           "latency=table:0.5=1us",
                           "latency=table:0.9=1us;0.5=2us;1=3us",
                           "latency=table:0=1us;1=2us",
                           "latency=none:1us",
                           "fault=fire",
                           "fault=status:when=1",
                           "fault=late:by=soon",
                           "fault=status:sc=0",
                           "fault=status:sc=0x8000",
                           "step=1",
                           "cpu=x",
                           "seed=-1",
                           ",",
                           "size=1g,"}) {
    const auto options = parse_options(text);
    ASSERT_FALSE(options.ok()) << text;
    EXPECT_EQ(options.error().kind, base::ErrorKind::usage) << text;
    EXPECT_FALSE(options.error().cause.empty()) << text;
    EXPECT_FALSE(options.error().help.empty()) << text;
  }
}

TEST(SoftOptions, OnlyAKeyThatIsNearIsSuggested) {
  EXPECT_EQ(parse_options("latensy=none").error().help, "did you mean `latency`?");
  EXPECT_EQ(parse_options("completion=4").error().help, "write one of them");
}

}  // namespace
}  // namespace fathom::nvme::soft
