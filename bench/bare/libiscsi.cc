// bare_libiscsi URL DEPTH SECONDS: random 4 KiB reads of a disk by libiscsi's asynchronous calls. A completed command is
// sent again from the loop, so at most DEPTH are in flight.
#include <poll.h>

#include <iscsi/iscsi.h>
#include <iscsi/scsi-lowlevel.h>

#include <vector>

#include "bare.h"

namespace {

struct Flight {
  scsi_iovec data;
  std::vector<Flight*>* done;
};

void finished(iscsi_context*, int status, void* command, void* user) {
  if (status != SCSI_STATUS_GOOD) bare::fail("read");
  scsi_free_scsi_task(static_cast<scsi_task*>(command));
  auto* const flight = static_cast<Flight*>(user);
  flight->done->push_back(flight);
}

void wait(iscsi_context* iscsi) {
  pollfd on{iscsi_get_fd(iscsi), static_cast<short>(iscsi_which_events(iscsi)), 0};
  if (::poll(&on, 1, -1) > 0 && iscsi_service(iscsi, on.revents) < 0) bare::fail(iscsi_get_error(iscsi));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const unsigned depth = static_cast<unsigned>(std::atoi(argv[2]));
  iscsi_context* const iscsi = iscsi_create_context("iqn.2019-04.org.fio:fio");
  iscsi_url* const url = iscsi_parse_full_url(iscsi, argv[1]);
  if (url == nullptr) bare::fail(iscsi_get_error(iscsi));
  iscsi_set_targetname(iscsi, url->target);
  iscsi_set_session_type(iscsi, ISCSI_SESSION_NORMAL);
  if (iscsi_full_connect_sync(iscsi, url->portal, url->lun) != 0) bare::fail(iscsi_get_error(iscsi));
  scsi_task* const asked = iscsi_readcapacity16_sync(iscsi, url->lun);
  const auto* const facts =
      asked == nullptr ? nullptr : static_cast<scsi_readcapacity16*>(scsi_datain_unmarshall(asked));
  if (facts == nullptr) bare::fail(iscsi_get_error(iscsi));
  const std::uint64_t sectors = bare::kBlock / facts->block_length, blocks = (facts->returned_lba + 1) / sectors;
  const int sector_bytes = static_cast<int>(facts->block_length);
  char* const memory = bare::buffers(depth);
  fathom::base::Prng prng(1);
  std::vector<Flight*> done;
  done.reserve(depth);
  std::vector<Flight> flights(depth);
  const auto send = [&](Flight* flight) {
    if (iscsi_read16_iov_task(iscsi, url->lun, prng.below(blocks) * sectors, bare::kBlock, sector_bytes, 0, 0, 0, 0, 0,
                              finished, flight, &flight->data, 1) == nullptr)
      bare::fail(iscsi_get_error(iscsi));
    if ((iscsi_which_events(iscsi) & POLLOUT) != 0 && iscsi_service(iscsi, POLLOUT) < 0)
      bare::fail(iscsi_get_error(iscsi));
  };
  for (unsigned i = 0; i < depth; ++i) {
    flights[i] = {{memory + i * bare::kBlock, bare::kBlock}, &done};
    send(&flights[i]);
  }
  const int status = bare::measure(std::atof(argv[3]), [&](volatile sig_atomic_t& stop) {
    std::uint64_t ios = 0;
    while (!stop) {
      while (done.empty()) wait(iscsi);
      Flight* const flight = done.back();
      done.pop_back();
      send(flight);
      ++ios;
    }
    return ios;
  });
  while (done.size() < depth) wait(iscsi);
  iscsi_logout_sync(iscsi);
  iscsi_destroy_context(iscsi);
  return status;
}
