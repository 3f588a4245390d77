// The log's counters have 128 bits; a double is exact for any realistic count.
#include "host/disk/smart_witness.h"

#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "base/system/fd.h"

namespace fathom::host::disk {
namespace {

using Clock = std::chrono::steady_clock;

struct Field {
  const char* name;
  const char* direction;
  std::size_t offset;
  double unit_bytes;  // 0: counts commands
};
constexpr Field kFields[] = {{"data_units_read", "read", 32, kDataUnitBytes},
                             {"data_units_written", "write", 48, kDataUnitBytes},
                             {"host_reads", "read", 64, 0},
                             {"host_writes", "write", 80, 0}};

double number_at(const HealthLog& log, std::size_t offset) {
  double value = 0;
  for (std::size_t i = 16; i-- > 0;) value = value * 256 + std::to_integer<int>(log[offset + i]);
  return value;
}

class SmartWitness : public result::Witness {
 public:
  SmartWitness(std::string source, std::string subject, HealthLogReader read)
      : source_(std::move(source)), subject_(std::move(subject)), read_(std::move(read)) {}

  std::string name() const override { return "health log of " + subject_; }

  base::Expected<void> begin() override {
    auto log = read_();
    if (!log) return log.error();
    first_ = last_ = *log;
    began_ = Clock::now();
    return {};
  }

  result::WitnessReport end() override {
    const double window_s = std::chrono::duration<double>(Clock::now() - began_).count();
    std::optional<double> lost_at_s;
    if (auto log = read_())
      last_ = *log;
    else
      lost_at_s = window_s;
    result::WitnessReport report;
    for (const auto& field : kFields) {
      result::Count c;
      c.source = source_;
      c.subject = subject_;
      c.name = field.name;
      c.direction = field.direction;
      c.raw = number_at(last_, field.offset) - number_at(first_, field.offset);
      c.unit = field.unit_bytes > 0 ? "bytes" : "count";
      c.unit_bytes = field.unit_bytes;
      c.value = c.low = c.high = c.raw * (field.unit_bytes > 0 ? field.unit_bytes : 1);
      c.rule = field.unit_bytes > 0 ? "data units x 512000 bytes" : "";
      c.window_s = window_s;
      c.lost_at_s = lost_at_s;
      report.counts.push_back(std::move(c));
    }
    return report;
  }

 private:
  std::string source_, subject_;
  HealthLogReader read_;
  HealthLog first_{}, last_{};
  Clock::time_point began_{};
};

}  // namespace

std::unique_ptr<result::Witness> make_smart_witness(std::string source, std::string subject, HealthLogReader read) {
  return std::make_unique<SmartWitness>(std::move(source), std::move(subject), std::move(read));
}

std::string nvme_controller_of(const std::string& disk, const std::string& prefix) {
  std::error_code error;
  const auto path = std::filesystem::canonical(prefix + "/sys/class/block/" + disk + "/device", error);
  const auto name = error ? std::string() : path.filename().string();
  return disk.starts_with("nvme") && name.starts_with("nvme") && name.find("subsys") == std::string::npos ? name : "";
}

base::Expected<HealthLog> read_health_log(const std::string& controller) {
  const auto path = "/dev/" + controller;
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return base::system_error(path, errno);
  constexpr std::uint32_t kGetLogPage = 0x02, kHealth = 0x02, kAllNamespaces = 0xffffffff;
  HealthLog log{};
  nvme_admin_cmd command{};
  command.opcode = kGetLogPage;
  command.nsid = kAllNamespaces;
  command.addr = reinterpret_cast<std::uintptr_t>(log.data());
  command.data_len = static_cast<std::uint32_t>(log.size());
  command.cdw10 = kHealth | static_cast<std::uint32_t>(log.size() / 4 - 1) << 16;
  const int status = ::ioctl(fd.get(), NVME_IOCTL_ADMIN_CMD, &command);
  if (status < 0) return base::system_error(path, errno);
  if (status != 0)
    return base::Error{base::ErrorKind::io, path + " has no health log", "status " + std::to_string(status), {}, {}, 0};
  return log;
}

}  // namespace fathom::host::disk
