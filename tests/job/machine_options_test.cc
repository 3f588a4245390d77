// Options of the machine and the process, and cmdprio_*: values that are read, and those that are refused.
#include "io/cmdprio.h"
#include "io/data_placement.h"
#include "io/options/protection.h"
#include "job/fields/cpus.h"
#include "job/fields/process_options.h"
#include "job/support.h"

namespace fathom::job {
namespace {

TEST(MachineOptions, are_read) {
  const auto job = one_job(
      "size=1m\nnice=-7\nprio=3\nprioclass=2\nuid=65534\nnuma_cpu_nodes=0,2-3\nnuma_mem_policy=interleave:1\n"
      "mem=mmapshared:/x:y\nmem_align=4k\nhugepage-size=1g\ncpumask=0x5\ncgroup=a/b\ncgroup_weight=500\n");
  const auto& own = job.of<fields::ProcessOptions>();
  EXPECT_EQ(own.nice, -7);
  EXPECT_EQ(own.prio, 3u);
  EXPECT_EQ(own.uid, 65534u);
  EXPECT_FALSE(own.gid);
  EXPECT_EQ(own.numa_cpu_nodes, (std::vector{0, 2, 3}));
  EXPECT_EQ(own.numa_policy, fields::NumaPolicy::interleave);
  EXPECT_EQ(own.numa_memory_nodes, std::vector{1});
  EXPECT_EQ(job.of<fields::BufferMemory>().kind, fields::MemoryKind::mmapshared);
  EXPECT_EQ(job.of<fields::BufferMemory>().file, "/x:y");
  EXPECT_EQ(job.of<fields::BufferMemory>().align_bytes, 4096u);
  EXPECT_EQ(job.of<fields::BufferMemory>().huge_page_bytes, 1u << 30);
  EXPECT_EQ(job.of<fields::Cpus>().allowed, (std::vector{0, 2}));
  EXPECT_EQ(job.of<fields::Cgroup>().weight, 500u);
}

TEST(MachineOptions, mistakes_say_what_is_wrong) {
  for (const char* lines :
       {"nice=20", "nice=x", "prio=8", "prioclass=4", "cpumask=0", "cpumask=0x", "numa_mem_policy=bind",
        "numa_mem_policy=prefer:0,1", "numa_mem_policy=local:1", "numa_mem_policy=near:1", "numa_cpu_nodes=a",
        "mem=mmapshared", "mem=malloc:/x", "mem=tape", "mem=cudamalloc", "cgroup=../x", "cgroup_weight=99",
        "comm=a name that is too long", "cpumask=0x100"})
    EXPECT_NE(mistake(lines), "") << lines;
  EXPECT_NE(mistake("mem=cudamalloc").find("not built"), std::string::npos);
}

TEST(MachineOptions, cmdprio_values_are_numbered_in_order_of_mention) {
  const auto job =
      one_job("size=1m\nioengine=libaio\ncmdprio_bssplit=4k/50:8k/10/2/5/7,4k/20/3/0\ncmdprio_class=1\ncmdprio=2\n");
  const auto& own = job.engine.of<io::CmdprioOptions>();
  ASSERT_EQ(own.values.size(), 3u);
  EXPECT_EQ(own.values[0], (io::CmdprioOptions::Of{1, 2, 0}));
  EXPECT_EQ(own.values[1], (io::CmdprioOptions::Of{2, 5, 7}));
  EXPECT_EQ(own.values[2], (io::CmdprioOptions::Of{3, 0, 0}));
  EXPECT_FALSE(one_job("size=1m\nioengine=libaio\ncmdprio_class=1\n").engine.of<io::CmdprioOptions>().used());
  EXPECT_NE(mistake("ioengine=libaio\ncmdprio_percentage=5\ncmdprio_bssplit=4k/5").find("mutually exclusive"),
            std::string::npos);
  for (const char* lines :
       {"cmdprio_percentage=101", "cmdprio_class=4", "cmdprio_bssplit=4k", "cmdprio_bssplit=4k/5/1"})
    EXPECT_NE(mistake(std::string("ioengine=libaio\n") + lines), "") << lines;
}

TEST(MachineOptions, protection_information_needs_an_nvme_command_engine) {
  const std::string engine = "ioengine=io_uring_cmd\nfilename=/dev/ng0n1\n";
  const auto plain = one_job(engine).engine.of<io::ProtectionOptions>();
  EXPECT_TRUE(plain.pi_act);
  EXPECT_EQ(plain.checks, 0u);
  EXPECT_EQ(plain.apptag, 0x1234u);
  const auto job =
      one_job(engine + "md_per_io_size=4k\npi_act=0\npi_chk=GUARD,APPTAG\napptag=0xabc\napptag_mask=255\n");
  const auto& own = job.engine.of<io::ProtectionOptions>();
  EXPECT_EQ(own.md_per_io_bytes, 4096u);
  EXPECT_FALSE(own.pi_act);
  EXPECT_EQ(own.checks, io::kCheckGuard | io::kCheckAppTag);
  EXPECT_EQ(own.apptag, 0xabcu);
  EXPECT_EQ(own.apptag_mask, 255u);
  for (const char* lines : {"pi_chk=CRC", "apptag=65536", "md_per_io_size=2m"})
    EXPECT_NE(mistake(engine + lines), "") << lines;
  EXPECT_NE(mistake("pi_act=0"), "") << "of another engine";
}

TEST(MachineOptions, options_of_bsg_commands_do_not_affect_nvme_commands) {
  const std::string engine = "ioengine=io_uring_cmd\nfilename=/dev/ng0n1\n";
  one_job(engine + "cmd_type=nvme\nread_mode=prefetch\ncdb_len=16\nverify_bytchk=3\n");
  EXPECT_NE(mistake(engine + "cmd_type=bsg").find("not built"), std::string::npos);
  EXPECT_NE(mistake(engine + "verify_bytchk=2"), "");
}

TEST(MachineOptions, dataplacement_needs_an_nvme_command_engine) {
  EXPECT_NE(mistake("dataplacement=fdp").find("cannot pass a placement"), std::string::npos);
  const auto job = one_job("ioengine=io_uring_cmd\nfilename=/dev/ng0n1\nfdp=1\nplids=0,3\nplid_select=random\n");
  const auto& own = job.engine.of<io::DataPlacementOptions>();
  EXPECT_EQ(own.kind, io::Placement::fdp);
  EXPECT_EQ(own.ids, (std::vector<std::uint16_t>{0, 3}));
  EXPECT_EQ(own.select, io::PlacementSelect::random);
  EXPECT_NE(mistake("plids=70000"), "");
}

}  // namespace
}  // namespace fathom::job
