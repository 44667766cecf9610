#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Makes the root of the image, as the Dockerfile's build stage does: the two
# programs, the libraries that they load, where they look for them, and the few
# files that those read. Nothing in it has to be written to.
# Usage: image-root.sh BUILD_DIRECTORY ROOT
# SOURCE_DATE_EPOCH, if set, is the time of all files.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
root=$2
umask 022

install -D --strip --target-directory "$root/usr/local/bin" \
  "$build/server/stridecast-server" "$build/client/stridecast"
install -D --mode 644 LICENSE "$root/usr/share/doc/stridecast/copyright"

# As on the system that it comes from.
for directory in bin lib lib64 sbin; do
  mkdir -p "$root/usr/$directory"
  ln -s "usr/$directory" "$root/$directory"
done

# Those that the programs are linked to, the dynamic linker among them, and what
# oneTBB opens when it starts. It opens libtbbbind too when it is asked for NUMA
# nodes, which the engine never does.
{
  ldd "$root"/usr/local/bin/* | awk '/=> \/|^\t\// { print $(NF - 1) }'
  ldconfig -p | awk '$1 == "libtbbmalloc.so.2" { print $NF }'
} | sort -u | while read -r library; do
  install -D --mode 755 "$library" "$root$library"
  # The package, by the file's real name; dpkg knows some without /usr.
  file=$(realpath "$library")
  dpkg-query --search "$file" 2>/dev/null || dpkg-query --search "${file#/usr}"
done | cut -d: -f1 | sort -u >"$root/packages"

# What scanners of images look for where there is no dpkg; and the licences.
while read -r package; do
  mkdir -p "$root/var/lib/dpkg/status.d" "$root/usr/share/doc/$package"
  dpkg-query --status "$package" >"$root/var/lib/dpkg/status.d/$package"
  cp -L "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/"
done <"$root/packages"
rm "$root/packages"
cp -r /usr/share/common-licenses "$root/usr/share/"

# Whom the tool trusts when it calls other servers over TLS.
install -D --mode 644 --target-directory "$root/etc/ssl/certs" \
  /etc/ssl/certs/ca-certificates.crt
echo "stridecast:x:10001:10001::/nonexistent:/usr/sbin/nologin" >"$root/etc/passwd"
echo "stridecast:x:10001:" >"$root/etc/group"
# Without it names are asked of DNS before /etc/hosts.
echo "hosts: files dns" >"$root/etc/nsswitch.conf"

[ -z "${SOURCE_DATE_EPOCH:-}" ] ||
  find "$root" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
du -sh --apparent-size "$root"
