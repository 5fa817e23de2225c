# Ends a connection that listen.sh has named by its folder, $1, and its processes, $2 and $3.
kill "$2" "$3" 2>/dev/null
rm -rf "$1"
