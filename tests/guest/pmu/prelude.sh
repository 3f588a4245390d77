# What the steps of pmu share inside the guest, after PRELUDE of machine.py. Every piece of output begins with "--- NAME".
P=/sys/module/fathom_test_pmu/parameters
RX=Rx_PCIe_TLP_Data_Payload
TX=Tx_PCIe_TLP_Data_Payload

for i in $(seq 100); do [ -b $SATA ] && break; sleep 0.1; done

# pmu [start=N]: the counters anew.
pmu() {
  rmmod fathom_test_pmu 2>/dev/null
  insmod /lib/fathom_test_pmu.ko port=200,300 disk=$NVME,$SATA "$@"
}

# job NAME OPTION...: fathom run with a JSON report.
job() {
  say "$1"
  name=$1
  shift
  fathom run --name="$name" --ioengine=libaio --iodepth=4 --bs=64k --eta=never --output-format=json \
    --allow-destructive=$NVME --allow-destructive=$SATA "$@"
}

# inject DEVICE: the kernel's own injector reports a bad TLP at root port 00:DEVICE.0. Source: aer_inject.c, struct aer_error_inj.
inject() {
  printf "\\000\\00$1\\000\\000\\000\\000\\000\\000\\100\\000\\000\\000" >/tmp/aer
  printf '\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' >>/tmp/aer
  dd if=/tmp/aer of=/dev/aer_inject bs=32 2>/dev/null
}
