# What the image scripts share. Each prints the name of its image, and nothing else, on its standard output; an image is named
# after the hash of all that it is made from here, so that it is built once and again after a change. With REFRESH=1, images of
# Debian's packages are made anew, from the packages of today.

set -euo pipefail

say() { echo "deploy/images: $*" >&2; }

# hash FILE... TEXT: the first twelve hexadecimal digits of the hash of the files and the text.
hash() {
  { for part in "$@"; do if [ -f "$part" ]; then cat "$part"; else echo "$part"; fi; done; } | sha256sum | cut -c1-12
}

present() { docker image inspect "$1" >/dev/null 2>&1; }

# current IMAGE: is there, and nobody wants it made anew.
current() { [ -z "${REFRESH:-}" ] && present "$1"; }

# alone NAME: waits until no other script builds what has that name on this machine, and keeps others waiting until this one ends.
alone() {
  exec {lock}>"${TMPDIR:-/tmp}/integration-gateway-$UID-${1//[^a-z0-9.-]/-}.lock"
  flock --timeout 1200 "$lock" || { say "another process has been building $1 for twenty minutes"; exit 1; }
}

# provide: prints the name of $image, having made sure that there is one: pulled, if the script has a function for that, or built.
provide() {
  current "$image" || {
    alone "${image%%:*}"
    current "$image" || { declare -F pull >/dev/null && pull; } || build
  }
  echo "$image"
}

# tagged IMAGE BASE: names the base image. `docker stop -t N` lets its containers live for N seconds, since the signal that it sends
# first is one without an effect: so a test run bounds the lives of containers that it might not live to remove.
tagged() {
  printf 'FROM %s\nSTOPSIGNAL SIGCONT\n' "$2" | DOCKER_BUILDKIT=0 docker build --quiet --tag "$1" - >/dev/null 2>&1 ||
    { say "docker build of $1 from $2 failed"; return 1; }
}

# import IMAGE [--change …]: names the image whose files are the tar archive on standard input.
import() {
  local image=$1
  shift
  docker import "$@" - "$image-files" >/dev/null
  tagged "$image" "$image-files"
}

fail() {
  say "$1; the end of its output:"
  tail -n 15 "$work/log" >&2
  exit 1
}

cannot_build() {
  say "cannot build $image: that takes Debian's packages (root, and debootstrap). Or give an image of yours that name, by docker tag"
  exit 1
}

# on_apt COMMAND…: runs it while no other script has apt-get do anything on this machine, since apt-get does not wait for another.
on_apt() { (alone apt-get && "$@") >"$work/log" 2>&1; }

# root PACKAGE…: makes the files of a small Debian with packages, without those that they merely recommend, in $work/root; $work is a
# folder that the caller removes. It needs root.
root() {
  local debian container
  debian=$("$here/debian")
  [ "$(id -u)" = 0 ] || cannot_build
  say "building $image from Debian's packages, once"
  mkdir "$work/root"
  container=$(docker create "$debian" true)
  docker export "$container" | tar -C "$work/root" -x
  docker rm "$container" >/dev/null
  install -m 0644 /etc/resolv.conf "$work/root/etc/resolv.conf" # Docker leaves it empty
  { chroot "$work/root" apt-get update && DEBIAN_FRONTEND=noninteractive chroot "$work/root" apt-get install -y --no-install-recommends "$@"; } >"$work/log" 2>&1 ||
    fail "apt-get could not install $*"
  rm -rf "$work/root"/var/{cache/apt,lib/apt/lists}/* "$work/root"/usr/share/{doc,man,locale}/*
}
