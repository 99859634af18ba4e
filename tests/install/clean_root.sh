# Runs inside a Debian root that has nothing but apt, as root, in the folder with the files of a release, consumer/ and examples/.
# Installs one package after the other, so that what each one fails to ask for is missing, and uses it.
set -e
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
install() { apt-get -q -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@"; }
began=$(date +%s)
say() { echo "== $*, after $(($(date +%s) - began)) s"; }

apt-get -q update
say "the program"
install ./koppel_[0-9]*.deb
ldd /usr/bin/koppel | grep 'not found' && exit 1
dpkg-query -W -f '${Package}\n' | grep -e '-dev$' && exit 1
koppel --version
koppel models | grep slider_crank
koppel check four_bar
koppel new mine
koppel run mine.yaml --end 0.5 --out mine
koppel run pendulum --end 1 --out pendulum
test -s pendulum/trajectory.csv -a -s pendulum/report.html
koppel run pendulum --integrator ida --end 1 2>message.txt && exit 1
grep SUNDIALS message.txt
koppel run pendulum --end 1 --hdf5 2>message.txt && exit 1
grep libhdf5 message.txt
install "$(dpkg-query -W -f '${Recommends}' koppel | grep -o 'libhdf5[^ ,]*')"
koppel run pendulum --end 1 --hdf5 --out pendulum
test -s pendulum/trajectory.h5
koppel export pendulum --to html --out pendulum.html
test -s /usr/share/doc/koppel/copyright -a -s /usr/share/man/man1/koppel.1
bash -n /usr/share/bash-completion/completions/koppel

say "the Python module"
install ./koppel_python_*.deb
cd /
python3 -c '
import koppel
run = koppel.load("slider_crank").simulate(end=0.5)
assert run.status == "done" and koppel.__file__.startswith("/usr/lib/python3/dist-packages/"), koppel.__file__
print("koppel", koppel.__version__)'
cat >own.py <<'END'
import koppel as kp
m = kp.Model(gravity=(0, -9.81))
a = m.rod("upper", mass=1, length=1)
b = m.rod("lower", mass=1, length=1)
m.revolute("hip", m.ground, a.start)
m.revolute("knee", a.end, b.start, start=0.3)
run = m.simulate(end=10)
assert run.status == "done" and run["knee.angle"].shape == (1001,)
END
python3 own.py
rm own.py
say "the first mechanism of one's own in Python has moved"
cd -

say "the library"
install ./koppel_library_*.deb
install cmake g++ make
cmake -S consumer -B build -D CMAKE_BUILD_TYPE=Release -D EXAMPLES_DIR="$PWD/examples"
cmake --build build
build/consumer
ctest --test-dir build --no-tests=error --output-on-failure

say "shells and the manual's reader take what they get"
install zsh fish man-db
zsh -n /usr/share/zsh/vendor-completions/_koppel
fish --no-execute /usr/share/fish/vendor_completions.d/koppel.fish
fish -c 'complete -C "koppel compl"' | grep completion
man --warnings koppel 2>man.txt | grep -q SYNOPSIS
test ! -s man.txt || { cat man.txt; exit 1; }

say "all are removed again"
apt-get -q -y purge koppel python3-koppel libkoppel-dev
test ! -e /usr/bin/koppel -a ! -e /usr/share/koppel -a ! -e /usr/include/koppel -a ! -e /usr/lib/cmake/koppel
find /usr -name '*koppel*' | grep . && exit 1
apt-get -q -y autoremove --purge

say "the wheel, by the commands of the release notes"
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/assume-yes
sed -n '/python3-venv/,/^```/p' RELEASE-NOTES.md | sed '/^```/d; s/^sudo //' >wheel.sh
grep -q 'pip install' wheel.sh
sh -e ./wheel.sh
cd /
/try/koppel-env/bin/python -c '
import koppel, sys
run = koppel.load("slider_crank").simulate(end=0.5)
assert run.status == "done" and koppel.__file__.startswith(sys.prefix), koppel.__file__
print("koppel", koppel.__version__, "from the wheel")'
say "done"
