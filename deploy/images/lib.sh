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
