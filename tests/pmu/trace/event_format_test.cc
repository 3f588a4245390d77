// The format file decides where a field is: two kernels' block_rq_issue are both read, and what is no format is
// refused.
#include "pmu/trace/event_format.h"

#include <gtest/gtest.h>

#include <array>
#include <span>

#include "pmu/trace/block_event.h"
#include "pmu/trace_records.h"

namespace fathom::pmu {
namespace {

using testing::Record;

TEST(EventFormat, ParsesNameIdAndFields) {
  const auto format = trace::parse_event_format(testing::bio_queue_format());
  ASSERT_TRUE(format);
  EXPECT_EQ(format->name, "block_bio_queue");
  EXPECT_EQ(format->id, 2097);
  EXPECT_EQ(format->fields.size(), 9u);  // "print fmt" ends the fields
  const auto* rwbs = format->find("rwbs");
  ASSERT_NE(rwbs, nullptr);
  EXPECT_EQ(rwbs->type, "char[10]");
  EXPECT_EQ(rwbs->offset, 28u);
  EXPECT_EQ(rwbs->size, 10u);
  EXPECT_TRUE(format->find("common_pid")->is_signed);
  const auto issue = trace::parse_event_format(testing::rq_issue_format(false));
  ASSERT_TRUE(issue);
  EXPECT_EQ(issue->find("cmd")->type, "__data_loc char[]");
}

TEST(EventFormat, RejectsMalformedText) {
  const std::string good = testing::bio_queue_format();
  for (const auto& [from, to] :
       {std::pair("ID: 2097", "ID: x"), std::pair("ID: 2097", "ID: 70000"), std::pair("offset:16", "offset:-1"),
        std::pair("size:8", "size:"), std::pair("name: ", "nome: "), std::pair("rwbs[10];", "rwbs[10;"),
        std::pair("signed:1", "signed:7")}) {
    std::string bad = good;
    bad.replace(bad.find(from), std::strlen(from), to);
    EXPECT_FALSE(trace::parse_event_format(bad)) << to;
  }
  EXPECT_FALSE(trace::parse_event_format(""));
}

TEST(EventFormat, FieldsBeyondTheRecordReadAsZero) {
  const std::array<std::byte, 4> record{std::byte{0xff}, std::byte{0xff}, std::byte{1}, std::byte{2}};
  EXPECT_EQ(trace::read_field(record, {"a", "", 0, 2, false}), 0xffffu);
  EXPECT_EQ(static_cast<std::int64_t>(trace::read_field(record, {"a", "", 0, 2, true})), -1);
  EXPECT_EQ(trace::read_field(record, {"a", "", 1, 4, false}), 0u);
  EXPECT_EQ(trace::read_field(record, {"a", "", 0, 3, false}), 0u);
  EXPECT_EQ(trace::read_text(record, {"a", "", 2, 4, false}), "");
}

TEST(BlockDecoder, DecodesTheLayoutsOfDifferentKernels) {
  for (const bool old : {false, true}) {
    const auto format = trace::parse_event_format(testing::rq_issue_format(old));
    ASSERT_TRUE(format);
    const std::pair<trace::BlockPoint, trace::EventFormat> formats[] = {{trace::BlockPoint::rq_issue, *format}};
    const auto decoder = trace::BlockDecoder::make(formats);
    ASSERT_TRUE(decoder);
    Record record(*format);
    record.set("dev", 254u << 20 | 3).set("sector", 1ull << 40).set("nr_sector", 8).text("rwbs", "WS");
    const auto event = decoder->decode(record.bytes(), 77, 1234);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->point, trace::BlockPoint::rq_issue);
    EXPECT_EQ(event->dev, 254u << 20 | 3);
    EXPECT_EQ(event->sector, 1ull << 40);
    EXPECT_EQ(event->sectors, 8u);
    EXPECT_EQ(event->dir, 1);
    EXPECT_EQ(event->process, 77);
    EXPECT_EQ(event->time_ns, 1234u);
    record.set("common_type", 1);
    EXPECT_FALSE(decoder->decode(record.bytes(), 77, 1234)) << "another tracepoint's record";
    EXPECT_FALSE(decoder->decode(std::span(record.bytes()).first(20), 77, 1234));
  }
}

TEST(BlockDecoder, NamesAMissingField) {
  std::string text = testing::bio_queue_format();
  text.replace(text.find("sector_t sector"), 15, "sector_t sektor");
  const auto format = trace::parse_event_format(text);
  ASSERT_TRUE(format);
  const std::pair<trace::BlockPoint, trace::EventFormat> formats[] = {{trace::BlockPoint::bio_queue, *format}};
  const auto decoder = trace::BlockDecoder::make(formats);
  ASSERT_FALSE(decoder);
  EXPECT_NE(decoder.error().what.find("`sector`"), std::string::npos);
}

TEST(BlockDecoder, ReadsTheDirectionFromRwbs) {
  for (const auto& [text, dir] :
       {std::pair("R", 0), std::pair("RA", 0), std::pair("WS", 1), std::pair("FWFS", 1), std::pair("D", 2),
        std::pair("DS", 2), std::pair("FF", 3), std::pair("F", 3), std::pair("N", 3), std::pair("", 3)})
    EXPECT_EQ(trace::direction_of(text), dir) << text;
}

TEST(EventFormat, AMissingTracepointIsNamed) {
  const auto none = trace::load_event_format("/nonexistent", "block", "block_rq_issue");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().cause.find("block:block_rq_issue"), std::string::npos);
}

}  // namespace
}  // namespace fathom::pmu
