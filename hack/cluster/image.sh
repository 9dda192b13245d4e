# Sourced: builds images with buildah, without an engine, in a storage of its own below $work.

# The image of this folder, that of the earlier commit in $work/earlier, and that of the sandboxes.
build_images() {
  mkdir -p "$work/images/tmp" "$work/images/lib"
  # As the arguments of a program, so that timeout can run it. It caches in TMPDIR, and in a folder of /var/lib that no option
  # changes.
  buildah=(unshare --mount bash -c 'mount --bind "$0" /var/lib && exec "$@"' "$work/images/lib"
    env "TMPDIR=$work/images/tmp" buildah --root "$work/images/root" --runroot "$work/images/run" --storage-driver vfs)
  build_image kind .
  build_image earlier "$work/earlier"
  pause_image
  rm -rf "$work/images"
}

buildah() { "${buildah[@]}" "$@"; }

# build_image TAG FOLDER: builds nodepool-operator:TAG by the Dockerfile in a folder, and stores it in $work/TAG.tar. Its
# bases are those that are pinned where their registry can be reached, else stand-ins, which is said.
build_image() {
  local tag=$1 folder=$2 dockerfile=$work/Dockerfile.$1 base
  cp "$folder/Dockerfile" "$dockerfile"
  for base in $(sed -n 's/^FROM \(--platform=[^ ]* \)\{0,1\}\([^ ]*@sha256:[^ ]*\).*/\2/p' "$dockerfile" | sort -u); do
    base_image "$base"
    sed -i "s|^FROM .*$base|FROM $base_id|" "$dockerfile"
  done
  buildah bud --isolation chroot --pull-never --file "$dockerfile" --build-arg "REVISION=$(revision)" \
    --tag "nodepool-operator:$tag" "$folder" >"$logs/image-$tag.log" 2>&1 || {
    tail -n 30 "$logs/image-$tag.log"
    return 1
  }
  check "the image $tag runs nodepool, and not as root" image_is_described "$tag"
  [[ $tag == earlier ]] || check "its labels say what it is and of which commit" image_is_labelled "$tag"
  store_image "nodepool-operator:$tag" "$work/$tag.tar"
}

image_is_described() {
  buildah inspect --type image "nodepool-operator:$1" | jq -e '.OCIv1.config
    | .User == "65532:65532" and (.Entrypoint | length > 0)'
}

# The commit of this folder, as deploy/kind/up.sh names it.
revision() { git describe --always --abbrev=12 --dirty --exclude '*'; }

image_is_labelled() {
  buildah inspect --type image "nodepool-operator:$1" | jq -e --arg revision "$(revision)" '.OCIv1.config.Labels
    | .["org.opencontainers.image.revision"] == $revision and .["org.opencontainers.image.title"] == "nodepool-operator"
      and all(.["org.opencontainers.image.version", "org.opencontainers.image.licenses", "org.opencontainers.image.description"]; length > 0)'
}

# store_image NAME FILE: as docker would save it.
store_image() {
  buildah push --quiet "$1" "docker-archive:$2:$1"
  echo "image $1: $(($(stat -c %s "$2") / 1000000)) MB"
}

# base_image NAME:TAG@DIGEST: stores the id of a local image in base_id.
base_image() {
  local name=${1%%:*} digest=${1##*@}
  # A name has a tag or a digest here.
  if base_id=$(timeout 300 "${buildah[@]}" pull --quiet "docker://$name@$digest" 2>"$logs/pull.log"); then
    echo "base $1: pulled"
    return
  fi
  echo "base $1: REPLACED, since it cannot be pulled ($(tail -n 1 "$logs/pull.log" | awk -F ': ' '{print $(NF - 1) ": " $NF}'))"
  case $name in
    eclipse-temurin) stand_in_java ;;
    maven) stand_in_maven ;;
    gcr.io/distroless/base-nossl-*) stand_in_c_library ;;
    *)
      echo "there is no stand-in for $name" >&2
      return 1
      ;;
  esac
}

# What eclipse-temurin has: a small system with Java in /opt/java/openjdk. The Java is this machine's.
stand_in_java() {
  if [[ -z ${java_stand_in:-} ]]; then
    local container tree
    container=$(buildah from scratch)
    tree=$(buildah mount "$container")
    debian_tree "$tree"
    mkdir -p "$tree/opt/java"
    cp -rL "$(jdk_home)" "$tree/opt/java/openjdk"
    buildah config --env JAVA_HOME=/opt/java/openjdk \
      --env PATH=/opt/java/openjdk/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --env LANG=en_US.UTF-8 "$container"
    java_stand_in=$(buildah commit --quiet --rm "$container" stand-in-java)
  fi
  base_id=$java_stand_in
  echo "  by a stand-in of the same layout: Debian's smallest system, and $(sed -n 's/^JAVA_RUNTIME_VERSION=//p' "$(jdk_home)/release") in /opt/java/openjdk"
}

# What maven has: that, and Maven on the PATH.
stand_in_maven() {
  stand_in_java
  if [[ -z ${maven_stand_in:-} ]]; then
    local container
    container=$(buildah from --pull-never "$java_stand_in")
    cp -rL "$(maven_home)" "$(buildah mount "$container")/usr/share/maven"
    buildah run --isolation chroot "$container" -- ln -s /usr/share/maven/bin/mvn /usr/bin/mvn
    maven_stand_in=$(buildah commit --quiet --rm "$container" stand-in-maven)
  fi
  base_id=$maven_stand_in
  echo "  and this machine's Maven in /usr/share/maven"
}

# What distroless's base-nossl has: the files of a few packages of Debian, of which the C library is the only program. No shell.
stand_in_c_library() {
  local container tree
  tree=$work/debian-tree
  mkdir "$tree"
  debian_tree "$tree"
  container=$(buildah from scratch)
  (cd "$tree" && package_files base-files libc6 netbase tzdata | tar --no-recursion -cf - -T -) |
    tar -C "$(buildah mount "$container")" -xf -
  rm -rf "$tree"
  base_id=$(buildah commit --quiet --rm "$container" stand-in-c-library)
  echo "  by Debian's files of the same packages: no shell"
}

# The files of packages that are installed in the current folder, where /lib is a link to usr/lib.
package_files() {
  local package
  for package in "$@"; do
    cat "var/lib/dpkg/info/$package.list" "var/lib/dpkg/info/$package":*.list 2>/dev/null || true
  done | sed -E 's|^/(lib[0-9]*)/|/usr/\1/|; s|^/|./|' | grep -vFx ./. | sort -u | while read -r file; do
    # Some are left out of a small system.
    [[ ! -e $file && ! -L $file ]] || echo "$file"
  done
}

# debian_tree FOLDER: unpacks Debian's smallest system, which is downloaded once.
debian_tree() {
  local suite archive
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
  archive=$(dirname "$programs")/$suite.tar
  if [[ ! -f $archive ]]; then
    # In a mount namespace, so that what it mounts is gone with it.
    unshare --mount debootstrap --variant=minbase "$suite" "$work/debian" >"$logs/debootstrap.log" 2>&1
    tar -C "$work/debian" --exclude=./var/cache/apt --exclude=./var/lib/apt/lists -cf "$archive.part" .
    rm -rf "$work/debian"
    mv "$archive.part" "$archive"
  fi
  tar -C "$1" -xf "$archive"
}

# The JDK and the Maven that bin/nodepool would choose.
jdk_home() { (home=$PWD name=.ci/cluster && . bin/launch.sh && find_jdk javac && echo "$jdk"); }

maven_home() {
  local maven=./mvnw
  ! command -v mvn >/dev/null || maven=mvn
  JAVA_HOME=$(jdk_home) "$maven" -v 2>/dev/null | sed -n 's/^Maven home: //p'
}

# The image of the sandbox of each Pod: a program that does nothing.
pause_image() {
  local container
  container=$(buildah from scratch)
  buildah copy --quiet "$container" "$(command -v busybox)" /busybox >/dev/null
  buildah config --entrypoint '["/busybox", "sleep", "2147483647"]' "$container"
  buildah commit --quiet --rm "$container" localhost/pause:1 >/dev/null
  store_image localhost/pause:1 "$work/pause.tar"
}
