#!/usr/bin/env bash
# Lists where each numbered rule of docs stands, by its anchor such as <a id="d85"></a>. Fails if a rule that is cited
# ("decision D85", "decisions 142 to 144") stands nowhere, or if one stands twice.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

stands=$(grep -nroE '<a id="d[0-9]+">' docs --include='*.md' \
  | sed -E 's/^([^:]+:[0-9]+):<a id="d([0-9]+)">$/\2 \1/' | sort -n)
cited=$(grep -rhoE '\bD[0-9]{1,3}\b|\b[Dd]ecisions? [0-9]+((, | and | to | or )[0-9]+)*' src deploy crds docs README.md CONTRIBUTING.md \
  --include='*.java' --include='*.md' --include='*.yaml' --include='*.json' --include='*.properties' | grep -oE '[0-9]+' | sort -nu)

echo "$stands" | awk '{printf "D%s\t%s\n", $1, $2}'
status=0
for number in $(echo "$stands" | cut -d ' ' -f 1 | uniq -d); do
  echo "D$number stands twice." >&2
  status=1
done
for number in $cited; do
  if ! grep -q "^$number " <<< "$stands"; then
    echo "D$number is cited and stands nowhere." >&2
    status=1
  fi
done
exit $status
