"""The driver on a controller model that nobody here wrote: QEMU's NVMe behind its Intel IOMMU. What the driver wrote is read by the kernel's own driver in the
guest and, after the guest has ended, in the images. The controllers change drivers, and huge pages are taken: these tests are the last of their boot."""
import machine

PROGRAMS = {"guest_driver": machine.BUILD / "guest_driver"}
MODULES = ["vfio_iommu_type1", "vfio_pci"]
