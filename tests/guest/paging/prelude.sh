# What the steps of paging share inside the guest, after PRELUDE of machine.py. Every piece of output begins with "--- NAME".

# state NAME: everything that a run may change.
state() {
  say "$1"
  tail -n +2 /proc/swaps | sed 's/[[:space:]][[:space:]]*/ /g' | cut -d' ' -f1,3
  find /sys/fs/cgroup -type d
  for file in /sys/fs/cgroup/cgroup.subtree_control /proc/sys/vm/swappiness /proc/sys/vm/page-cluster \
    /proc/sys/kernel/numa_balancing /sys/kernel/mm/numa/demotion_enabled /sys/kernel/mm/lru_gen/enabled \
    /sys/kernel/mm/transparent_hugepage/enabled /sys/module/zswap/parameters/enabled; do
    [ -e $file ] && echo "$file $(cat $file)"
  done
  ls -d /sys/block/zram*
  find /run/fathom -type f -size +0 2>/dev/null
}

# paging NAME OPTION...: fathom paging with a JSON report, and the machine's state before and after it. The clock's validation is left out:
# an emulated CPU takes seconds for it.
paging() {
  name=$1
  shift
  state "$name.before"
  say "$name"
  fathom paging --output-format=json --eta=never --stamps=clock_gettime "$@" 2>/tmp/said
  result=$?
  say "$name.said"
  cat /tmp/said
  say "$name.status"
  echo $result
  state "$name.after"
}
