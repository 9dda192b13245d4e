# Sourced: how the script checks, waits and counts. The counts are in the file $checks, since two processes check.

step() { printf '\n== %s\n' "$*"; }

# check TEXT COMMAND...: runs the command, and counts whether it succeeded; what it printed is shown if it failed.
# Not to be called where the shell ignores failures (if, &&, ||): the command would not end at its first one either.
check() {
  local text=$1 output status
  shift
  set +e
  output=$(
    set -e
    "$@" 2>&1
  )
  status=$?
  set -e
  if ((status == 0)); then
    echo "ok      $text"
    echo ok >>"$checks"
  else
    echo "FAILED  $text"
    sed 's/^/        /' <<<"$output"
    echo failed >>"$checks"
    # How the cluster is then, if there is one.
    ! declare -F diagnose >/dev/null || diagnose >>"$logs/diagnosis.log" 2>&1 || true
  fi
}

# need TEXT COMMAND...: as check, for what the following steps need; ends the shell if it failed.
need() {
  check "$@"
  [[ $(tail -n 1 "$checks") == ok ]] || exit 1
}

# await SECONDS COMMAND...: waits until the command succeeds; prints what it printed last if that takes longer.
await() {
  local end=$((SECONDS + $1)) output
  shift
  until output=$("$@" 2>&1); do
    if ((SECONDS >= end)); then
      printf 'not in time: %s\n%s\n' "$*" "$output"
      return 1
    fi
    sleep 0.5
  done
}

# equal EXPECTED ACTUAL: whether both texts are the same.
equal() {
  [[ $1 == "$2" ]] || {
    printf 'expected: %s\nbut was:  %s\n' "$1" "$2"
    return 1
  }
}

# refuses TEXT COMMAND...: whether the command fails, and says the text.
refuses() {
  local text=$1 output
  shift
  if output=$("$@" 2>&1); then
    printf 'it was accepted: %s\n%s\n' "$*" "$output"
    return 1
  fi
  grep -F -- "$text" <<<"$output" || {
    printf 'another answer: %s\n' "$output"
    return 1
  }
}

# logged NAME COMMAND...: keeps what the command prints in a file; prints its end if it fails.
logged() {
  local log=$logs/$1.log
  shift
  "$@" >"$log" 2>&1 || {
    tail -n 30 "$log"
    return 1
  }
}
