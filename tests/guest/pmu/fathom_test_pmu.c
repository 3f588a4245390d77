// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
// A test double for the PMU of a PCIe root port, so that a real perf core has a real counter to share out: one PMU
// pcie_bdf_<port> for each port named, with one 64-bit counter of payload and one counter of link errors, as the
// hardware of Documentation/admin-guide/perf/dwc_pcie_pmu.rst has. There is no such hardware in an emulated machine, so
// the payload counter is fed from what the block layer has completed on the disk behind the port: a request's bytes are
// there when it completes, in 16-byte units, exactly.
//
//   insmod fathom_test_pmu.ko port=200,300 disk=/dev/nvme0n1,/dev/sda start=0xfffffff0
//
// What is planted in mid-run lies in /sys/module/fathom_test_pmu/parameters: units_per_sector (32 is the truth; 512 and
// 2 are wrong by 16 times), link_errors, gone (nothing can be added any more, as after an unplugging).
// The module cannot be taken out while an event is open: the perf core of 6.1 does not survive that.
#include <linux/bitfield.h>
#include <linux/blkdev.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/part_stat.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#define PORTS_MAX 4
#define EVENT_ID GENMASK(15, 0)
#define EVENT_TYPE GENMASK(19, 16)
enum { TYPE_PAYLOAD = 0, TYPE_LINK = 1, TYPES };
enum { ID_TX_PAYLOAD = 0x20, ID_RX_PAYLOAD = 0x21, ID_LCRC = 0x201 };

static char *port[PORTS_MAX];
static char *disk[PORTS_MAX];
static int ports, disks;
module_param_array(port, charp, &ports, 0444);
MODULE_PARM_DESC(port, "bus, device and function of the root ports in hex: 200 is 00:02.0");
module_param_array(disk, charp, &disks, 0444);
MODULE_PARM_DESC(disk, "path of the disk behind each port");

static unsigned long long start;
module_param(start, ullong, 0644);
MODULE_PARM_DESC(start, "what the payload counters hold before the first byte");
static unsigned long long units_per_sector = 32;
module_param(units_per_sector, ullong, 0644);
MODULE_PARM_DESC(units_per_sector, "increments for 512 bytes; 32: units of 16 bytes");
static unsigned long long link_errors;
module_param(link_errors, ullong, 0644);
MODULE_PARM_DESC(link_errors, "LCRC errors the first port has seen so far");

struct root_port {
  struct pmu pmu;
  char name[24];
  struct block_device *bdev;
  bool first;
  struct perf_event *holder[TYPES];
};
static struct root_port *root_ports[PORTS_MAX];

// Every open event but the followers of a group's leader, for `gone`.
struct open_event {
  struct list_head link;
  struct perf_event *event;
};
static LIST_HEAD(open_events);
static DEFINE_MUTEX(open_events_lock);
static bool gone;

static struct root_port *port_of(struct perf_event *event)
{
  return container_of(event->pmu, struct root_port, pmu);
}

static unsigned int type_of(const struct perf_event *event)
{
  return FIELD_GET(EVENT_TYPE, event->attr.config);
}

static u64 counter(struct perf_event *event)
{
  struct root_port *p = port_of(event);
  u64 id = FIELD_GET(EVENT_ID, event->attr.config);

  if (type_of(event) == TYPE_LINK)
    return p->first && id == ID_LCRC ? READ_ONCE(link_errors) : 0;
  if (id == ID_RX_PAYLOAD)
    return start + part_stat_read(p->bdev, sectors[STAT_READ]) * units_per_sector;
  return start + part_stat_read(p->bdev, sectors[STAT_WRITE]) * units_per_sector;
}

static void event_update(struct perf_event *event)
{
  u64 now = counter(event);

  local64_add(now - (u64)local64_read(&event->hw.prev_count), &event->count);
  local64_set(&event->hw.prev_count, now);
}

static void event_start(struct perf_event *event, int flags)
{
  local64_set(&event->hw.prev_count, counter(event));
  event->hw.state = 0;
}

static void event_stop(struct perf_event *event, int flags)
{
  if (event->hw.state & PERF_HES_STOPPED)
    return;
  event_update(event);
  event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int event_add(struct perf_event *event, int flags)
{
  struct perf_event **holder = &port_of(event)->holder[type_of(event)];

  if (READ_ONCE(gone))
    return -ENODEV;
  if (*holder)
    return -ENOSPC;
  *holder = event;
  event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
  if (flags & PERF_EF_START)
    event_start(event, PERF_EF_RELOAD);
  perf_event_update_userpage(event);
  return 0;
}

static void event_del(struct perf_event *event, int flags)
{
  event_stop(event, PERF_EF_UPDATE);
  port_of(event)->holder[type_of(event)] = NULL;
  perf_event_update_userpage(event);
}

static void event_destroy(struct perf_event *event)
{
  struct open_event *open, *next;

  mutex_lock(&open_events_lock);
  list_for_each_entry_safe(open, next, &open_events, link) {
    if (open->event != event)
      continue;
    list_del(&open->link);
    kfree(open);
  }
  mutex_unlock(&open_events_lock);
}

static bool known(const struct perf_event *event)
{
  u64 id = FIELD_GET(EVENT_ID, event->attr.config);

  return type_of(event) == TYPE_LINK || (type_of(event) == TYPE_PAYLOAD && (id == ID_RX_PAYLOAD || id == ID_TX_PAYLOAD));
}

// As the mainline driver: no sampling, no task, and no second hardware event in a group.
static bool wanted(struct perf_event *event)
{
  struct perf_event *sibling;

  if (is_sampling_event(event) || (event->attach_state & PERF_ATTACH_TASK) || event->cpu < 0)
    return false;
  if (event->group_leader != event && !is_software_event(event->group_leader))
    return false;
  for_each_sibling_event(sibling, event->group_leader)
    if (sibling != event && !is_software_event(sibling))
      return false;
  return known(event);
}

static int event_init(struct perf_event *event)
{
  struct open_event *open;

  if (event->attr.type != event->pmu->type)
    return -ENOENT;
  if (!wanted(event))
    return -EINVAL;
  event->cpu = cpumask_first(cpu_online_mask);
  if (event->group_leader != event)  // the leader's lock is held, which `gone` takes after its own
    return 0;
  open = kmalloc(sizeof(*open), GFP_KERNEL);
  if (!open)
    return -ENOMEM;
  open->event = event;
  mutex_lock(&open_events_lock);
  list_add(&open->link, &open_events);
  mutex_unlock(&open_events_lock);
  event->destroy = event_destroy;
  return 0;
}

// Scheduling every event out and in again lets the perf core find out for itself: pinned events go into the error
// state, whose read ends at once; others never run again.
static int set_gone(const char *text, const struct kernel_param *kp)
{
  struct open_event *open;
  int error = param_set_bool(text, kp);

  if (error)
    return error;
  mutex_lock(&open_events_lock);
  list_for_each_entry(open, &open_events, link) {
    if (open->event->state < PERF_EVENT_STATE_INACTIVE)
      continue;
    perf_event_disable(open->event);
    perf_event_enable(open->event);
  }
  mutex_unlock(&open_events_lock);
  return 0;
}
static const struct kernel_param_ops gone_ops = {.set = set_gone, .get = param_get_bool};
module_param_cb(gone, &gone_ops, &gone, 0644);
MODULE_PARM_DESC(gone, "the counters have vanished");

PMU_FORMAT_ATTR(eventid, "config:0-15");
PMU_FORMAT_ATTR(type, "config:16-19");
PMU_FORMAT_ATTR(lane, "config:20-27");
static struct attribute *format_attrs[] = {&format_attr_eventid.attr, &format_attr_type.attr, &format_attr_lane.attr, NULL};
static const struct attribute_group format_group = {.name = "format", .attrs = format_attrs};

PMU_EVENT_ATTR_STRING(Rx_PCIe_TLP_Data_Payload, event_rx, "eventid=0x21,type=0x0");
PMU_EVENT_ATTR_STRING(Tx_PCIe_TLP_Data_Payload, event_tx, "eventid=0x20,type=0x0");
PMU_EVENT_ATTR_STRING(LCRC_Error, event_lcrc, "eventid=0x201,type=0x1");
static struct attribute *event_attrs[] = {&event_rx.attr.attr, &event_tx.attr.attr, &event_lcrc.attr.attr, NULL};
static const struct attribute_group event_group = {.name = "events", .attrs = event_attrs};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *text)
{
  return cpumap_print_to_pagebuf(true, text, cpumask_of(cpumask_first(cpu_online_mask)));
}
static DEVICE_ATTR_RO(cpumask);
static struct attribute *cpumask_attrs[] = {&dev_attr_cpumask.attr, NULL};
static const struct attribute_group cpumask_group = {.attrs = cpumask_attrs};

static const struct attribute_group *attr_groups[] = {&format_group, &event_group, &cpumask_group, NULL};

static void remove_port(struct root_port *p, bool registered)
{
  if (registered)
    perf_pmu_unregister(&p->pmu);
  if (!IS_ERR_OR_NULL(p->bdev))
    blkdev_put(p->bdev, FMODE_READ);
  kfree(p);
}

static struct root_port *add_port(int index)
{
  struct root_port *p = kzalloc(sizeof(*p), GFP_KERNEL);
  int error;

  if (!p)
    return ERR_PTR(-ENOMEM);
  p->first = index == 0;
  p->bdev = blkdev_get_by_path(disk[index], FMODE_READ, NULL);
  if (IS_ERR(p->bdev)) {
    error = PTR_ERR(p->bdev);
    remove_port(p, false);
    return ERR_PTR(error);
  }
  snprintf(p->name, sizeof(p->name), "pcie_bdf_%s", port[index]);
  p->pmu = (struct pmu){
    .module = THIS_MODULE,
    .task_ctx_nr = perf_invalid_context,
    .capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
    .attr_groups = attr_groups,
    .event_init = event_init,
    .add = event_add,
    .del = event_del,
    .start = event_start,
    .stop = event_stop,
    .read = event_update,
  };
  error = perf_pmu_register(&p->pmu, p->name, -1);
  if (error) {
    remove_port(p, false);
    return ERR_PTR(error);
  }
  return p;
}

static void __exit fathom_test_pmu_exit(void)
{
  int i;

  for (i = 0; i < ports; i++)
    if (root_ports[i])
      remove_port(root_ports[i], true);
}

static int __init fathom_test_pmu_init(void)
{
  int i;

  if (ports == 0 || ports != disks)
    return -EINVAL;
  for (i = 0; i < ports; i++) {
    struct root_port *p = add_port(i);

    if (IS_ERR(p)) {
      while (i-- > 0)
        remove_port(root_ports[i], true);
      return PTR_ERR(p);
    }
    root_ports[i] = p;
  }
  return 0;
}

module_init(fathom_test_pmu_init);
module_exit(fathom_test_pmu_exit);
MODULE_LICENSE("GPL v2");
MODULE_DESCRIPTION("fathom: PMUs of root ports, fed by the block layer");
