"""Installs missing packages and runs the tests of Treeline.

    scripts/test                         the default suites: format, all Swift tests, C, index reader, docs, runtime
    scripts/test --all                   every suite except those in the last table of --list, and those that
                                         TREELINE_SKIP names
    scripts/test server viewer           suites by name; --list names them
    scripts/test viewer -- -k stack      one suite; arguments after -- go to its test runner
    scripts/test --filter Query          Swift tests by name, without optimization, so that they compile in seconds
    scripts/test --module TreelineFormats   the tests of one module, without optimization

TREELINE_TRIALS scales random and exhaustive tests: fast (the default), full (the default of --all) or thorough.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

from suites import ALONE, DEFAULT, OTHERS, SUITES, TESTS, Step

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / ".build-test/logs"
TRIALS = ("fast", "full", "thorough")
# Seconds after which a step is ended because it seems to hang. Thorough trials get ten times as long.
LIMIT = 2400
# A step has priority if it and the longest chain of steps after it take longer than this number of seconds.
LONG = 550
# Debian packages that are installed before the first step, because builds need them.
OF_BUILDS = {"binutils", "esbuild", "gcc", "libc6-dev", "nodejs", "python3-dev"}
# Exit code for wrong arguments (sysexits.h).
USAGE = 64

# Patterns of the lines in which test runners print their counts.
SWIFT_TESTING = re.compile(r"Test run with (\d+) tests?.* (passed|failed) after")
SWIFT_TESTING_FAILURE = re.compile(r"^. Test (?!run with ).* failed after [\d.]+ seconds", re.MULTILINE)
SWIFT_TESTING_SKIP = re.compile(r"^➜ Test .* skipped", re.MULTILINE)
XCTEST = re.compile(r"^\s*Executed (\d+) tests?, with (?:\d+ tests? skipped and )?(\d+) failures?", re.MULTILINE)
TAP = re.compile(r"^# (pass|fail|skipped) (\d+)$", re.MULTILINE)
PYTEST = re.compile(r"^=*\s*((?:\d+ \w+,? ?)+) in [\d.]+s", re.MULTILINE)


def main():
    arguments, extra = sys.argv[1:], []
    if "--" in arguments:
        extra = arguments[arguments.index("--") + 1 :]
        arguments = arguments[: arguments.index("--")]
    if arguments[:1] in (["--help"], ["-h"]):
        print(__doc__.strip())
    elif arguments == ["--list"]:
        list_suites(sys.stdout)
    elif arguments[:1] in (["--filter"], ["--module"]) and len(arguments) == 2:
        check_trials("fast")
        inner_loop(*arguments)
    elif arguments == ["--all"]:
        check_trials("full")
        chosen = [suite for suite in DEFAULT + OTHERS if suite.name not in skipped()]
        sys.exit(Run(chosen, []).finish(names_others=bool(skipped())))
    elif all(name in SUITES for name in arguments) and (not extra or len(arguments) == 1):
        check_trials("fast")
        sys.exit(Run([SUITES[name] for name in arguments] or list(DEFAULT), extra).finish(names_others=not arguments))
    else:
        unknown = next((name for name in arguments if name not in SUITES), None)
        found = f"unknown suite or option '{unknown}'" if unknown else "arguments after -- need exactly one suite"
        print(f"scripts/test: error: {found}; the suites are:\n", file=sys.stderr)
        list_suites(sys.stderr)
        sys.exit(USAGE)


def check_trials(default):
    trials = os.environ.setdefault("TREELINE_TRIALS", default)
    if trials not in TRIALS:
        print(f"scripts/test: error: TREELINE_TRIALS: expected {', '.join(TRIALS)}, found '{trials}'", file=sys.stderr)
        sys.exit(USAGE)


def skipped():
    """Returns the names of the suites that --all leaves out."""
    names = os.environ.get("TREELINE_SKIP", "").split()
    if unknown := [name for name in names if name not in SUITES]:
        print(f"scripts/test: error: TREELINE_SKIP: expected names of suites, found '{unknown[0]}'", file=sys.stderr)
        sys.exit(USAGE)
    return names


def list_suites(output):
    print("suite       usual  what it checks", file=output)
    for suites in (DEFAULT, OTHERS, ALONE):
        for suite in suites:
            print(f"{suite.name:<10} {clock(suite.seconds):>6}  {suite.about}", file=output)
            if needed := [*suite.packages, *suite.requirements]:
                print(f"{'':18} needs {', '.join(needed)}", file=output)
        print(file=output)
    print(
        "scripts/test without arguments runs the first table, --all the first two. Times are minutes on two cores with TREELINE_TRIALS=full,\n"
        f"without the build of the tests ({TESTS.seconds // 60} minutes), which most suites share.", file=output)


def inner_loop(option, pattern):
    """Builds without optimization, and only the modules that are needed. Runs the Swift tests that match a pattern, or
    all tests of one module."""
    # The server's tests are not listed: they belong to another package.
    modules = sorted(re.findall(r'name: "(\w+)Tests"', (ROOT / "Package.swift").read_text()))
    try:
        chosen = [name for name in modules if name == pattern or option == "--filter" and has_match(name, pattern)]
    except re.error as error:
        print(f"scripts/test: error: '{pattern}' is no regular expression: {error}", file=sys.stderr)
        sys.exit(USAGE)
    if not chosen:
        found = f"no module '{pattern}'" if option == "--module" else f"no test matches '{pattern}'"
        print(f"scripts/test: error: {found}; the modules are {', '.join(modules)}", file=sys.stderr)
        sys.exit(USAGE)
    expression = pattern if option == "--filter" else rf"^{re.escape(pattern)}(Tests)?\."
    swift = ["swift", "test", "--test-product", "treelinePackageTests", "--filter", expression]
    environment = os.environ | {"TREELINE_TESTED_MODULES": " ".join(chosen)}
    sys.exit(subprocess.run(prepared(shlex.join(swift)), cwd=ROOT, env=environment).returncode)


def has_match(module, pattern):
    """Returns whether a module may have tests whose names match a pattern. The names of tests are composed of all types
    and functions in one file, so a module may be found that has no such test."""
    for file in (ROOT / f"Tests/{module}Tests").rglob("*.swift"):
        names = re.findall(r"\b(struct|class|enum|actor|extension|func) (\w+)", file.read_text())
        functions = [name for kind, name in names if kind == "func"] or [""]
        types = [name for kind, name in names if kind != "func"] or [""]
        if any(re.search(pattern, f"{module}Tests.{type}/{function}()") for type in types for function in functions):
            return True
    return False


def prepared(command):
    """Returns the command for bash, preceded by the installation of the packages that Treeline needs."""
    return ["bash", "-c", f"source scripts/support/setup; exec {command}"]


class Run:
    """A run of the steps of some suites. A step starts as soon as the steps that it needs are done and a core is
    free."""

    def __init__(self, suites, extra):
        self.start = time.monotonic()
        self.cores = os.cpu_count() or 2
        self.suite_steps = [step for suite in suites for step in suite.steps]
        self.remaining = chains(self.suite_steps)
        # Longer chains start earlier, so that no long chain is left at the end.
        self.steps = sorted(self.remaining, key=self.remaining.get, reverse=True)
        self.others = [suite.name for suite in OTHERS if suite not in suites]
        # Python keeps compiled modules outside of the sources.
        self.environment = os.environ | {
            "PYTHONPYCACHEPREFIX": str(ROOT / ".build-test/pycache"), "ARGUMENTS": shlex.join(extra)}
        for step in self.steps:
            for name, path in step.exports.items():
                self.environment[name] = str(ROOT / path)
        self.results = {}
        LOGS.mkdir(parents=True, exist_ok=True)
        packages = {package for suite in suites for package in suite.packages}
        # sudo can ask for a password only before the first step.
        self.install(sorted(packages & OF_BUILDS if needs_no_password() else packages))
        # The other packages are installed while the first steps run.
        self.packages = None
        self.packaged = {step for suite in suites if set(suite.packages) - OF_BUILDS for step in suite.steps}
        if self.packaged:
            command = f"source scripts/support/packages; install_missing {shlex.join(sorted(packages - OF_BUILDS))}"
            self.packages = Step("packages of Debian", command, cores=0, is_preparation=True)
            self.steps.insert(0, self.packages)
            self.remaining[self.packages] = LONG + 1
        self.run_all()

    def install(self, packages):
        command = 'source scripts/support/packages; install_missing "${build_packages[@]}" "$@"'
        if any(".build-" in step.command and "_environment " in step.command for step in self.steps):
            packages.append("python3-venv")
        subprocess.run(["bash", "-c", command, "bash", *packages], cwd=ROOT, check=True)

    def needs(self, step):
        return (*step.needs, self.packages) if step in self.packaged else step.needs

    def run_all(self):
        waiting, running = list(self.steps), {}
        with concurrent.futures.ThreadPoolExecutor(len(self.steps)) as pool:
            while waiting or running:
                kept = 0
                for step in list(waiting):
                    needed = [self.results.get(needed) for needed in self.needs(step)]
                    if any(result and not result.passed for result in needed):
                        self.end(step, Result(step, 0, 0, "", None))
                        waiting.remove(step)
                    elif all(needed) and not self.is_preceded(step) and self.has_room(step, running.values(), kept):
                        self.say(f"{step.title} …")
                        running[pool.submit(self.execute, step)] = step
                        waiting.remove(step)
                    elif not all(needed) and self.is_ready_soon(step, running.values()):
                        # Without this reservation, a step with a shorter chain of steps after it would take the core.
                        kept += step.cores
                if not running:
                    continue
                done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    self.end(running.pop(future), future.result())

    def is_preceded(self, step):
        """Returns whether another step of this run must end first."""
        return any(other in self.steps and other not in self.results for other in step.after)

    def is_ready_soon(self, step, running):
        """Returns whether all steps that the step needs have passed or will end in seconds."""
        return all(
            other in self.results or (other in running and other.seconds <= 5) for other in self.needs(step))

    def has_room(self, step, running, kept):
        busy = kept + sum(min(other.cores, self.cores) for other in running)
        return step.cores == 0 or busy + min(step.cores, self.cores) <= self.cores

    def execute(self, step):
        log = LOGS / f"{re.sub(r'[^a-z0-9]+', '-', step.title.lower()).strip('-')}.log"
        start = time.monotonic()
        with open(log, "wb") as output:
            # The builds for which most tests wait have priority. Browsers have it, because their tests wait for frames.
            # Linux divides the processor among sessions, so the whole session gets this niceness. `nice` would have no
            # effect, and libdispatch sets the niceness of its threads itself. Starts a new session, so that all
            # processes of the step can be ended together.
            niceness = 0 if self.remaining[step] > LONG or 0 < step.cores < 1 else 10
            command = f"echo {niceness} 2>/dev/null >/proc/self/autogroup || true; {step.command}"
            process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", command], cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            limit = LIMIT * (10 if os.environ["TREELINE_TRIALS"] == "thorough" else 1)
            alarm = threading.Timer(limit, end_group, [process.pid, signal.SIGKILL])
            alarm.start()
            # Unlike `process.wait`, `wait4` returns how long cores were busy.
            _, status, usage = os.wait4(process.pid, 0)
            code = process.returncode = os.waitstatus_to_exitcode(status)
            alarm.cancel()
            end_group(process.pid, signal.SIGTERM)
            if code == -signal.SIGKILL and time.monotonic() - start > limit:
                output.write(f"\nscripts/test: ended after {limit} seconds, because it seems to hang\n".encode())
        return Result(step, time.monotonic() - start, usage.ru_utime + usage.ru_stime, log.read_text("utf-8", "replace"), code)

    def end(self, step, result):
        self.results[step] = result
        self.say(f"{step.title}: {result.summary}")

    def say(self, text):
        print(f"[{clock(time.monotonic() - self.start)}] {text}", flush=True)

    def finish(self, names_others=False):
        results = [self.results[step] for step in self.steps]
        failed = [result for result in results if not result.passed]
        for result in failed:
            if result.code is not None:
                print(f"\n──── {result.step.title} failed with exit code {result.code}:\n{result.output.rstrip()}")
        print(f"\n{'step':<44} {'seconds':>8} {'CPU':>8} {'tests':>6} {'compiled':>9}")
        for result in results:
            tests = "" if result.step.is_preparation else str(result.passed_tests + result.failed_tests)
            note = "" if result.passed else "  not run" if result.code is None else "  FAILED"
            print(
                f"{result.step.title:<44} {result.seconds:>8.1f} {result.cpu_seconds:>8.1f} {tests:>6} "
                f"{result.compilations or '':>9}{note}")
        total = time.monotonic() - self.start
        tests = sum(result.passed_tests + result.failed_tests for result in results)
        print(
            f"{'all, side by side':<44} {total:>8.1f} {sum(result.cpu_seconds for result in results):>8.1f} {tests:>6} "
            f"{sum(result.compilations for result in results):>9}")
        print(
            "\n'CPU' is the time for which cores were busy, in seconds. 'compiled' counts how often the module Treeline was "
            f"compiled. Output is in {LOGS.relative_to(ROOT)}.")
        skipped = sum(result.skipped_tests for result in results)
        print(
            f"{sum(r.passed_tests for r in results)} passed, {sum(r.failed_tests for r in results)} failed"
            + (f", {skipped} skipped" if skipped else ""))
        if names_others and self.others:
            print(f"Other suites: {', '.join(self.others)}; scripts/test --all runs all suites, --list shows what they need.")
        return 1 if failed else 0


class Result:
    def __init__(self, step, seconds, cpu_seconds, output, code):
        self.step, self.seconds, self.cpu_seconds, self.output, self.code = step, seconds, cpu_seconds, output, code
        self.passed = code == 0
        self.compilations = count_compilations(output)
        self.passed_tests, self.failed_tests, self.skipped_tests = count_tests(output)
        if step.is_preparation:
            self.passed_tests, self.failed_tests, self.skipped_tests = 0, 0, 0
        elif self.passed and not self.passed_tests:
            # A check that prints no counts of tests counts as one test.
            self.passed_tests = 1
        if not self.passed and not self.failed_tests:
            self.failed_tests = 1

    @property
    def summary(self):
        if self.code is None:
            return "not run, because a step that it needs failed"
        seconds = f"{self.seconds:.0f} s"
        if not self.passed:
            return f"FAILED after {seconds}"
        return f"done in {seconds}" if self.step.is_preparation else f"{self.passed_tests} passed in {seconds}"


def needs_no_password():
    """Returns whether packages can be installed without a password."""
    if os.geteuid() == 0 or not shutil.which("sudo"):
        return True
    return subprocess.run(["sudo", "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0


def end_group(group, number):
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass


def chains(steps):
    """Returns for each of the steps, and for each step that they need, the seconds from its start to the end of the
    longest chain of steps that need each other."""
    following = collections.defaultdict(list)

    def add(step):
        for needed in step.needs:
            if step not in following[needed]:
                following[needed].append(step)
            add(needed)
        following.setdefault(step, [])

    def remaining(step):
        return step.seconds + max(map(remaining, following[step]), default=0)

    for step in steps:
        add(step)
    return {step: remaining(step) for step in following}


def count_tests(output):
    """Returns the numbers of tests that passed, failed and were skipped, summed over all test runners in the output."""
    counts = collections.Counter()
    for total, outcome in SWIFT_TESTING.findall(output):
        failures = len(SWIFT_TESTING_FAILURE.findall(output)) if outcome == "failed" else 0
        counts["failed"] += failures
        counts["passed"] += int(total) - failures
    skipped = len(SWIFT_TESTING_SKIP.findall(output))
    counts["skipped"] += skipped
    counts["passed"] -= skipped
    executed = [(int(total), int(failures)) for total, failures in XCTEST.findall(output)]
    if executed:
        # Suites contain suites; the last line has the counts of all suites together.
        total, failures = executed[-1]
        counts["failed"] += failures
        counts["passed"] += total - failures
    for outcome, number in TAP.findall(output):
        counts[{"pass": "passed", "fail": "failed"}.get(outcome, outcome)] += int(number)
    for summary in PYTEST.findall(output):
        for number, word in re.findall(r"(\d+) (\w+)", summary):
            counts["failed" if word.startswith("error") else word] += int(number)
    return counts["passed"], counts["failed"], counts["skipped"]


def count_compilations(output):
    """Returns how often the module Treeline was compiled. A debug build emits the module once; an optimized build
    compiles it as a whole."""
    emitted = len(re.findall(r"Emitting module Treeline$", output, re.MULTILINE))
    compiled = len(re.findall(r"Compiling Treeline(?: \S+\.swift)?$", output, re.MULTILINE))
    return emitted or compiled


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


if __name__ == "__main__":
    main()
