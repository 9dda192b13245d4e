# Sourced: the programs of a cluster, of its Node and Helm, which are built once for a version and cached.

# Builds what is missing in $programs: the control plane, kubelet, kube-proxy and kubectl from the module of the control
# plane, and Helm from its own. A control plane that the local cluster cached already is used.
build_programs() {
  local kubernetes cache local_cluster
  kubernetes=$(version_of k8s.io/kubernetes hack/control-plane/go.mod)
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/nodepool
  local_cluster=$cache/control-plane/$kubernetes
  programs=$cache/node/$kubernetes
  mkdir -p "$programs"
  local program missing=()
  for program in etcd kube-apiserver kube-controller-manager kube-scheduler; do
    [[ -x $programs/$program ]] || ! [[ -x $local_cluster/$program ]] || ln -f "$local_cluster/$program" "$programs/"
    [[ -x $programs/$program ]] || missing=(tool)
  done
  for program in kubelet kube-proxy kubectl; do
    [[ -x $programs/$program ]] || missing+=("k8s.io/kubernetes/cmd/$program")
  done
  if ((${#missing[@]} > 0)); then
    build_kubernetes "$kubernetes" "${missing[@]}"
  fi
  local helm
  helm=$(version_of helm.sh/helm/v3 hack/cluster/go.mod)
  if [[ $("$programs/helm" version --template '{{.Version}}' 2>/dev/null) != "$helm" ]]; then
    (cd hack/cluster && install_go -mod=readonly -ldflags "-s -w -X helm.sh/helm/v3/internal/version.version=$helm" tool)
  fi
}

# version_of MODULE FILE: the version that a go.mod requires.
version_of() { awk -v module="$1" '$1 == module && $2 ~ /^v/ {print $2}' "$2"; }

# build_kubernetes VERSION PACKAGE...: in a copy of the module, since its checksums are of the control plane only; the
# versions are the same, and Go checks the other modules against its database.
build_kubernetes() {
  local version=$1 module=$work/module x=k8s.io/component-base/version
  shift
  mkdir "$module"
  cp hack/control-plane/go.mod hack/control-plane/go.sum "$module/"
  (cd "$module" && install_go -mod=mod \
    -ldflags "-s -w -X $x.gitVersion=$version -X $x.gitMajor=1 -X $x.gitMinor=$(cut -d . -f 2 <<<"$version")" "$@")
  [[ ! -e $programs/server ]] || mv "$programs/server" "$programs/etcd"
}

install_go() {
  echo "go install $*"
  CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false" GOBIN=$programs nice -n 5 go install "$@"
}
