// The machine and the process: priorities, identity, NUMA, memory of the I/Os, commands before and after the run.
#include <cerrno>
#include <charconv>

#include "base/system/cpu_list.h"
#include "base/text/parse.h"
#include "job/fields/cpus.h"
#include "job/fields/process_options.h"
#include "job/option.h"

namespace fathom::job {
namespace {

template <auto Member>
Outcome some(fields::ProcessOptions& own, const Value& value) {
  std::uint64_t read = 0;
  if (auto problem = read_number(value, read)) return problem;
  own.*Member = static_cast<typename TypeOf<Member>::value_type>(read);
  return {};
}
template <auto Member>
constexpr Row optional_count(Texts texts, std::uint64_t max) {
  return special<some<Member>>(texts, Type::count, 0, max);
}

Outcome read_nice(fields::ProcessOptions& own, const Value& value) {
  int nice = 0;
  const auto text = value.text;
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), nice);
  if (err != std::errc() || end != text.data() + text.size() || nice < -20 || nice > 19)
    return wrong("not a nice value", "nice values are -20 (first) to 19 (last)", "write for example `nice=10`", text);
  own.nice = nice;
  return {};
}

Outcome read_cpumask(fields::Cpus& cpus, const Value& value) {
  auto text = value.text;
  std::uint64_t mask = 0;
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), mask, hex ? 16 : 10);
  if (err != std::errc() || end != text.data() + text.size() || mask == 0)
    return wrong("not a mask of CPUs", "bit n is CPU n, and at least one bit must be set",
                 "write `cpumask=3` or `cpumask=0x3` for CPUs 0 and 1; use cpus_allowed= for CPUs above 63",
                 value.text);
  cpus.allowed.clear();
  for (int cpu = 0; cpu < 64; ++cpu)
    if ((mask >> cpu & 1) != 0) cpus.allowed.push_back(cpu);
  return {};
}

Outcome read_nodes(const Value& value, std::vector<int>& nodes, std::string_view example) {
  const auto list = base::system::parse_cpu_list(value.text);
  if (!list.ok())
    return wrong("not a list of NUMA nodes", list.cause, std::string(example), base::text::trim(list.wrong));
  nodes = list.sorted();
  return {};
}

Outcome read_cpu_nodes(fields::ProcessOptions& own, const Value& value) {
  own.every_cpu_node = value.text == "all";
  own.numa_cpu_nodes.clear();
  if (own.every_cpu_node) return {};
  return read_nodes(value, own.numa_cpu_nodes, "write node numbers and ranges: `numa_cpu_nodes=0,2-3`, or `all`");
}

struct PolicyRow {
  std::string_view name;
  fields::NumaPolicy policy;
  enum class Nodes { none, one, list, list_or_none } nodes;
};
constexpr PolicyRow kNumaPolicies[] = {
    {"default", fields::NumaPolicy::normal, PolicyRow::Nodes::none},
    {"local", fields::NumaPolicy::local, PolicyRow::Nodes::none},
    {"prefer", fields::NumaPolicy::prefer, PolicyRow::Nodes::one},
    {"bind", fields::NumaPolicy::bind, PolicyRow::Nodes::list},
    {"interleave", fields::NumaPolicy::interleave, PolicyRow::Nodes::list_or_none},
};
constexpr std::string_view kPolicyHelp =
    "write default, local, prefer:NODE, bind:NODES or interleave[:NODES], for example `numa_mem_policy=bind:0-1`";

Outcome read_numa_policy(fields::ProcessOptions& own, const Value& value) {
  using Nodes = PolicyRow::Nodes;
  const auto colon = value.text.find(':');
  const auto name = value.text.substr(0, colon);
  const auto rest = colon == std::string_view::npos ? std::string_view() : value.text.substr(colon + 1);
  for (const auto& row : kNumaPolicies) {
    if (row.name != name) continue;
    std::vector<int> nodes;
    if (row.nodes == Nodes::none && !rest.empty())
      return wrong("a policy that has no nodes", "", std::string(kPolicyHelp), rest);
    if (rest.empty() && (row.nodes == Nodes::one || row.nodes == Nodes::list))
      return wrong("nodes are missing", "", std::string(kPolicyHelp), value.text);
    if (!rest.empty() && rest != "all")
      if (auto problem = read_nodes(value.part(rest), nodes, kPolicyHelp)) return problem;
    if (row.nodes == Nodes::one && nodes.size() != 1)
      return wrong("not one node", "prefer needs one node", std::string(kPolicyHelp), rest);
    own.numa_policy = row.policy;
    own.numa_memory_nodes = std::move(nodes);
    return {};
  }
  return wrong("not a memory policy", "", std::string(kPolicyHelp), name);
}

struct MemoryRow {
  std::string_view name;
  fields::MemoryKind kind;
  bool may_have_file, needs_file;
};
constexpr MemoryRow kMemories[] = {
    {"malloc", fields::MemoryKind::malloc, false, false},    {"shm", fields::MemoryKind::shm, false, false},
    {"shmhuge", fields::MemoryKind::shmhuge, false, false},  {"mmap", fields::MemoryKind::mmap, true, false},
    {"mmaphuge", fields::MemoryKind::mmaphuge, true, false}, {"mmapshared", fields::MemoryKind::mmapshared, true, true},
};

Outcome read_memory(fields::BufferMemory& own, const Value& value) {
  const auto colon = value.text.find(':');
  const auto name = value.text.substr(0, colon);
  const auto file = colon == std::string_view::npos ? std::string_view() : value.text.substr(colon + 1);
  if (name == "cudamalloc")
    return wrong("fio's `mem=cudamalloc` is not built in fathom yet", "memory of a GPU needs its library",
                 "write another kind of memory", name, base::ErrorKind::not_built);
  for (const auto& row : kMemories) {
    if (row.name != name) continue;
    if (!file.empty() && !row.may_have_file)
      return wrong("this kind of memory has no file", "mmap, mmaphuge and mmapshared have a file",
                   "write for example `mem=mmap:/mnt/file`", file);
    if (file.empty() && row.needs_file)
      return wrong("the file is missing", "", "write `mem=mmapshared:/path/of/file`", value.text);
    own.kind = row.kind;
    own.file = file;
    return {};
  }
  return wrong("not a kind of memory", "", "write malloc, shm, shmhuge, mmap, mmaphuge or mmapshared", name);
}

constexpr Choice kMemoryChoices[] = {
    {"malloc", 0, "private anonymous memory"},
    {"shm", 1, "a segment of System V shared memory"},
    {"shmhuge", 2, "a segment of System V shared memory, of huge pages"},
    {"mmap", 3, "a private mapping, of the file after `mmap:` if one is named"},
    {"mmaphuge", 4, "a private mapping of huge pages, of the file after `mmaphuge:` in a hugetlbfs if one is named"},
    {"mmapshared", 5, "a shared mapping of the file after `mmapshared:`"},
};

Outcome read_comm(fields::ProcessOptions& own, const Value& value) {
  if (value.text.empty() || value.text.size() > 15)
    return wrong("not a process's name", "the kernel allows 1 to 15 bytes", "write a shorter name", value.text);
  own.comm = value.text;
  return {};
}

Outcome read_cgroup_weight(fields::Cgroup& own, const Value& value) {
  std::uint64_t weight = 0;
  if (auto problem = read_number(value, weight)) return problem;
  own.weight = static_cast<unsigned>(weight);
  return {};
}

Outcome read_cgroup(fields::Cgroup& own, const Value& value) {
  const bool climbs =
      value.text == ".." || value.text.starts_with("../") || value.text.find("/..") != std::string::npos;
  if (value.text.empty() || climbs)
    return wrong("not a cgroup's name", "the name is a directory below the root of the cgroup tree",
                 "write for example `cgroup=bench`", value.text);
  own.name = value.text;
  return {};
}

Outcome read_gtod_cpu(fields::ProcessOptions& own, const Value& value) {
  std::uint64_t cpu = 0;
  if (auto problem = read_number(value, cpu)) return problem;
  own.gtod_cpu = static_cast<int>(cpu);
  return {};
}

constexpr Row kMachineRows[] = {
    special<read_cpumask>({"cpumask", "", "CPUs that the job may run on, as a mask: bit n is CPU n"}, Type::text),
    special<read_cpu_nodes>({"numa_cpu_nodes", "", "Run the job on the CPUs of these NUMA nodes: 0,2-3, or all"},
                            Type::list),
    special<read_numa_policy>(
        {"numa_mem_policy", "",
         "NUMA policy of the job's memory: default, local, prefer:NODE, bind:NODES, interleave[:NODES]"},
        Type::text),
    special<read_nice>({"nice", "", "Nice value of the job, -20 to 19"}, Type::text),
    optional_count<&fields::ProcessOptions::prio>(
        {"prio", "", "I/O priority of the job: 0 (first) to 7; best-effort without a class"}, 7),
    optional_count<&fields::ProcessOptions::prioclass>(
        {"prioclass", "", "I/O priority class: 0 none, 1 realtime, 2 best-effort, 3 idle"}, 3),
    optional_count<&fields::ProcessOptions::priohint>(
        {"priohint", "", "Hint to the device, in addition to the I/O priority"}, 1023),
    optional_count<&fields::ProcessOptions::uid>(
        {"uid", "", "User ID that the job runs as; with a thread, of the whole process"}, 0xfffffffe),
    optional_count<&fields::ProcessOptions::gid>(
        {"gid", "", "Group ID that the job runs as; with a thread, of the whole process"}, 0xfffffffe),
    special<read_comm>({"comm", "", "The job's name in /proc/PID/comm, ps and top"}, Type::text),
    bytes<&fields::ProcessOptions::lockmem_bytes>(
        {"lockmem", "0", "Lock this amount of memory per job, to simulate less RAM"}, 0, 1ull << 60),
    special<read_memory>({"mem iomem", "malloc", "Kind of memory for the buffers"}, Type::choice, 0, 0, 0, false,
                         kMemoryChoices),
    bytes<&fields::BufferMemory::align_bytes>(
        {"iomem_align mem_align", "0", "Offset of buffers from the start of a page, in bytes"}, 0, 1u << 30),
    bytes<&fields::BufferMemory::huge_page_bytes>(
        {"hugepage-size", "2m", "Unit of the size of a mapping of huge pages"}, 4096, 1ull << 34),
    special<read_cgroup>(
        {"cgroup", "", "cgroup that the job runs in; created, and removed afterwards, if it does not exist"},
        Type::text),
    special<read_cgroup_weight>(
        {"cgroup_weight", "", "Weight of the cgroup's I/O (blkio.weight; version 2: io.weight and io.bfq.weight)"},
        Type::count, 100, 1000),
    boolean<&fields::Cgroup::nodelete>({"cgroup_nodelete", "0", "Keep the cgroup after the run"}),
    text<&fields::ProcessOptions::exec_prerun>(
        {"exec_prerun", "", "Shell command before the job; if the command fails, the job does not run"}),
    text<&fields::ProcessOptions::exec_postrun>({"exec_postrun", "", "Shell command after the job"}),
    text<&fields::ProcessOptions::ioscheduler>(
        {"ioscheduler", "", "I/O scheduler to set for the disk of the first file; kept after the run"}),
    special<read_gtod_cpu>({"gtod_cpu", "", "CPU that no job uses", "",
                            "in fio a thread there reads the time for the jobs; in fathom the jobs read the CPU's "
                            "clock, which is cheaper"},
                           Type::count, 0, 65535),
};

}  // namespace

std::span<const Row> machine_options() { return kMachineRows; }

}  // namespace fathom::job
