// What in a job text starts a program, reads a file or permits writes.
#include "bundle/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "job/option.h"

namespace fathom::bundle {
namespace {

std::vector<std::string> reaching(const std::string& options) {
  const auto found = reach_of("[a]\nsize=1m\n" + options + "\n");
  EXPECT_TRUE(found.ok()) << options;
  std::vector<std::string> written;
  if (found)
    for (const auto& reach : *found) written.push_back(reach.written);
  return written;
}

TEST(Reach, ProgramsAndFilesAreFound) {
  for (const std::string option :
       {"exec_prerun=sync", "exec_postrun=sync", "ioengine=exec", "program=/bin/true", "ioengine=external:/x.so",
        "ioengine=/x.so", "dp_scheme=f", "donorname=f", "verify_state_load=1", "opendir=/etc", "buffer_pattern='f'",
        "verify_pattern=0x1'f'", "mem=mmaphuge:/f", "iomem=mmapshared:/f", "filename=${HOME}", "include f"})
    EXPECT_EQ(reaching(option), std::vector<std::string>{option});
}

TEST(Reach, PlainOptionsAreNotFound) {
  for (const std::string option :
       {"ioengine=psync", "exec_prerun=", "verify_pattern=0xab", "verify_state_load=0", "mem=malloc",
        "filename=/dev/sda", "buffer_pattern=\"ab\"", "description=exec_prerun"})
    EXPECT_EQ(reaching(option), std::vector<std::string>()) << option;
}

// A later option overrides an earlier one only for the jobs below it.
TEST(Reach, OverriddenOptionsCount) {
  EXPECT_EQ(reaching("exec_prerun=evil\nexec_prerun=").size(), 1u);
  const auto found = reach_of("[global]\nexec_prerun=evil\n[a]\nsize=1m\n[global]\nexec_prerun=\n");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->size(), 1u);
  EXPECT_EQ((*found)[0].section, "global");
}

TEST(Reach, PermissionsAreFound) {
  const auto count = [](const std::string& option) { return permissions_in("[a]\n" + option + "\n")->size(); };
  EXPECT_EQ(count("allow_mounted_write=1"), 1u);
  EXPECT_EQ(count("allow_mounted_write"), 1u);
  EXPECT_EQ(count("allow_mounted_write=0"), 0u);
  EXPECT_EQ(count("size=1m"), 0u);
}

TEST(Reach, ATextThatIsNoJobFileIsAnError) {
  EXPECT_FALSE(reach_of("exec_prerun=x\n").ok());
  EXPECT_FALSE(permissions_in("[a\n").ok());
}

std::set<std::string_view> option_names(bool (*of_kind)(const job::Row&)) {
  std::set<std::string_view> names;
  for (const auto& group : job::option_groups())
    for (const auto& row : group.rows)
      if (of_kind(row)) names.insert(row.name());
  for (const auto& group : job::engine_options())
    for (const auto& row : group.rows)
      if (of_kind(row)) names.insert(row.name());
  return names;
}

// A new option with a text value must be put into one of the lists: bundle/reach.cc, or the options here, which name
// only targets, logs, numbers or text.
TEST(Reach, EveryOptionWithATextIsInAList) {
  const std::set<std::string_view> harmless = {"arguments",
                                               "bssplit",
                                               "cgroup",
                                               "clientname",
                                               "clustername",
                                               "cmdprio_bssplit",
                                               "comm",
                                               "cpumask",
                                               "cpus_allowed",
                                               "description",
                                               "device-names",
                                               "dir",
                                               "directory",
                                               "filename",
                                               "filename_format",
                                               "hostname",
                                               "http_host",
                                               "http_pass",
                                               "http_s3_key",
                                               "http_s3_keyid",
                                               "http_s3_region",
                                               "http_s3_security_token",
                                               "http_s3_sse_customer_algorithm",
                                               "http_s3_sse_customer_key",
                                               "http_s3_storage_class",
                                               "http_swift_auth_token",
                                               "http_user",
                                               "initiator",
                                               "ignore_error",
                                               "interface",
                                               "ioscheduler",
                                               "log_compression_cpus",
                                               "merge_blktrace_file",
                                               "merge_blktrace_iters",
                                               "merge_blktrace_scalars",
                                               "name",
                                               "nfs_url",
                                               "nice",
                                               "numa_cpu_nodes",
                                               "numa_mem_policy",
                                               "percentile_list",
                                               "pi_chk",
                                               "plids",
                                               "plugin_options",
                                               "pool",
                                               "random_distribution",
                                               "rbdname",
                                               "replay_redirect",
                                               "replay_skip",
                                               "sim_latency",
                                               "steadystate",
                                               "sync_file_range",
                                               "uri",
                                               "verify_async_cpus",
                                               "wait_for",
                                               "write_bw_log",
                                               "write_hist_log",
                                               "write_iolog",
                                               "write_iops_log",
                                               "write_lat_log"};
  auto names = option_names(
      [](const job::Row& row) { return row.type == options::Type::text || row.type == options::Type::list; });
  for (const auto name : reaching_options()) names.erase(name);
  for (const auto name : harmless) names.erase(name);
  EXPECT_THAT(names, ::testing::IsEmpty());
}

TEST(Reach, EveryPermissionIsInTheList) {
  auto names = option_names([](const job::Row& row) {
    return row.name().starts_with("allow") || row.name().find("force") != std::string_view::npos;
  });
  names.erase("allow_file_create");  // the default; it creates targets
  names.erase("force_async");        // a flag of io_uring
  for (const auto name : names) EXPECT_TRUE(is_permission(name)) << name;
  EXPECT_TRUE(names.contains("allow_mounted_write"));
}

}  // namespace
}  // namespace fathom::bundle
