# Sourced by inside: one Node with its control plane. What programs keep at fixed places (/run, /var/lib, /var/log) is in
# $work here, since these are mounted in the mount namespace of this process.

node=real-node
address=10.200.0.1

start_node() {
  private_folders
  network
  credentials
  control_plane
  kubelet_and_runtime
}

private_folders() {
  mount -t tmpfs tmpfs /run
  local folder
  for folder in lib log; do
    mkdir -p "$work/var/$folder"
    mount --bind "$work/var/$folder" "/var/$folder"
  done
}

# A bridge carries the Node's address: its network has no way out, so that nothing can be pulled.
network() {
  ip link set lo up
  ip link add node type bridge
  ip address add "$address/24" dev node
  ip link set node up
  ip route add default dev node
  echo 1 >/proc/sys/net/ipv4/ip_forward
  mkdir -p "$work/cni"
  cat >"$work/cni/10-bridge.conflist" <<EOF
{"cniVersion": "0.4.0", "name": "bridge", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "ipam":
    {"type": "host-local", "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
EOF
}

# Each client of the API server is the user that it is in a real cluster, as admission policies tell them apart.
credentials() {
  openssl genrsa -out "$work/accounts.key" 2048 2>/dev/null
  openssl rsa -in "$work/accounts.key" -pubout -out "$work/accounts.pub" 2>/dev/null
  cat >"$work/tokens.csv" <<EOF
admin,kubernetes-admin,1,system:masters
kubelet,system:node:$node,2,system:nodes
controllers,system:kube-controller-manager,3
scheduler,system:kube-scheduler,4
proxy,system:kube-proxy,5
EOF
  local user
  for user in admin kubelet controllers scheduler proxy; do
    cat >"$work/$user.kubeconfig" <<EOF
apiVersion: v1
kind: Config
clusters: [{name: it, cluster: {server: "https://$address:6443", certificate-authority: "$work/api/apiserver.crt"}}]
users: [{name: it, user: {token: $user}}]
contexts: [{name: it, context: {cluster: it, user: it}}]
current-context: it
EOF
  done
  export KUBECONFIG=$work/admin.kubeconfig
}

# start PROGRAM ARGUMENT...: in the background; it ends with the namespace of processes.
start() {
  "$@" >>"$logs/$(basename "$1").log" 2>&1 &
}

control_plane() {
  start etcd --data-dir "$work/etcd" --unsafe-no-fsync
  # Of the Node's addresses, the one that needs no DNS.
  start kube-apiserver --advertise-address "$address" --kubelet-preferred-address-types InternalIP --cert-dir "$work/api" --etcd-servers http://127.0.0.1:2379 \
    --token-auth-file "$work/tokens.csv" --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --service-account-issuer https://kubernetes.default.svc --service-account-signing-key-file "$work/accounts.key" \
    --service-account-key-file "$work/accounts.pub" --service-cluster-ip-range 10.96.0.0/16 --allow-privileged \
    --feature-gates MutatingAdmissionPolicy=true --runtime-config admissionregistration.k8s.io/v1beta1=true
  need "the API server is ready" await 120 kubectl get --raw /readyz
  start kube-controller-manager --kubeconfig "$work/controllers.kubeconfig" --leader-elect=false \
    --use-service-account-credentials --service-account-private-key-file "$work/accounts.key" \
    --root-ca-file "$work/api/apiserver.crt"
  start kube-scheduler --kubeconfig "$work/scheduler.kubeconfig" --leader-elect=false
}

kubelet_and_runtime() {
  # Some machines do not let root lower a process's score for the case that memory is short. A profile of AppArmor would
  # stay in the kernel, and the folder of the plugin that is disabled in /opt.
  cat >"$work/containerd.toml" <<EOF
version = 2
disabled_plugins = ["io.containerd.internal.v1.opt"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$work/cni"
EOF
  start containerd --config "$work/containerd.toml"
  need "containerd answers" await 60 ctr version
  local image
  for image in pause kind earlier; do
    need "containerd has the image $image" ctr --namespace k8s.io images import "$work/$image.tar"
  done
  cat >"$work/kubelet.yaml" <<EOF
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupRoot: /$cgroup
failSwapOn: false
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
resolvConf: ""
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
EOF
  start_kubelet
  cat >"$work/proxy.yaml" <<EOF
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $work/proxy.kubeconfig}
hostnameOverride: $node
mode: iptables
conntrack: {maxPerCore: 0}
EOF
  start kube-proxy --config "$work/proxy.yaml"
  need "the Node is Ready" await 120 kubectl wait "node/$node" --for condition=Ready --timeout 1s
}

# Stores its process in kubelet_pid.
start_kubelet() {
  start kubelet --config "$work/kubelet.yaml" --kubeconfig "$work/kubelet.kubeconfig" --hostname-override "$node" \
    --node-ip "$address"
  kubelet_pid=$!
}
