# An editor's server: listens at a free port of 127.0.0.1, writes it to the file $ARGV[0], and serves each connection in a
# process of its own: WebSockets say what they hear, all else hears where it has come to.
use strict;
use warnings;
use Socket;

my $GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
$SIG{CHLD} = "IGNORE";
socket(my $listener, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
bind($listener, sockaddr_in(0, INADDR_LOOPBACK)) && listen($listener, 64) or die "listen: $!";
my ($port) = sockaddr_in(getsockname $listener);
open(my $told, ">", "$ARGV[0].new") or die "$ARGV[0]: $!";
print($told "$port\n") && close($told) && rename("$ARGV[0].new", $ARGV[0]) or die "$ARGV[0]: $!";
while (accept(my $client, $listener)) {
  my $child = fork // die "fork: $!";
  if (!$child) { serve($client); exit }
}

sub serve {
  my ($client) = @_;
  my $head = "";
  while ($head !~ /\r\n\r\n/) { sysread($client, $head, 4096, length $head) or return }
  if ($head =~ /^Sec-WebSocket-Key: *([\w+\/=]+)\r$/mi) {
    say_all($client, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        . "Sec-WebSocket-Accept: " . accept_of($1) . "\r\n\r\n");
    echo($client);
  } else {
    my $body = "the editor's server $$\n";
    say_all($client, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " . length($body) . "\r\n\r\n$body");
  }
}

sub accept_of {
  my ($key) = @_;
  my ($digest) = qx{printf %s '$key$GUID' | sha1sum} =~ /^([0-9a-f]{40})/ or die "no sha1sum";
  my $encoded = substr(pack("u", pack("H*", $digest) . "\0"), 1, 27);
  $encoded =~ tr{` -_}{AA-Za-z0-9+/};
  return "$encoded=";
}

sub echo {
  my ($client) = @_;
  while (defined(my $head = heard($client, 2))) {
    my ($kind, $length) = unpack("CC", $head);
    $length &= 0x7f;
    $length = unpack("n", heard($client, 2)) if $length == 126;
    $length = unpack("Q>", heard($client, 8)) if $length == 127;
    my $mask = heard($client, 4);
    my $data = heard($client, $length);
    $data ^= substr($mask x ($length / 4 + 1), 0, $length);
    my $size = $length < 126 ? pack("C", $length) : $length < 65536 ? pack("Cn", 126, $length) : pack("CQ>", 127, $length);
    say_all($client, chr($kind) . $size . $data);
    return if ($kind & 0xf) == 8;
  }
}

sub heard {
  my ($client, $length) = @_;
  my $data = "";
  while (length($data) < $length) { sysread($client, $data, $length - length $data, length $data) or return undef }
  return $data;
}

sub say_all {
  my ($client, $data) = @_;
  while (length $data) { substr($data, 0, syswrite($client, $data) // return) = "" }
}
