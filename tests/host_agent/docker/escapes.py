"""Attempts of a tenant to get out of its container, by a shell and busybox."""

from __future__ import annotations

from typing import Final

DEVICES: Final = (
    "/bin/busybox mknod /disk b 8 0",
    "/bin/busybox mount -t tmpfs none /home",
    "/bin/busybox mount --bind /proc/1/root /home",
    "for each in /dev/*; do test -b $each && exit 0; done; false",
    "/bin/busybox insmod /none",
)
KERNEL: Final = (
    "echo 1 > /proc/sys/kernel/panic",
    "test -w /proc/sysrq-trigger",
    "echo /tmp/run > /proc/sys/kernel/core_pattern",
    'test -n "$(head -c 1 /proc/kcore)"',
    "echo test > /sys/kernel/uevent_helper",
    "echo 1 > /sys/fs/cgroup/memory/memory.limit_in_bytes",
    "echo 100 > /sys/fs/cgroup/pids/pids.max",
    "test -f /sys/fs/cgroup/cgroup.procs && echo 100 > /sys/fs/cgroup/pids.max",
)


def tried(attacks: tuple[str, ...]) -> str:
    """A script that says which attacks worked."""
    quoted = " ".join("'" + each.replace("'", "'\\''") + "'" for each in attacks)
    tries = f'for each in {quoted}; do (eval "$each") > /dev/null 2>&1 && echo "worked: $each"; done'
    return f"mkdir -p /home; {tries}; echo tried"
