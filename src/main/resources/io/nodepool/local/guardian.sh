# Keeps one program of the local control plane from outliving the process that started it.
#
#   sh guardian.sh <folder> <log> <program> [<argument>...]
#
# Standard input is a pipe that the parent holds open. Its end means that the parent is gone, however it died: the
# program is killed and the folder removed. A line on it means "stop": the program is killed, the folder stays.
# The first line on standard output is the program's process id; the exit code is the program's.

folder=$1
log=$2
shift 2

# An interrupt at the terminal goes to every process there; only the parent may decide what follows from it.
trap '' INT QUIT HUP
if command -v setsid >/dev/null 2>&1; then
  set -- setsid "$@"
elif command -v perl >/dev/null 2>&1; then
  set -- perl -e 'setpgrp(0, 0); exec { $ARGV[0] } @ARGV' -- "$@"
fi

exec 3<&0
"$@" </dev/null >>"$log" 2>&1 3<&- &
program=$!
echo "$program"
# From here on this shell has nothing to say: how its jobs end is not part of the program's log.
exec >/dev/null 2>&1

(
  # A signal to the whole process group must not end the only one that notices the parent's end.
  trap '' TERM
  if read -r word; then parent=there; else parent=gone; fi
  trap '' USR1
  kill -KILL "$program"
  test "$parent" = there
) <&3 &
watcher=$!

# A signal to this shell breaks off the wait, not the program.
trap ':' TERM
wait "$program"
code=$?
while kill -0 "$program"; do
  wait "$program"
  code=$?
done

# Ends the watcher only while it still waits.
kill -USR1 "$watcher"
wait "$watcher"
if [ $? -eq 1 ]; then
  rm -rf "$folder"
fi
exit "$code"
