# Serves files of a container to the agent, one request a line: a call of one of these functions.
# After what a call prints comes a line with the mark, its status and its error, and a line with the mark.
export LC_ALL=C
mark=$1
nl='
'
facts='%f %s %u %g %X %Y %h'
exec 3>&1 4<&0

fail() {
  printf '%s\n' "$1" >&2
  return 1
}
is_link() { [ -h "$1" ]; }
is_there() { [ -e "$1" ] || is_link "$1"; }
is_folder() { [ -d "$1" ] && ! is_link "$1"; }

facts_of() { stat -c "$facts" -- "$1"; }
facts_behind() { stat -L -c "$facts" -- "$1"; }

list() {
  cd -- "$1" || return
  [ -r . ] || fail 'Permission denied' || return
  set --
  for name in * .[!.]* ..?*; do
    is_there "$name" || continue
    set -- "$@" "./$name"
    [ $# -lt 200 ] || { stat -c "$mark $facts %n" -- "$@"; set --; }
  done
  [ $# -eq 0 ] || stat -c "$mark $facts %n" -- "$@"
}

# PATH, letters of: read, write, create, truncate, new alone; MODE of a new file, or -
open_file() {
  if [ -e "$1" ]; then
    case $2 in *n*) fail 'File exists' || return ;; esac
    [ ! -d "$1" ] || fail 'Is a directory' || return
    [ -f "$1" ] || fail 'Not a regular file' || return
    case $2 in *r*) [ -r "$1" ] || fail 'Permission denied' || return ;; esac
    case $2 in *w*) [ -w "$1" ] || fail 'Permission denied' || return ;; esac
    case $2 in *t*) : > "$1" || return ;; esac
  else
    case $2 in *c*) ;; *) fail 'No such file or directory' || return ;; esac
    : >> "$1" || return
    [ "$3" = - ] || chmod "$3" -- "$1"
  fi
}

# PATH OFFSET BYTES
if printf ab | dd bs=1 count=1 skip=1 iflag=skip_bytes,fullblock oflag=seek_bytes >/dev/null 2>&1; then
  get() { dd "if=$1" "bs=$3" count=1 "skip=$2" iflag=skip_bytes,fullblock; }
  take() { dd "bs=$1" count=1 iflag=fullblock <&4; }
  put() { take "$3" | dd "of=$1" bs=65536 "seek=$2" oflag=seek_bytes conv=notrunc; }
else
  get() { dd "if=$1" bs=1 "count=$3" "skip=$2"; }
  take() { dd bs=1 "count=$1" <&4; }
  put() { take "$3" | dd "of=$1" bs=1 "seek=$2" conv=notrunc; }
fi
# PATH BYTES
append() { take "$2" | cat >> "$1"; }
truncate_to() { dd if=/dev/null "of=$1" bs=1 "seek=$2" count=0; }

touched() {
  { touch -c -m -d "@$3" -- "$1" && touch -c -a -d "@$2" -- "$1"; } 2>/dev/null || touch -c -d "@$3" -- "$1"
}
remove() {
  ! is_folder "$1" || fail 'Is a directory' || return
  rm -- "$1"
}
rename() {
  ! is_there "$2" || fail 'File exists' || return
  mv -- "$1" "$2"
}
replace() {
  if is_folder "$2"; then
    is_folder "$1" || fail 'Is a directory' || return
    rmdir -- "$2" || return
  elif [ -d "$2" ]; then
    rm -- "$2" || return
  fi
  mv -f -- "$1" "$2"
}
resolve() {
  readlink -f -- "$1" 2>/dev/null || case $1 in
  /*) printf '%s\n' "$1" ;;
  *) printf '%s/%s\n' "$(pwd)" "$1" ;;
  esac
}
room() { stat -f -c '%s %b %f %a %c %d %l' -- "$1"; }

for tool in dd stat cat rm mv mkdir rmdir chmod; do
  command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
done
printf '\n%s 0 %s\n%s\n' "$mark" "$missing" "$mark"
while IFS= read -r request; do
  error=$({ eval "$request" </dev/null; } 2>&1 >&3)
  status=$?
  printf '\n%s %s %s\n%s\n' "$mark" "$status" "$error" "$mark"
done
