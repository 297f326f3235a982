# What the image scripts share. Each prints the name of its image, and nothing else, on its standard output; an image is named
# after the hash of all that it is made from, so that it is built once and again after a change.

set -euo pipefail

say() { echo "deploy/images: $*" >&2; }

# hash FILE... TEXT: the first twelve hexadecimal digits of the hash of the files and the text.
hash() {
  { for part in "$@"; do if [ -f "$part" ]; then cat "$part"; else echo "$part"; fi; done; } | sha256sum | cut -c1-12
}

present() { docker image inspect "$1" >/dev/null 2>&1; }

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

need_debootstrap() {
  command -v debootstrap >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing debootstrap"
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap; } >"$work/log" 2>&1 || fail "apt-get could not install debootstrap"
  else
    say "cannot provide $image: debootstrap is not installed"
    exit 1
  fi
}

# root PACKAGE…: makes the files of a small Debian with packages, without those that they merely recommend, in $work/root.
# It needs root, and debootstrap, which it installs when missing; $work is a folder that the caller removes.
root() {
  [ "$(id -u)" = 0 ] || { say "cannot build $image: debootstrap needs root"; exit 1; }
  need_debootstrap
  say "building $image from Debian's packages, once"
  debootstrap --variant=minbase bookworm "$work/root" >"$work/log" 2>&1 || fail "debootstrap failed"
  printf '#!/bin/sh\nexit 101\n' >"$work/root/usr/sbin/policy-rc.d" # starts no services
  chmod 0755 "$work/root/usr/sbin/policy-rc.d"
  { chroot "$work/root" apt-get update && DEBIAN_FRONTEND=noninteractive chroot "$work/root" \
    apt-get install -y --no-install-recommends "$@"; } >"$work/log" 2>&1 || fail "apt-get could not install $*"
  rm -rf "$work/root"/var/{cache/apt,lib/apt/lists}/* "$work/root"/usr/share/{doc,man,locale}/*
}
