# Sourced by inside: questions to the cluster and to its Node. Those with an answer print it.

namespace=nodepool-system

# Of the operator and of the data centre, one a line.
running_pods() {
  kubectl -n $namespace get pods -l app.kubernetes.io/instance=nodepool-operator --field-selector status.phase=Running \
    -o jsonpath='{range .items[*]}{.metadata.name}{"\n"}{end}'
}

# Each Pod by its UID, with the number of its restarts.
pod_identities() {
  kubectl get pods "$@" -o jsonpath='{range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount}{"\n"}{end}' | sort
}

node_identities() {
  kubectl get nodes -l compute.coreweave.com/node-pool -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.uid}{"\n"}{end}' | sort
}

# The Pod that leads: the holder of the Lease is its name and a UUID.
leader() {
  local holder
  holder=$(kubectl -n kube-system get lease nodepool-operator -o jsonpath='{.spec.holderIdentity}')
  [[ ${#holder} -gt 37 ]] && echo "${holder::-37}"
}

other_leader() {
  local found
  found=$(leader) && [[ $found != "$1" ]] && kubectl -n $namespace get pod "$found" >/dev/null && echo "$found"
}

pool_is_at_target() { kubectl wait "nodepool/$1" --for=condition=AtTarget --timeout="$2"; }

# How many Nodes a pool has, and how many Hosts are assigned to it.
nodes_of() { kubectl get nodes -l "compute.coreweave.com/node-pool=$1" -o name | wc -l; }

hosts_of() {
  kubectl get hosts -o jsonpath='{range .items[*]}{.spec.assignment.pool}{"\n"}{end}' | grep -cx "$1"
}

# The first process of a Pod's container, as the Node sees it.
process_of() {
  local container
  container=$(kubectl -n $namespace get pod "$1" -o jsonpath='{.status.containerStatuses[0].containerID}')
  ctr --namespace k8s.io task list | awk -v id="${container#containerd://}" '$1 == id {print $2}'
}

# The limit of memory that the kernel enforces on a process, by either version of cgroups.
memory_limit() {
  local group
  if group=$(grep -o ':memory:.*' "/proc/$1/cgroup"); then
    cat "/sys/fs/cgroup/memory/${group#:memory:}/memory.limit_in_bytes"
  else
    cat "/sys/fs/cgroup/$(sed -n 's/^0:://p' "/proc/$1/cgroup")/memory.max"
  fi
}

# Each Pod's memory, as the kubelet measures it: its name, and MB.
memory() {
  kubectl get --raw "/api/v1/nodes/$node/proxy/stats/summary" | jq -r --arg namespace $namespace \
    '.pods[] | select(.podRef.namespace == $namespace) | "\(.podRef.name) \(.memory.workingSetBytes / 1e6 | round)"'
}

# Every object of the cluster by kind and name, and what a Namespace and the Node are labelled with; not what comes and
# goes by itself.
objects() {
  local kinds
  kinds=$(kubectl api-resources --verbs=list -o name | grep -vE '^(events(\..*)?|componentstatuses)$' | paste -sd ,)
  kubectl get "$kinds" -A -o json | jq -r '.items[]
    | "\(.kind) \(.metadata.namespace // "")/\(.metadata.name)",
      (select(.kind == "Namespace" or .kind == "Node")
        | .kind + " " + .metadata.name + " has the label or annotation "
          + ((.metadata.labels // {}) + (.metadata.annotations // {}) | keys[]))' | sort -u
}

# What there is now and was not in a list of objects.
new_objects() { objects | comm -13 "$1" -; }

# The commands of a section of docs/install.md.
documented() {
  sed -n "/^### $1\$/,/^##/p" docs/install.md | sed -n 's/^    //p'
}

# What explains a failed check.
diagnose() {
  date
  kubectl get nodepools,simulatedfleets,nodes -o wide
  kubectl get pods -A -o wide
  kubectl -n $namespace describe pods
  kubectl -n $namespace logs -l app.kubernetes.io/component=operator --prefix --tail=200
  kubectl -n $namespace logs -l app.kubernetes.io/component=data-centre --tail=200
  kubectl get events -A --sort-by=.lastTimestamp | tail -n 200
}
