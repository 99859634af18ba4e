# Sourced by bin/koppel and bin/test, with `root` set to the top folder.
# All messages go to standard error.

build="$root/build/release"
stamp="$build/.built"

say() { echo "koppel: $*" >&2; }

# Whether the program is there, no source is newer than the build that made it, and no package has come that a part
# was waiting for (cmake/KoppelParts.cmake). The log of HEAD stands for the commit, which --version tells.
is_current() {
  [ -x "$build/bin/koppel" ] && [ -f "$stamp" ] && ! has_new_part &&
    [ -z "$(find "$root/koppel" "$root/apps" "$root/viewer" "$root/cmake" "$root/CMakeLists.txt" \
      "$root/CMakePresets.json" "$root/tools/packages.txt" "$root/.git/logs/HEAD" \
      -newer "$stamp" -print -quit 2>/dev/null)" ]
}

has_new_part() {
  [ -f "$build/absent" ] || return 1
  while read -r header; do
    [ -e "/usr/include/$header" ] && return
  done <"$build/absent"
  return 1
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
  elif ! command -v sudo >/dev/null; then as_root=nobody
  elif [ -t 0 ]; then as_root=sudo
  else as_root="sudo -n"
  fi
  if [ "$as_root" != nobody ]; then
    say "installing ${missing% }"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    { $as_root apt-get -q update
      $as_root apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends $missing
    } >&2 || true
    missing=$(missing_packages "$@")
    [ -z "$missing" ] && return
  fi
  say "these packages are missing and could not be installed: ${missing% }"
  say "install them with: sudo apt-get install --no-install-recommends ${missing% }"
  exit 1
}

# configure [again]: where that was not done for this tree, or a part has come.
configure() {
  fresh=
  if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    fresh=--fresh # none yet, or the tree has moved
  elif [ -f "$build/build.ninja" ] && [ "${1-}" != again ] && ! has_new_part; then
    return # ninja configures again when it must
  fi
  if ! command -v cmake >/dev/null; then
    say "there is no cmake: install what tools/packages.txt lists, under the names that this system has for it."
    exit 1
  fi
  # Warnings are errors where changes are checked, not where somebody builds with a compiler that is new to us. What an
  # older build folder remembers may not hold any more: then all is looked for anew.
  if ! configure_once $fresh && ! configure_once --fresh; then
    cat "$build/configure.log" >&2
    say "the build could not be configured; the reason stands above."
    exit 1
  fi
}

configure_once() {
  (cd "$root" && cmake --preset release -D KOPPEL_WERROR="${CI:+ON}" "$@") >"$build/configure.log" 2>&1
}

processes=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# compile TARGET: `cmake --build`, with a line of progress on a terminal.
compile() {
  if [ -t 2 ]; then quiet=; else quiet=--quiet; fi
  NINJA_STATUS="koppel: %p of this part, %e s: " cmake --build "$build" --target "$1" -j "$processes" -- $quiet >&2 && return
  has_room 50 "$build" || say "there is no room left on the disk of $build: the build takes up to $needed_megabytes MB."
  has_room 50 "${TMPDIR:-/tmp}" || say "there is no room left on the disk of ${TMPDIR:-/tmp}, where compilers keep their files."
  say "the build failed; the reason stands above. If it is an old build folder, remove $build and try again."
  exit 1
}

needed_megabytes=700
has_room() { # MEGABYTES FOLDER
  room=$(df -Pm "$2" 2>/dev/null | awk 'NR == 2 { print $4 }')
  [ -z "$room" ] || [ "$room" -ge "$1" ]
}

minutes() { awk "BEGIN { m = $1 / 60; if (m < 1.5) printf \"%.0f s\", $1; else printf \"%.0f min\", m }"; }

# build_program: the first build says how long it will take: some hundredth of the work goes first and is measured.
first_share=1
build_program() {
  if [ -x "$build/bin/koppel" ]; then
    compile koppel_app
    return
  fi
  if [ -f "$build/.begun" ]; then
    say "building Koppel in $build goes on where it was interrupted."
    compile koppel_app
    return
  fi
  touch "$build/.begun"
  begun=$(date +%s)
  say "building Koppel in $build; this happens once. Measuring how long it takes here ..."
  compile koppel_base
  seconds=$(($(date +%s) - begun))
  say "about $(minutes $((seconds * (100 - first_share) / first_share + 1))) from now, with $processes processes."
  compile koppel_app
  say "built in $(minutes $(($(date +%s) - begun)))."
}

# build_target TARGET [LIST...]: installs tools/packages.txt and the LISTs, configures and builds, one process at a time.
build_target() {
  target=$1
  shift
  if ! mkdir -p "$build" 2>/dev/null || [ ! -w "$build" ]; then
    say "$build cannot be written: copy the sources to a folder of your own."
    exit 1
  fi
  if command -v flock >/dev/null; then
    exec 9>"$build/.lock"
    flock -n 9 || {
      say "another process is building here; waiting for it."
      flock 9
    }
  fi
  if [ "$target" = koppel_app ] && is_current; then
    exec 9>&- # another process was faster
    return
  fi
  install_packages "$@"
  if [ ! -x "$build/bin/koppel" ] && ! has_room $needed_megabytes "$build"; then
    say "the build takes up to $needed_megabytes MB; on the disk of $build there are only $room MB free."
    exit 1
  fi
  configure
  grep -q "^build $target:" "$build/build.ninja" || configure again
  touch "$stamp.new" # before the build, so that what is edited meanwhile counts as newer
  build_program
  case $target in
    koppel_app) ;;
    koppel_tests) compile all ;;
    *) compile "$target" ;;
  esac
  mv "$stamp.new" "$stamp"
  [ "$target" != koppel_python ] || touch "$stamp.module"
  exec 9>&-
}
