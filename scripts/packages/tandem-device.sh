#!/bin/sh
# Starts the program with this system's C library, or where that is too old with the one in own/. It asks for nothing
# but a shell, and for readlink and dirname where it is called by a link to it.
case $0 in
  */*) here=${0%/*} ;;
  *) here=. ;;
esac
[ -e "$here/tandem-device.program" ] || here=$(dirname "$(readlink -f "$0")")
if "$here/tandem-device.program" --version >/dev/null 2>&1; then
  exec "$here/tandem-device.program" "$@"
fi
exec "$here/../own/LOADER" --library-path "$here/../own:$here/../lib" "$here/tandem-device.program" "$@"
