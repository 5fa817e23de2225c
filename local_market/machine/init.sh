# The first process of a sandbox: ROOT FILES WORKSPACE NAME. It shows programs of this computer read-only, files of the
# simulated hardware, and a workspace. Ends, and all with it, once standard input is closed.
set -eu
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin # pivot_root and ip, which Debian keeps from those who are not root
root=$1 files=$2 workspace=$3 name=$4
read -r outer rest < /proc/self/stat
mount --make-rprivate /
mount -t tmpfs -o mode=755,size=16m tmpfs "$root"
cd "$root"
mkdir -p dev/shm dev/pts etc/ssl old opt/gpu-market proc tmp usr var/tmp workspace

read_only() {
  mount --bind "$1" "$2"
  mount -o "remount,bind,ro,nosuid,nodev" "$2"
}
read_only /usr usr
for folder in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$folder" ]; then
    cp -P "/$folder" "$folder"
  elif [ -d "/$folder" ]; then
    mkdir "$folder"
    read_only "/$folder" "$folder"
  fi
done
for folder in /etc/alternatives /etc/ssl/certs; do
  [ ! -d "$folder" ] || { mkdir -p ".$folder" && read_only "$folder" ".$folder"; }
done
[ ! -e /etc/ld.so.cache ] || cp /etc/ld.so.cache etc
for file in passwd group hosts profile; do cp "$files/$file" etc; done
read_only "$files" opt/gpu-market
mount --bind "$workspace" workspace
mount -o remount,bind,nosuid,nodev workspace
mount -t tmpfs -o mode=1777,size=256m,nosuid,nodev tmpfs tmp
mount -t tmpfs -o mode=1777,size=256m,nosuid,nodev tmpfs dev/shm
for device in null zero full random urandom tty; do
  : > "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t proc -o nosuid,nodev,noexec proc proc
mount --bind "$files/meminfo" proc/meminfo
# Where `up` runs as root, so does this: its rights over the kernel's settings do not come from capabilities.
for part in sys sysrq-trigger irq bus fs; do
  [ ! -e "proc/$part" ] || { mount --bind "proc/$part" "proc/$part" && mount -o remount,bind,ro,nosuid,nodev,noexec "proc/$part"; }
done
for part in kcore kmsg keys timer_list acpi; do
  [ ! -f "proc/$part" ] || mount --bind /dev/null "proc/$part"
done
pivot_root . old
cd /
umount -l old
rmdir old
hostname "$name"
ip link set lo up 2> /dev/null || ifconfig lo up 2> /dev/null || :
echo "ready $outer"
exec 3<&0 </dev/null >/dev/null 2>&1
trap 'exit 0' TERM
{
  cat <&3
  kill -TERM 1
} &
while :; do wait; done
