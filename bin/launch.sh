# Common to bin/nodepool, bin/kubectl-nodepool and mvnw, which source this file: finds a JDK, and builds the program.
# They set name, the command that error messages begin with; to build, home, the directory of the program.

oldest=25
jdk=
# Those that were found and are too old.
older=

# Stores the feature version of the Java in a directory in found, or nothing. Its file "release" is read, since running
# Java takes longer than a command of the plugin.
version_of() {
  found=
  [ -n "$1" ] && [ -x "$1/bin/java" ] && [ -x "$1/bin/$tool" ] || return 0
  if [ -r "$1/release" ]; then
    while IFS='=' read -r key value; do
      if [ "$key" = JAVA_VERSION ]; then
        value=${value#\"}
        found=${value%%[!0-9]*}
      fi
    done <"$1/release"
  fi
  [ -n "$found" ] || found=$("$1/bin/java" -version 2>&1 | sed -n '1s/.*version "\([0-9]*\).*/\1/p')
}

# Whether a directory contains a Java that is new enough; stores it in jdk.
try_jdk() {
  version_of "$1"
  [ -n "$found" ] || return 1
  if [ "$found" -lt "$oldest" ]; then
    case ", $older" in
      *", $1 ("*) ;;
      *) older="$older${older:+, }$1 ($found)" ;;
    esac
    return 1
  fi
  jdk=$1
}

# Follows links; stores the file in followed.
follow() {
  followed=$1
  while [ -L "$followed" ]; do
    target=$(readlink "$followed")
    case $target in
      /*) followed=$target ;;
      *) followed=$(dirname "$followed")/$target ;;
    esac
  done
}

# Stores a directory with Java that contains this program of bin in jdk; ends the script if there is none.
find_jdk() {
  tool=$1
  search_jdk && return 0
  what=JDK
  [ "$tool" = javac ] || what=Java
  echo "$name: no $what $oldest or newer found${older:+, only $older}; install one, or set JAVA_HOME to it" >&2
  exit 1
}

search_jdk() {
  [ -n "${JAVA_HOME:-}" ] && try_jdk "$JAVA_HOME" && return 0
  old_ifs=$IFS
  IFS=:
  for folder in $PATH; do
    [ -x "$folder/java" ] || continue
    # Usually a link to the JDK; on macOS a program that is none.
    follow "$folder/java"
    [ "$followed" != /usr/bin/java ] && try_jdk "$(dirname "$(dirname "$followed")")" && break
  done
  IFS=$old_ifs
  [ -z "$jdk" ] || return 0
  user=${HOME:-/nonexistent}
  # A pattern that matches nothing is no directory.
  for candidate in "${JAVA_HOME_25_X64:-}" "${JAVA_HOME_25_ARM64:-}" /usr/lib/jvm/* /usr/java/* /opt/* /opt/java/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "$user"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /home/linuxbrew/.linuxbrew/opt/openjdk*/libexec "$user"/.sdkman/candidates/java/* "$user"/.jdks/* \
    "$user"/.asdf/installs/java/* "$user"/.local/share/mise/installs/java/*; do
    try_jdk "$candidate" && return 0
  done
  return 1
}

is_stale() {
  [ -f "$home/target/nodepool.jar" ] && [ -d "$home/target/lib" ] || return 0
  newer=$(find "$home/pom.xml" "$home/src/main" "$home/crds" "$home/deploy" \
    "$home/hack/control-plane/go.mod" "$home/hack/control-plane/go.sum" \
    -newer "$home/target/nodepool.jar" -print 2>/dev/null | head -n 1)
  [ -n "$newer" ]
}

# Whether an installed Maven is new enough; it needs no download.
has_maven() {
  command -v mvn >/dev/null 2>&1 || return 1
  minor=$(JAVA_HOME=$jdk mvn -v 2>/dev/null | sed -n 's/.*Apache Maven 3\.\([0-9]*\).*/\1/p; s/.*Apache Maven [4-9].*/99/p' | head -n 1)
  [ -n "$minor" ] && [ "$minor" -ge 8 ]
}

# Prints Maven's option for the commit of the sources in a directory, if that is the top of a repository.
commit_option() {
  [ -e "$1/.git" ] || return 0
  commit=$(git -C "$1" describe --always --abbrev=12 --dirty --exclude '*' 2>/dev/null) || return 0
  echo "-Dcommit=$commit"
}

# Builds the program without the checks if it is missing or older than its sources; the arguments are those of the command.
build_if_stale() {
  is_stale || return 0
  maven=mvn
  if ! has_maven; then
    maven=$home/mvnw
    if ! command -v unzip >/dev/null 2>&1; then
      echo "$name: the Maven wrapper needs unzip; install unzip, or Maven 3.8 or newer" >&2
      exit 1
    fi
  fi
  offline=
  for word in "$@"; do
    [ "$word" != --offline ] || offline=-o
  done
  echo "Building nodepool; the first time takes a minute or two ..." >&2
  mkdir -p "$home/target"
  if ! (cd "$home" && JAVA_HOME=$jdk "$maven" -B -ntp $offline $(commit_option .) -Pquick -Dmaven.test.skip=true package \
    >target/build.log 2>&1); then
    # The wrapper's own errors are not marked as such.
    { grep 'ERROR' "$home/target/build.log" || tail -n 5 "$home/target/build.log"; } | head -n 20 >&2
    echo "$name: the build failed; its log is $home/target/build.log" >&2
    exit 1
  fi
  # Maven does not touch a jar whose content is unchanged, although it is up to date.
  touch "$home/target/nodepool.jar"
}
