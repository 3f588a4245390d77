// What the options of limits, waits and flows are read as, and what is refused.
#include "job/fields/flow.h"
#include "job/fields/latency_limits.h"
#include "job/fields/least_rate.h"
#include "job/fields/start.h"
#include "job/fields/steady.h"
#include "job/fields/submit.h"
#include "job/fields/think.h"
#include "job/support.h"

namespace fathom::job {
namespace {

std::string refusal(const std::string& text) {
  const auto set = parse_job_text(text, "t.fio", World{}.env());
  return set ? "" : set.error().what;
}
std::string refusal_of(const std::string& lines) { return refusal("[a]\nsize=1m\n" + lines + "\n"); }

TEST(ControlOptions, SteadystateCriteriaAreParsed) {
  const auto of = [](const std::string& value) {
    return one_job("size=1m\nss=" + value + "\nss_dur=2").of<fields::Steady>();
  };
  struct Row {
    const char* value;
    fields::SteadyOf of;
    bool slope;
    double limit;
    bool percent;
  };
  for (const Row row : {Row{"iops:5%", fields::SteadyOf::iops, false, 5, true},
                        Row{"iops_slope:0.3%", fields::SteadyOf::iops, true, 0.3, true},
                        Row{"bw:1m", fields::SteadyOf::bw, false, 1048576, false},
                        Row{"bw_slope:10", fields::SteadyOf::bw, true, 10, false},
                        Row{"lat:10us", fields::SteadyOf::lat, false, 10'000, false},
                        Row{"lat_slope:2.5", fields::SteadyOf::lat, true, 2.5, false}}) {
    const auto rule = of(row.value);
    EXPECT_EQ(rule.of, row.of) << row.value;
    EXPECT_EQ(rule.slope, row.slope) << row.value;
    EXPECT_DOUBLE_EQ(rule.limit, row.limit) << row.value;
    EXPECT_EQ(rule.percent, row.percent) << row.value;
    EXPECT_TRUE(rule.asked());
  }
  EXPECT_FALSE(one_job("size=1m\nss=iops:5%").of<fields::Steady>().asked()) << "without a duration";
  EXPECT_NE(refusal_of("ss=speed:5%"), "");
  EXPECT_NE(refusal_of("ss=iops_slope"), "") << "without a limit, as fio";
  EXPECT_NE(refusal_of("ss=iops:fast"), "");
  EXPECT_NE(refusal_of("ss=iops:5%\nss_dur=1"), "");
  EXPECT_NE(refusal_of("ss=iops:5%\nss_dur=5\nss_interval=2"), "");
  EXPECT_NE(refusal_of("ss=iops:5%\nss_dur=5\nss_interval=500ms"), "");
  EXPECT_EQ(refusal_of("ss=iops:5%\nss_dur=6\nss_interval=2"), "");
}

TEST(ControlOptions, JobsOfAGroupMustAgreeOnSteadystate) {
  const std::string head = "[global]\nsize=1m\ngroup_reporting\n[a]\nss=iops:5%\nss_dur=4\n[b]\n";
  EXPECT_EQ(refusal(head), "job rejected: steadystate options must be consistent within reporting groups");
  EXPECT_EQ(refusal(head + "new_group\n"), "");
}

TEST(ControlOptions, LatencyLimitsAreParsed) {
  EXPECT_EQ(one_job("size=1m\nmax_latency=10").of<fields::MaxLatency>().ns,
            (PerDir<std::uint64_t>{10'000, 10'000, 10'000}));
  EXPECT_EQ(one_job("size=1m\nmax_latency=1ms,2s").of<fields::MaxLatency>().ns,
            (PerDir<std::uint64_t>{1'000'000, 2'000'000'000, 2'000'000'000}));
  const auto target = one_job("size=1m\nlatency_target=50\nlatency_window=1s\nlatency_percentile=99.5\nlatency_run=1")
                          .of<fields::LatencyTarget>();
  EXPECT_EQ(target.target_ns, 50'000u);
  EXPECT_EQ(target.window_ns, 1'000'000'000u);
  EXPECT_DOUBLE_EQ(target.percentile, 99.5);
  EXPECT_TRUE(target.whole_run);
}

TEST(ControlOptions, LatencyLimitsUnderGtodReduceAreReportedIgnored) {
  const auto ignored = one_job("size=1m\ngtod_reduce=1\nmax_latency=1ms\nlatency_target=1ms").ignored;
  ASSERT_EQ(ignored.size(), 2u);
  EXPECT_EQ(ignored[0], "max_latency with gtod_reduce=1, which measures no latencies");
}

TEST(ControlOptions, MinimumRatesAreParsedAndMayNotExceedTheRate) {
  const auto least = one_job("size=1m\nrate_min=1m,2m\nrate_iops_min=5\nratecycle=500").of<fields::LeastRate>();
  EXPECT_EQ(least.bytes_per_s, (PerDir<std::uint64_t>{1 << 20, 2 << 20, 2 << 20}));
  EXPECT_EQ(least.iops[2], 5u);
  EXPECT_EQ(least.cycle_ns, 500'000'000u);
  EXPECT_EQ(refusal_of("rate=1m\nrate_min=2m"), "minimum rate exceeds rate, ddir 0");
  EXPECT_EQ(refusal_of("rate=4m,1m\nrate_min=2m"), "minimum rate exceeds rate, ddir 1");
  EXPECT_EQ(refusal_of("rate_iops=10\nrate_iops_min=20"), "minimum rate exceeds rate, ddir 0");
}

TEST(ControlOptions, WaitForMustNameOneEarlierJob) {
  const std::string head = "[global]\nsize=1m\n[a]\n[b]\n";
  EXPECT_EQ(refusal(head + "wait_for=a\n"), "");
  EXPECT_EQ(refusal(head + "wait_for=b\n"), "b: a job cannot wait for itself (wait_for=b).");
  EXPECT_EQ(refusal(head + "wait_for=c\n[c]\n"), "b: waitee job c unknown.");
  EXPECT_EQ(refusal(head + "[a]\n[d]\nwait_for=a\n"), "multiple waitees a found");
  EXPECT_EQ(text_jobs(head + "wait_for=a\n").at(1).of<fields::Start>().wait_section, 0);
}

TEST(ControlOptions, RampTimeAndRampSizeExcludeEachOther) {
  EXPECT_NE(refusal_of("ramp_time=1\nramp_size=1m"), "");
  EXPECT_EQ(one_job("size=1m\nramp_size=64k").of<fields::Start>().ramp_bytes, 65536u);
}

// effect: flow_watermark
TEST(ControlOptions, FlowWatermarkIsAcceptedAsDeprecated) {
  const auto job = one_job("size=1m\nflow_watermark=3");
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_EQ(job.notes[0], "Option flow_watermark is deprecated");
}

TEST(ControlOptions, FlowAndThinktimeOptionsAreParsed) {
  const auto flow = one_job("size=1m\nflow=8\nflow_id=3\nflow_sleep=50").of<fields::Flow>();
  EXPECT_EQ(flow.weight, 8u);
  EXPECT_EQ(flow.id, 3);
  EXPECT_EQ(flow.sleep_ns, 50'000u);
  EXPECT_NE(refusal_of("flow=1001"), "");
  const auto think =
      one_job("size=1m\nthinktime_blocks_type=issue\nthinktime_iotime=2\nthinkcycles=7").of<fields::Think>();
  EXPECT_TRUE(think.by_issue);
  EXPECT_EQ(think.iotime_ns, 2'000'000'000u);
  EXPECT_EQ(think.cycles, 7u);
  EXPECT_FALSE(think.blocks_given);
  EXPECT_TRUE(one_job("size=1m\nthinktime_blocks=1").of<fields::Think>().blocks_given);
}

TEST(ControlOptions, SubmitModeAndLockfileAreParsed) {
  const auto submit = [](const std::string& lines) { return one_job("size=1m\n" + lines).of<fields::Submit>(); };
  EXPECT_FALSE(submit("").offload);
  EXPECT_TRUE(submit("io_submit_mode=offload").offload);
  EXPECT_EQ(submit("lockfile=readwrite").lock, fields::FileLock::readwrite);
  EXPECT_TRUE(submit("lockfile=exclusive").claims());
  EXPECT_FALSE(submit("serialize_overlap=1\nrw=write\niodepth=4\nioengine=libaio").claims()) << "of its own queue";
  EXPECT_TRUE(submit("serialize_overlap=1\nrw=read\nio_submit_mode=offload").claims()) << "others may write";
  for (const char* lines : {"ioengine=sim", "verify=crc32c\nrw=write", "latency_target=10us\nlatency_window=1s",
                            "nrfiles=4\nopenfiles=2", "iodepth=5000"})
    EXPECT_NE(refusal_of(std::string("io_submit_mode=offload\n") + lines), "") << lines;
  EXPECT_EQ(one_job("size=1m\nioengine=libaio\niodepth=8\niodepth_batch=8\nlockfile=exclusive").iodepth_batch, 1u);
}

}  // namespace
}  // namespace fathom::job
