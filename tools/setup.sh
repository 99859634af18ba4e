# Sourced by bin/koppel and bin/test, with `root` set to the top folder.
# All messages go to standard error.

build="$root/build/release"
stamp="$build/.built"

say() { echo "koppel: $*" >&2; }

# Whether the program is there and no source is newer than the build that made it.
# The log of HEAD stands for the commit, which --version tells.
is_current() {
  [ -x "$build/bin/koppel" ] && [ -f "$stamp" ] &&
    [ -z "$(find "$root/koppel" "$root/apps" "$root/viewer" "$root/cmake" "$root/CMakeLists.txt" \
      "$root/CMakePresets.json" "$root/tools/packages.txt" "$root/.git/logs/HEAD" \
      -newer "$stamp" -print -quit 2>/dev/null)" ]
}

# The same of the Python module.
is_module_current() {
  [ -f "$build/python/interpreter" ] && [ -f "$stamp.module" ] &&
    [ -z "$(find "$root/python" "$stamp" -newer "$stamp.module" -print -quit 2>/dev/null)" ]
}

# missing_packages [LIST...]: prints those packages of tools/packages.txt and of further lists in
# tools/ that are not installed.
missing_packages() {
  wanted=
  for entry in $(cd "$root/tools" && sed 's/#.*//' packages.txt "$@"); do
    case $entry in *"|"*) command -v "${entry#*|}" >/dev/null && continue ;; esac
    wanted="$wanted ${entry%|*}"
  done
  # shellcheck disable=SC2086
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^installed //p')
  for package in $wanted; do
    echo "$installed" | grep -qxF "$package" || printf '%s ' "$package"
  done
}

# install_packages [LIST...]
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg here; the packages of tools/packages.txt are up to you."
    return
  fi
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return
  if [ "$(id -u)" = 0 ]; then as_root=
  elif [ -t 0 ]; then as_root=sudo
  else as_root="sudo -n"
  fi
  say "installing ${missing% }"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  { $as_root apt-get -q update
    $as_root apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends $missing
  } >&2 || true
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return
  say "these packages are missing and could not be installed: ${missing% }"
  say "install them with: sudo apt-get install --no-install-recommends ${missing% }"
  exit 1
}

configure() {
  fresh=
  if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    fresh=--fresh # none yet, or the tree has moved
  elif [ -f "$build/build.ninja" ]; then
    return # ninja configures again when it must
  fi
  # Warnings are errors where changes are checked, not where somebody builds with a compiler that is new to us.
  if ! (cd "$root" && cmake --preset release $fresh ${CI:+-D KOPPEL_WERROR=ON}) >"$build/configure.log" 2>&1; then
    cat "$build/configure.log" >&2
    say "the build could not be configured."
    exit 1
  fi
}

# build_target TARGET: sets up all that is missing and builds, one process at a time.
build_target() {
  mkdir -p "$build" || exit 1
  exec 9>"$root/build/.lock"
  flock 9
  if [ "$1" = koppel_app ] && is_current; then
    exec 9>&- # another process was faster
    return
  fi
  case $1 in koppel_app | koppel_python) install_packages ;; *) install_packages packages-test.txt ;; esac
  [ -x "$build/bin/koppel" ] || say "building; this happens once and takes about $((30 / $(nproc) + 2)) minutes."
  configure
  touch "$stamp.new" # before the build, so that what is edited meanwhile counts as newer
  if [ -t 2 ]; then quiet=; else quiet=--quiet; fi
  if ! cmake --build "$build" --target "$1" -j "$(nproc)" -- $quiet >&2; then
    say "the build failed."
    exit 1
  fi
  case $1 in
    koppel_python) mv "$stamp.new" "$stamp.module" ;;
    *) mv "$stamp.new" "$stamp" ;;
  esac
  exec 9>&-
}
