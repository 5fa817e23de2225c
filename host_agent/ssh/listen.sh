# Listens at port $1 of the container itself (0: any). Says "+ PORT" on standard error once it does, then a line for each
# connection: its folder and two processes. What is written to the pipe "in" there goes to who has connected, who is heard
# by "out".
port=$1
each='
  umask 077
  folder=$(mktemp -d /tmp/.forwarded-XXXXXX) && mkfifo "$folder/in" "$folder/out" || exit
  exec 4<&0
  cat <&4 >"$folder/out" &
  from=$!
  { cat "$folder/in"; kill "$from"; } 2>/dev/null &
  to=$!
  echo "$folder $to $from" >&2
  wait
  rm -rf "$folder"'
if command -v perl >/dev/null 2>&1; then
  exec perl -MSocket -e '
    $SIG{CHLD} = "IGNORE";
    socket(S, PF_INET, SOCK_STREAM, 0) && setsockopt(S, SOL_SOCKET, SO_REUSEADDR, 1) or exit 1;
    bind(S, sockaddr_in($ARGV[0], INADDR_LOOPBACK)) && listen(S, 64) or exit 1;
    my ($port) = sockaddr_in(getsockname S);
    syswrite STDERR, "+ $port\n";
    while (accept C, S) {
      if (!fork) { open STDIN, "<&C"; open STDOUT, ">&C"; close S; exec "/bin/sh", "-c", $ARGV[1] }
      close C;
    }' "$port" "$each"
elif command -v python3 >/dev/null 2>&1; then
  exec python3 -c '
import os, socket, subprocess, sys
here = socket.socket()
here.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
try:
    here.bind(("127.0.0.1", int(sys.argv[1])))
except OSError:
    sys.exit(1)
here.listen(64)
os.write(2, b"+ %d\n" % here.getsockname()[1])
running = []
while True:
    there, _ = here.accept()
    running = [each for each in running if each.poll() is None]
    running.append(subprocess.Popen(["/bin/sh", "-c", sys.argv[2]], stdin=there, stdout=there))
    there.close()' "$port" "$each"
else
  exit 127
fi
