# Connects its input and output with port $1 of the container itself. Says + on standard error once it is connected.
port=$1
if command -v perl >/dev/null 2>&1; then
  exec perl -MSocket -e '
    socket(S, PF_INET, SOCK_STREAM, 0) && connect(S, sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or exit 1;
    syswrite STDERR, "+\n";
    sub copy { my ($from, $to) = @_;
      while (sysread $from, my $data, 65536) {
        while (length $data) { my $n = syswrite $to, $data or return; substr($data, 0, $n) = "" } } }
    $SIG{PIPE} = "IGNORE";
    if (!(my $child = fork)) { copy(*STDIN, *S); shutdown S, 1; exit }
    else { copy(*S, *STDOUT); kill 9, $child }' "$port"
elif command -v python3 >/dev/null 2>&1; then
  exec python3 -c '
import os, socket, sys, threading
try:
    there = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
except OSError:
    sys.exit(1)
os.write(2, b"+\n")
def give():
    try:
        while data := os.read(0, 65536):
            there.sendall(data)
        there.shutdown(socket.SHUT_WR)
    except OSError:
        pass
threading.Thread(target=give, daemon=True).start()
try:
    while data := there.recv(65536):
        while data:
            data = data[os.write(1, data):]
except OSError:
    pass
os._exit(0)' "$port"
elif command -v socat >/dev/null 2>&1; then
  echo + >&2
  exec socat - "TCP4:127.0.0.1:$port" 2>/dev/null
elif command -v nc >/dev/null 2>&1; then
  echo + >&2
  exec nc 127.0.0.1 "$port" 2>/dev/null
elif command -v bash >/dev/null 2>&1; then
  exec bash -c '
    exec 3<>"/dev/tcp/127.0.0.1/$0" || exit 1
    echo + >&2
    exec 4<&0
    cat <&4 >&3 &
    cat <&3
    kill $!' "$port"
else
  exit 127
fi
