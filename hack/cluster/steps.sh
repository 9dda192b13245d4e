# Sourced by inside: what is tried, in the order in which inside calls it.

# The namespace allows Pods of the restricted Pod Security Standard only.
restricted_namespace() {
  kubectl create namespace $namespace
  kubectl label namespace $namespace pod-security.kubernetes.io/enforce=restricted pod-security.kubernetes.io/warn=restricted
}

ordinary_pod_is_refused() {
  refuses 'violates PodSecurity "restricted' kubectl -n $namespace run ordinary --image=nodepool-operator:kind --dry-run=server
}

helm_install() {
  logged helm-install helm install nodepool-operator "$@" --namespace $namespace --wait --timeout 5m
  # A Deployment whose Pods would be refused is created with a warning.
  ! grep Warning "$logs/helm-install.log"
}

install_anew() {
  step "The chart is installed in a namespace that is restricted"
  need "the list of objects before" objects_before
  need "the namespace" restricted_namespace
  need "an ordinary Pod is refused there" ordinary_pod_is_refused
  local begin=$SECONDS
  need "helm install, without a warning" helm_install deploy/chart --values deploy/kind/values.yaml
  echo "helm install took $((SECONDS - begin)) s"
  kubectl -n $namespace get pods -o wide
  check "helm test" helm test nodepool-operator --namespace $namespace
}

objects_before() {
  await 60 kubectl -n kube-public get configmap kube-root-ca.crt
  await 60 kubectl -n kube-node-lease get lease "$node"
  objects >"$work/before"
}

# Whether each Pod that the chart makes is what the standard requires, has a root that is read-only, and a limit of memory.
rendered_pods_are_confined() {
  { helm -n $namespace get manifest nodepool-operator && echo "---" && helm -n $namespace get hooks nodepool-operator; } >"$work/rendered.yaml"
  kubectl create --dry-run=client -o json -f "$work/rendered.yaml" | jq -s -e '
    [.[] | if .kind == "List" then .items[] else . end | if .kind == "Pod" then .spec else .spec.template.spec? // empty end]
    | (length == 3) and all(.[];
        .securityContext.runAsNonRoot and .securityContext.runAsUser == 65532
        and .securityContext.seccompProfile.type == "RuntimeDefault"
        and all(.containers[];
          .securityContext.readOnlyRootFilesystem and .securityContext.allowPrivilegeEscalation == false
          and .securityContext.capabilities == {"drop": ["ALL"]}
          and .resources.limits.memory and .resources.requests.memory and .resources.requests.cpu))'
}

# Whether the kernel confines the process of a Pod in the same way.
pod_is_confined() {
  local process status
  process=$(process_of "$1")
  status=$(grep -E '^(Uid|Gid|CapEff|CapBnd|NoNewPrivs|Seccomp):' "/proc/$process/status" | tr -s '\t ' ' ' | paste -sd ' ')
  equal "Uid: 65532 65532 65532 65532 Gid: 65532 65532 65532 65532 CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 Seccomp: 2" "$status"
  equal "536870912" "$(memory_limit "$process")"
  awk '$5 == "/" && $6 ~ /^ro(,|$)/ {found = 1} END {exit !found}' "/proc/$process/mountinfo"
  local folder
  for folder in / /tmp /opt/nodepool /home; do
    # It has no program that could try.
    refuses "Read-only file system" touch "/proc/$process/root$folder/file"
  done
}

confinement() {
  step "Its Pods are confined"
  check "as rendered: the operator, the data centre and the test" rendered_pods_are_confined
  local pod pods
  pods=$(running_pods)
  check "three Pods run" equal 3 "$(wc -w <<<"$pods")"
  for pod in $pods; do
    check "as the kernel does it: $pod" pod_is_confined "$pod"
  done
}

# Each running Pod uses less memory than it requests.
memory_is_requested() {
  memory >"$work/memory" &&
    equal "$(running_pods | sort)" "$(cut -d ' ' -f 1 "$work/memory" | sort)" &&
    awk '$2 < 1 || $2 > 268 {print $1 " uses " $2 " MB, and requests 256 Mi"; wrong = 1} END {exit wrong}' "$work/memory"
}

show_memory() {
  check "the memory of each Pod is what it requests at most" await 60 memory_is_requested
  sed 's/$/ MB/' "$work/memory"
}

smoke() {
  step "The smoke test"
  check "deploy/kind/smoke.sh" logged smoke deploy/kind/smoke.sh "$KUBECONFIG"
  grep '^==' "$logs/smoke.log"
  show_memory
}

leader_is_killed() {
  step "The leader's Pod is killed while a pool grows"
  local killed new begin
  kubectl apply -f examples/gpu-pool.yaml
  need "the first Node of the pool" await 120 nodes_are_there example-nodepool 1
  killed=$(leader)
  check "the pool still grows when its leader is killed" refuses "condition not met" pool_is_at_target example-nodepool 0
  begin=$SECONDS
  kubectl -n $namespace delete pod "$killed" --grace-period=0 --force >/dev/null 2>&1
  kubectl patch nodepool example-nodepool --type=merge --patch '{"spec": {"targetNodes": 12}}'
  need "another Pod leads" await 60 other_leader "$killed"
  new=$(leader)
  echo "$new leads, $((SECONDS - begin)) s after $killed was killed"
  check "the pool reaches its new target" pool_is_at_target example-nodepool 3m
  check "12 Nodes" equal 12 "$(nodes_of example-nodepool)"
  check "on 12 Hosts" equal 12 "$(hosts_of example-nodepool)"
  check "the Pod is replaced" kubectl -n $namespace rollout status deployment/nodepool-operator --timeout=2m
}

nodes_are_there() { [[ $(nodes_of "$1") -ge $2 ]]; }

evict() {
  kubectl create --raw "/api/v1/namespaces/$namespace/pods/$1/eviction" -f - <<EOF
{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "$1", "namespace": "$namespace"}}
EOF
}

# No replica can be placed while the Node takes no Pods; the budget keeps the last one.
eviction() {
  step "The operator is evicted from a Node that takes no Pods"
  local first second before
  first=$(leader)
  second=$(other_operator_pod "$first")
  before=$(pod_identities -n $namespace --field-selector "metadata.name=$second")
  kubectl cordon "$node"
  need "the leader's Pod is evicted" await 30 evict "$first"
  check "it goes" kubectl -n $namespace wait "pod/$first" --for=delete --timeout=1m
  check "the second eviction is refused by the budget" refuses "violate the pod's disruption budget" evict "$second"
  check "the second Pod leads" await 60 equal_leader "$second"
  kubectl uncordon "$node"
  check "both run again" kubectl -n $namespace rollout status deployment/nodepool-operator --timeout=2m
  check "the second Pod was not touched" equal "$before" "$(pod_identities -n $namespace --field-selector "metadata.name=$second")"
}

other_operator_pod() {
  kubectl -n $namespace get pods -l app.kubernetes.io/component=operator -o jsonpath='{.items[*].metadata.name}' | tr ' ' '\n' | grep -vx "$1"
}

equal_leader() { [[ $(leader) == "$1" ]]; }

heartbeat() { kubectl -n kube-node-lease get lease "$node" -o jsonpath='{.spec.renewTime}'; }

heartbeat_after() { [[ $(heartbeat) > $1 ]]; }

kubelet_restarts() {
  step "The kubelet restarts"
  local before last
  before=$(pod_identities -n $namespace)
  kill "$kubelet_pid"
  wait "$kubelet_pid" || true
  last=$(heartbeat)
  start_kubelet
  check "the Node is heard of again" await 60 heartbeat_after "$last"
  check "it is Ready" kubectl wait "node/$node" --for=condition=Ready --timeout=1m
  check "the kubelet answers about a Pod: its program is of this commit" await 60 program_is_of_this_commit "$(leader)"
  check "all Pods run on without a restart" equal "$before" "$(pod_identities -n $namespace)"
  check "the operator is available" kubectl -n $namespace rollout status deployment/nodepool-operator --timeout=1m
}

program_is_of_this_commit() {
  kubectl -n $namespace exec "$1" -- java -jar /opt/nodepool/nodepool.jar --version | grep -F "(commit $(git describe --always --abbrev=12 --dirty --exclude '*'))"
}

# The commands of docs/install.md, as they are there; only what it names may be left.
uninstall() {
  step "Everything is removed as docs/install.md says"
  documented Uninstall | sed 's/^/  /'
  check "its commands" logged uninstall bash -euo pipefail -c "$(documented Uninstall)"
  check "nothing is left" await 60 nothing_is_left
}

nothing_is_left() {
  local left
  left=$(new_objects "$work/before") || return 1
  equal "" "$left"
}

# Whether the Pods of both Deployments are of this image.
image_is() {
  equal "nodepool-operator:$1" "$(kubectl -n $namespace get pods -l app.kubernetes.io/instance=nodepool-operator \
    -o jsonpath='{range .items[*]}{.spec.containers[0].image}{"\n"}{end}' | sort -u)"
}

# Whether a Pod of the earlier image logs this.
earlier_says() {
  local pod
  for pod in $(kubectl -n $namespace get pods -l app.kubernetes.io/instance=nodepool-operator \
    -o jsonpath='{range .items[?(@.spec.containers[0].image=="nodepool-operator:earlier")]}{.metadata.name}{"\n"}{end}'); do
    kubectl -n $namespace logs "$pod" | grep --fixed-strings --quiet "$1" && return
  done
  return 1
}

nothing_changed_for_users() {
  equal "$(cat "$work/users")" "$(users_view)"
}

# What users have on their pools: Nodes, and Pods that work there.
users_view() {
  node_identities
  pod_identities -l app=training
}

upgrade_and_back() {
  step "The chart of commit ${earlier:0:12} is upgraded to this one, and rolled back"
  local chart=$work/earlier/deploy
  need "the namespace" restricted_namespace
  need "the earlier chart" helm_install "$chart/chart" --values "$chart/kind/values.yaml" --set image.tag=earlier
  kubectl apply -f examples/gpu-pool.yaml -f examples/workload.yaml
  need "its pool grows" pool_is_at_target example-nodepool 3m
  need "work runs on it" kubectl rollout status deployment/training --timeout=3m
  users_view >"$work/users"

  check "the new CRDs" kubectl apply --server-side --force-conflicts -f crds/
  check "upgrade" logged helm-upgrade helm upgrade nodepool-operator deploy/chart --namespace $namespace \
    --reuse-values --set image.tag=kind --wait --timeout 5m
  check "the Pods are the new ones" await 60 image_is kind
  check "the pool stays" pool_is_at_target example-nodepool 1m
  check "Nodes and work are not affected" nothing_changed_for_users

  # That version cannot read what this one remembers in a pool's status; it must not take it for empty.
  check "roll back" logged helm-rollback helm rollback nodepool-operator 1 --namespace $namespace
  check "the earlier version says that it cannot read the pool" await 180 earlier_says "the watch of NodePools failed"
  check "Nodes and work are not affected" nothing_changed_for_users
  kubectl patch nodepool example-nodepool --type=merge --patch '{"spec": {"targetNodes": 10}}'

  check "upgrade again" logged helm-upgrade helm upgrade nodepool-operator deploy/chart --namespace $namespace \
    --reuse-values --set image.tag=kind --wait --timeout 5m
  check "the Pods are the new ones" await 60 image_is kind
  check "the pool grows" await 180 grown_to 10
  show_memory
  kubectl delete -f examples/workload.yaml --timeout=2m
}

# What nodepool dev leaves: bindings of its own for the two accounts, a fleet, the priority class; and the policies.
dev_was_here() {
  kubectl apply --server-side --field-manager=nodepool-dev -f crds/ -f deploy/admission.yaml -f deploy/interruptible-priority.yaml
  kubectl wait crd simulatedfleets.fleet.nodepool.io --for=condition=Established --timeout=1m
  kubectl apply --server-side --field-manager=nodepool-dev -f deploy/data-centre.yaml
  kubectl create priorityclass cw-hpc-verification --value=-1000
  local account
  for account in operator data-centre; do
    kubectl create clusterrolebinding nodepool-$account --clusterrole=cluster-admin --user="system:serviceaccount:$namespace:nodepool-$account"
  done
}

# The first commands there; the others are for an earlier Helm.
documented_hand_over() {
  bash -euo pipefail -c "$(documented "Hand over to Helm" | sed -n "/^helm /{s|\$| --values deploy/kind/values.yaml --wait --timeout 5m|;p;q};p")"
}

hand_over() {
  step "The chart takes over what dev has left, as docs/install.md says"
  need "the namespace" restricted_namespace
  need "a cluster that dev has used" logged dev dev_was_here
  check "helm refuses it" refuses "cannot be imported" helm install nodepool-operator deploy/chart --namespace $namespace
  check "the documented commands" logged hand-over documented_hand_over
  check "helm test" helm test nodepool-operator --namespace $namespace
  kubectl apply -f examples/gpu-pool.yaml
  check "a pool grows" pool_is_at_target example-nodepool 3m
}

grown_to() {
  pool_is_at_target example-nodepool 1s && nodes_are_there example-nodepool "$1"
}
