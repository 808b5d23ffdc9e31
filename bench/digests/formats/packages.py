"""Package managers and builds: long lists of what went well, and the one step that did not."""

from .bulk import HOSTS, NOUNS, camel, hexes, ident, idents, plant
from .case import case

ASK = "Did the installation go through?"


def version(r):
    return f"{r.randint(0, 20)}.{r.randint(0, 40)}.{r.randint(0, 20)}"


@case("npm install --verbose", ask=ASK)
def npm_conflict(r):
    peer, have = f"{r.randint(16, 18)}.x", f"19.{r.randint(0, 4)}.{r.randint(0, 9)}"
    who = f"@port/{ident(r, '-')}@{version(r)}"
    lines = ["npm verbose cli /usr/bin/node /usr/bin/npm"] + [
        f"npm http fetch GET 200 /{n} {r.randint(20, 900)}ms (cache {r.choice(['hit', 'miss', 'revalidated'])})"
        for n in idents(r, 260, "-")
    ]
    lines += [f"npm warn deprecated {n}@{version(r)}: This version is no longer supported" for n in idents(r, 20, "-")]
    error = [
        "npm error code ERESOLVE",
        "npm error ERESOLVE unable to resolve dependency tree",
        "npm error",
        "npm error While resolving: portal@1.0.0",
        f"npm error Found: react@{have}",
        "npm error node_modules/react",
        "npm error",
        "npm error Could not resolve dependency:",
        f'npm error peer react@"{peer}" from {who}',
    ]
    return lines + error + [
        f"npm error A complete log of this run can be found in: /root/.npm/_logs/{hexes(r, 8)}-debug-0.log"
    ] + [f"npm verbose stack {n}" for n in idents(r, 30, ".")], ["ERESOLVE", [f'react@"{peer}"', who], f"react@{have}"]


@case("npm install && npm audit", ask=ASK)
def npm_audit(r):
    n, low, high = ident(r, "-"), r.randint(5, 20), version(r)
    title, path = f"Prototype pollution in {n}", f"node_modules/{n}"
    lines = [f"added {x}@{version(r)} ({r.randint(1, 60)} files, {r.randint(2, 900)} kB)" for x in idents(r, 330, "-")]
    lines += [
        "",
        "added 330 packages, and audited 331 packages in 9s",
        "",
        "# npm audit report",
        "",
        f"{n}  <{high}",
        "Severity: critical",
        title,
        "fix available via `npm audit fix --force`",
        path,
        "",
    ]
    return lines + [
        f"{x}  <{version(r)}\nSeverity: low\nInefficient expression in {x}\nnode_modules/{x}\n" for x in idents(r, low, "-")
    ] + [f"{low + 1} vulnerabilities ({low} low, 1 critical)"], [[title, "critical"], f"<{high}", f"{low} low, 1 critical"]


@case("pip install -r requirements.txt", ask=ASK)
def pip_error(r):
    """The cause is in the middle of a subprocess' output; what follows is pip's own commentary."""
    bad, lib = ident(r, "-"), f"lib{r.choice(NOUNS)}/{r.choice(NOUNS)}.h"
    lines = [
        x
        for n in idents(r, 90, "-")
        for x in (
            f"Collecting {n}=={version(r)} (from -r requirements.txt (line {r.randint(1, 99)}))",
            f"  Downloading {n}-{version(r)}-py3-none-any.whl ({r.randint(10, 900)} kB)",
        )
    ]
    lines += [
        f"Building wheels for collected packages: {bad}",
        f"  Building wheel for {bad} (pyproject.toml): finished with status 'error'",
        "  error: subprocess-exited-with-error",
        "  ",
        f"  × Building wheel for {bad} (pyproject.toml) did not run successfully.",
        "  │ exit code: 1",
        f"  ╰─> [{r.randint(70, 90)} lines of output]",
    ]
    lines += [f"      copying {bad}/{n}.py -> build/lib.linux-x86_64-cpython-312/{bad}" for n in idents(r, 60)]
    lines += [
        f"      src/_native.c:{r.randint(2, 30)}:10: fatal error: {lib}: No such file or directory",
        "      compilation terminated.",
        "      error: command '/usr/bin/gcc' failed with exit code 1",
        "      [end of output]",
        "  ",
        "  note: This error originates from a subprocess, and is likely not a problem with pip.",
        f"  ERROR: Failed building wheel for {bad}",
        f"ERROR: Could not build wheels for {bad}, which is required to install pyproject.toml-based projects",
    ]
    return lines, [f"fatal error: {lib}: No such file or directory", f"Failed building wheel for {bad}"]


@case("cargo build --release --locked 2>&1", ask=ASK)
def cargo_build_script(r):
    crate, v = f"{r.choice(NOUNS)}-sys", version(r)
    lines = [f"  Downloaded {n} v{version(r)}" for n in idents(r, 120, "-")] + [
        f"   Compiling {n} v{version(r)}" for n in idents(r, 200, "-")
    ]
    missing = f"{r.choice(NOUNS)}-{r.randint(2, 9)}.pc"
    error = "\n".join(
        [
            f"error: failed to run custom build command for `{crate} v{v}`",
            "",
            "Caused by:",
            f"  process didn't exit successfully: `/srv/port/target/release/build/{crate}-{hexes(r, 16)}/build-script-build` (exit status: 101)",
            "  --- stdout",
            *[f"  cargo:rerun-if-env-changed={n.upper()}" for n in idents(r, 40)],
            "  --- stderr",
            f"  Package {missing} was not found in the pkg-config search path.",
        ]
    )
    return lines + [error, "warning: build failed, waiting for other jobs to finish..."] + [
        f"   Compiling {n} v{version(r)}" for n in idents(r, 12, "-")
    ], [f"{crate} v{v}", f"Package {missing} was not found"]


@case("apt-get install -y port-suite", ask=ASK)
def apt(r):
    n, v = f"lib{r.choice(NOUNS)}{r.randint(2, 9)}", f"{version(r)}-{r.randint(1, 9)}ubuntu{r.randint(1, 9)}"
    error = f"dpkg: error processing archive /var/cache/apt/archives/{n}_{v}_amd64.deb (--unpack):\n trying to overwrite '/usr/lib/{n}.so.1', which is also in package {n}-legacy {version(r)}"
    lines = ["Reading package lists... Done", "Building dependency tree... Done"] + [
        f"Get:{k} archive noble/main amd64 {x} amd64 {version(r)} [{r.randint(9, 999)} kB]"
        for k, x in enumerate(idents(r, 110, "-"), 1)
    ]
    steps = [
        f"Preparing to unpack .../{k:03d}-{x}_{version(r)}_amd64.deb ...\nUnpacking {x} ({version(r)}) ..."
        for k, x in enumerate(idents(r, 90, "-"))
    ]
    lines += plant(r, steps, [error], 6) + [f"Setting up {x} ({version(r)}) ..." for x in idents(r, 60, "-")]
    return lines + [
        "Errors were encountered while processing:",
        f" /var/cache/apt/archives/{n}_{v}_amd64.deb",
        "E: Sub-process /usr/bin/dpkg returned an error code (1)",
    ], [[f"{n}_{v}_amd64.deb", f"trying to overwrite '/usr/lib/{n}.so.1'"], f"{n}-legacy", "returned an error code (1)"]


@case("docker build --progress=plain .", ask="Why is there no image?")
def docker_build(r):
    step, at, name = f"RUN ./{ident(r)}.sh --strict", r.randint(10, 60), ident(r)
    lines = []
    for k, s in enumerate(["FROM docker.example/base:3", "COPY . /srv", "RUN apk add build-base", step], 1):
        lines += [f"#{k + 4} [{k}/6] {s}"]
        lines += [
            f"#{k + 4} {j / 9:.3f} ({j}/90) {'Installing' if k < 4 else 'preparing'} {n} ({version(r)})"
            for j, n in enumerate(idents(r, 80 if k > 2 else 20, "-"))
        ]
        lines += (
            [f"#{k + 4} DONE {r.randint(1, 20)}.2s", ""]
            if k < 4
            else [
                f"#{k + 4} 9.912 {name}: unbound variable",
                f'#{k + 4} ERROR: process "/bin/sh -c {step[4:]}" did not complete successfully: exit code: {at}',
            ]
        )
    lines += [
        "------",
        f" > [4/6] {step}:",
        f"9.912 {name}: unbound variable",
        "------",
        f"Dockerfile:{at}",
        "--------------------",
        *[
            f"  {at - 2 + j} | {'>>> ' if j == 2 else '    '}{step if j == 2 else 'ENV ' + n.upper() + '=1'}"
            for j, n in enumerate(idents(r, 5))
        ],
        "--------------------",
        f'ERROR: failed to solve: process "/bin/sh -c {step[4:]}" did not complete successfully: exit code: {at}',
    ]
    return lines, [f"{name}: unbound variable", [step[4:], f"exit code: {at}"]]


@case("npx webpack --mode production", ask="Is the bundle all right?")
def webpack(r):
    big, size = f"{ident(r)}.{hexes(r, 8)}.js", r.randint(4, 9)
    what = f"./{r.choice(NOUNS)}/{camel(ident(r))}"
    lines = plant(
        r,
        [
            f"asset {n}.{hexes(r, 8)}.js {r.randint(2, 90)}.{r.randint(0, 9)} KiB [emitted] [immutable] [minimized] (name: {n})"
            for n in idents(r, 90)
        ],
        [f"asset {big} {size}.{r.randint(1, 9)} MiB [emitted] [immutable] [minimized] [big] (name: vendor)"],
    )
    lines += plant(
        r,
        [f"  ./src/{r.choice(NOUNS)}/{n}.js {r.randint(300, 9000)} bytes [built] [code generated]" for n in idents(r, 160)],
        [
            f"ERROR in ./src/index.js {r.randint(2, 90)}:0-41\nModule not found: Error: Can't resolve '{what}' in '/srv/portal/src'"
        ],
    )
    return lines + [f"webpack 5.91.0 compiled with 1 error in {r.randint(3000, 9000)} ms"], [
        f"Can't resolve '{what}'",
        [big, f"{size}."],
        "compiled with 1 error",
    ]


@case("npx vite build", ask="Is the bundle all right?")
def vite(r):
    lines = ["vite v5.4.8 building for production...", "transforming..."] + [
        f"dist/assets/{camel(n)}-{hexes(r, 8)}.js{' ' * 10}{r.randint(1, 90)}.{r.randint(10, 99)} kB │ gzip: {r.randint(1, 30)}.{r.randint(10, 99)} kB"
        for n in idents(r, 150)
    ]
    at, name = f"src/views/{camel(ident(r), True)}.vue:{r.randint(5, 300)}:{r.randint(2, 40)}", camel(ident(r))
    return plant(
        r, lines, [f'[plugin vite:reporter] {at}: "{name}" is not exported by "src/store/index.ts", imported by a view.']
    ) + ["✓ built in 8.22s"], [[at, f'"{name}" is not exported by']]


@case("./gradlew build", ask=ASK)
def gradle(r):
    task = f":{r.choice(NOUNS)}:process{camel(ident(r), True)}Resources"
    why = f"Could not read entry '{hexes(r, 12)}' from cache taskHistory.bin"
    tasks = [
        f"> Task :{r.choice(NOUNS)}:{camel(n)} {r.choice(['UP-TO-DATE', 'FROM-CACHE', 'NO-SOURCE', ''])}".rstrip()
        for n in idents(r, 230)
    ]
    lines = plant(r, tasks, [f"> Task {task} FAILED"]) + [
        "",
        "FAILURE: Build failed with an exception.",
        "",
        "* What went wrong:",
        f"Execution failed for task '{task}'.",
        f"> {why}",
        "",
        "* Try:",
        "> Run with --stacktrace option to get the stack trace.",
        "> Run with --info or --debug option to get more log output.",
        "",
        "BUILD FAILED in 31s",
        f"{r.randint(100, 230)} actionable tasks: 61 executed",
    ]
    return lines, [f"Execution failed for task '{task}'", why, "BUILD FAILED"]


@case("helm upgrade port ./chart --debug", ask="Is the release out?")
def helm(r):
    host, path = r.choice(HOSTS), f"spec.template.spec.containers[0].env[{r.randint(3, 40)}].valueFrom"
    lines = [
        f"upgrade.go:{r.randint(100, 400)}: [debug] {ident(r)} for {r.choice(NOUNS)}-{hexes(r, 5)} on {host}"
        for _ in range(170)
    ]
    error = f'Error: UPGRADE FAILED: cannot patch "port-{r.choice(NOUNS)}" with kind Deployment: {path}: Invalid value: "": may not be specified when `value` is not empty'
    return plant(r, lines, [error]) + ["helm.go:84: [debug] exit status 1"], [["UPGRADE FAILED", path]]
