// For LD_PRELOAD: /dev/null answers as the character device of an NVMe namespace of 4 TiB in blocks of 4096 bytes does when it is asked what it
// is. Newer kernels' /dev/null takes io_uring commands and does nothing, so that io_uring_cmd's whole loop runs without a device.
#include <linux/ioctl.h>
#include <linux/nvme_ioctl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int ioctl(int fd, unsigned long request, void* argument) {
  if (request == NVME_IOCTL_ID) return 1;
  if (request != NVME_IOCTL_ADMIN_CMD) return (int)syscall(SYS_ioctl, fd, request, argument);
  const struct nvme_admin_cmd* command = argument;
  unsigned char* data = (unsigned char*)command->addr;
  memset(data, 0, command->data_len);
  if (command->cdw10 == 0) {  // CNS 0: the namespace; else the controller
    data[3] = 0x40;           // NSZE, 2^30
    data[130] = 12;           // LBAF0.LBADS
  }
  return 0;
}
