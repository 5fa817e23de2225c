#!/bin/sh
# A container's control groups are read-only unless it is privileged, which takes rights that this machine may lack.
for each in /sys/fs/cgroup /sys/fs/cgroup/*; do
  mount -o remount,bind,rw "$each" 2>/dev/null
done
number=0
while [ $number -lt 64 ]; do
  mknod -m 660 /dev/loop$number b 7 $number
  chgrp disk /dev/loop$number
  number=$((number + 1))
done
# The engine keeps mounts apart. On a machine those for a unit, such as that of its credentials, reach it.
mount --make-rshared /
exec /lib/systemd/systemd
