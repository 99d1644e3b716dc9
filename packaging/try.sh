#!/bin/sh
# The first start of a stranger: install a package on a machine that has neither Python nor Qt, start it, ask it,
# remove it, and look for what it left.
#
#   packaging/try.sh FILE                 in a container or another machine that may be thrown away, as root
#   packaging/try.sh --root FOLDER FILE   in a root that debootstrap made, which stays as it is
#
# FILE is the .deb, the .AppImage, or the folder dist/askance. Debian, Ubuntu and Fedora are known.
set -eu

fail() { echo "FAILED: $*" >&2; exit 1; }
step() { printf '%s\n' "- $*"; }

if [ "$1" = --root ]; then
    root=$(realpath "$2") file=$(realpath "$3") script=$(realpath "$0")
    # Everything is written to memory, and is gone with the namespace.
    exec unshare --mount --pid --fork --kill-child sh -euc '
        root=$1 file=$2 script=$3 work=$(mktemp -d)
        mount -t tmpfs -o size=4g askance-try "$work"
        mkdir "$work/upper" "$work/work" "$work/all"
        mount -t overlay -o "lowerdir=$root,upperdir=$work/upper,workdir=$work/work" overlay "$work/all"
        mount -t proc proc "$work/all/proc"
        mount --rbind /dev "$work/all/dev"
        rm -f "$work/all/etc/resolv.conf" && cp /etc/resolv.conf "$work/all/etc/resolv.conf"
        mkdir "$work/all/try"
        mount --bind "$(dirname "$file")" "$work/all/try"
        mkdir -p "$work/all/opt/home" && cp "$script" "$work/all/opt/try.sh"
        chroot "$work/all" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            HOME=/opt/home sh /opt/try.sh "/try/$(basename "$file")"
    ' sh "$root" "$file" "$script"
fi

file=$(realpath "$1")
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
. /etc/os-release
echo "$PRETTY_NAME: $(basename "$file")"

install_packages() {
    if command -v apt-get >/dev/null; then
        apt-get install -y -qq --no-install-recommends "$@" >/tmp/try.log 2>&1 || { cat /tmp/try.log; fail "install $*"; }
    else
        dnf install -y -q --setopt=install_weak_deps=False "$@" >/tmp/try.log 2>&1 || { cat /tmp/try.log; fail "install $*"; }
    fi
}
# What every desktop has: graphics drivers' entry points, FUSE, a font.
a_desktop() {
    if command -v apt-get >/dev/null; then
        install_packages libegl1 libgl1 libxcb1 libwayland-client0 libwayland-cursor0 libstdc++6 fuse3 \
            fontconfig-config fonts-dejavu-core
    else
        install_packages libglvnd-egl libglvnd-glx libxcb libwayland-client libwayland-cursor libstdc++ fuse3 \
            fontconfig dejavu-sans-fonts
    fi
}
# Neither caches of packages nor logs count, nor what is not on the disk.
files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /try -o -path /home -o -path /run \
        -o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/lib/dnf \
        -o -path /var/lib/rpm -o -path /usr/lib/sysimage \) -prune -o -print | sort
}
processes() {
    for place in /proc/[0-9]*; do
        [ "$(stat -c %U "$place" 2>/dev/null)" != stranger ] || echo "${place#/proc/}"
    done
}
# The window waits for its hotkey, and the server in the background for programs; here nobody waits for them.
end_processes() {
    tries=0
    while [ -n "$(processes)" ]; do
        tries=$((tries + 1)); [ $tries -lt 60 ] || fail "still running: $(processes)"
        # shellcheck disable=SC2046
        kill $(processes) 2>/dev/null || true
        sleep 1
    done
}
as_user() { su stranger -s /bin/sh -c "cd; export HOME=/home/stranger XDG_RUNTIME_DIR=/run/stranger PATH=/home/stranger/bin:\$PATH LC_ALL=C.UTF-8; $1"; }

command -v python3 >/dev/null && fail "there is a Python here, so that this would show nothing"
find / -xdev -name 'libQt*Core.so*' -not -path '/try/*' -not -path '/proc/*' | grep -q . && fail "there is a Qt here"
command -v apt-get >/dev/null && apt-get update -qq
command -v useradd >/dev/null || install_packages shadow-utils
useradd --create-home stranger
install -d -m 700 -o stranger /run/stranger

case "$file" in
    *.deb)
        files >/tmp/before
        install_packages "$file"
        remove() { apt-get purge -y -qq askance >/tmp/try.log 2>&1 || fail "it cannot be removed"
                   apt-get autoremove -y -qq --purge >/tmp/try.log 2>&1; }
        ;;
    *.AppImage)
        a_desktop
        files >/tmp/before
        mkdir /home/stranger/bin
        cp "$file" /home/stranger/bin/askance
        chown -R stranger: /home/stranger/bin
        chmod 755 /home/stranger/bin/askance
        remove() { rm -r /home/stranger/bin; }
        ;;
    *)
        a_desktop
        files >/tmp/before
        cp -R "$file" /opt/askance
        mkdir /home/stranger/bin
        ln -s /opt/askance/askance /home/stranger/bin/askance
        remove() { rm -r /opt/askance /home/stranger/bin; }
        ;;
esac
step "installed"

version=$(as_user 'askance --version') || fail "askance --version: $version"
step "$version"
answer=$(as_user 'askance demo 2>&1') || fail "askance demo: $answer"
case "$answer" in *'[1]'*) ;; *) fail "the demo cites nothing: $answer" ;; esac
step "the demo is answered, with citations"
reply=$(as_user '(echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"try\",\"version\":\"1\"}}}"; sleep 20) | timeout 60 askance mcp 2>&1') || true
case "$reply" in *serverInfo*) step "askance mcp answers" ;; *) fail "askance mcp: $reply" ;; esac

# The first call starts the window, the second one finds it.
as_user 'export QT_QPA_PLATFORM=offscreen; askance toggle && askance toggle' || fail "the window without a screen"
end_processes
step "the window is toggled, without a screen"

if command -v apt-get >/dev/null; then install_packages xvfb x11-utils; else install_packages xorg-x11-server-Xvfb xwininfo; fi
as_user 'Xvfb -displayfd 3 -screen 0 1280x800x24 >/dev/null 2>&1 3>/tmp/display & screen=$!
    tries=0
    until [ -s /tmp/display ]; do tries=$((tries + 1)); [ $tries -lt 60 ] || exit 1; sleep 1; done
    DISPLAY=:$(cat /tmp/display); export DISPLAY
    askance 2>/tmp/window.log & window=$!
    tries=0
    until xwininfo -root -tree 2>/dev/null | grep -q "\"askance\"" ; do tries=$((tries + 1)); [ $tries -lt 60 ] || { cat /tmp/window.log; exit 1; }; sleep 1; done
    kill $window; wait $window; status=$?
    kill $screen; exit $status' || fail "the window on a screen"
step "the window is seen on a screen of X11, and ends well"

remove
end_processes
files >/tmp/after
left=$(comm -13 /tmp/before /tmp/after | grep -i askance || true)
[ -z "$left" ] || fail "left behind: $left"
left=$(find /tmp -name "*askance*" 2>/dev/null || true)
[ -z "$left" ] || fail "left behind: $left"
step "removed; of its user's own files stay: $(as_user 'find .config/askance .local/share/askance .cache/askance -maxdepth 0 2>/dev/null | tr "\n" " "')"
