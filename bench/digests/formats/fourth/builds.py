"""Compilers, linters and builders."""

from ..case import case
from .stock import HOSTS, THINGS, Clock, camel, distinct, entries, fill, fresh, hexes, ident, idents, ip


@case("zig build --summary all")
def zig_build(r):
    names = fresh(r)
    a, b, c = (next(names) for _ in range(3))
    x, y = distinct(r, 2, 100, 900)

    def step():
        n = next(names)
        return (
            f"│  ├─ zig build-lib {n} Debug native success {r.randint(1, 9)}s MaxRSS:{r.randint(90, 400)}M\n"
            f"│  │  ├─ options cached\n│  │  └─ WriteFile {n}.zon cached\n"
            f"│  ├─ install {n} success {r.randint(100, 900)}us"
        )

    bad = [
        f"src/{a}.zig:{x}:{r.randint(5, 40)}: error: expected type 'u{r.choice([16, 32])}', found '?i64'\n"
        f"    const width: u32 = raw.{c}();\n                       ~~~^~~~~~~\n"
        f"src/{c}.zig:{y}:9: note: function return type declared here\n    pub fn {c}(self: @This()) ?i64 {{",
        f"│  ├─ zig build-exe {b} Debug native 1 errors\n│  │  └─ zig build-obj {b}_start success 2s MaxRSS:210M",
    ]
    body = fill(r, 4.7, step, bad)
    done = body.count("success") + 1
    tail = f"Build Summary: {done - 1}/{done} steps succeeded; 1 failed"
    return f"install\n├─ install generated\n{body}\n└─ done\n{tail}", [[f"src/{a}.zig:{x}", "found '?i64'"],
        f"build-exe {b}", tail]


@case("dune build @all @runtest 2>&1")
def dune_build(r):
    names = fresh(r)
    a, b, field = next(names), next(names), next(names)
    line = r.randint(40, 400)

    def warning():
        n, v, k = next(names), r.choice(THINGS), r.randint(10, 300)
        return (
            f'File "lib/{n}.ml", line {k}, characters {r.randint(2, 9)}-{r.randint(10, 30)}:\n'
            f"{k} |   let {v} = {ident(r)} () in\n          {'^' * len(v)}\n"
            f"Warning 26 [unused-var]: unused variable {v}."
        )

    bad = [
        f'File "lib/{a}.ml", line {line}, characters 14-27:\n{line} |   | Some st -> st.{field}\n                    '
        f'{"^" * 13}\n'
        f"Error: Unbound record field {field}\nHint: Did you mean {field[:-1]}s?",
        f'File "lib/{b}.mli", line 1:\nError: The implementation lib/{b}.ml\n       does not match the interface '
        f'lib/{b}.mli:\n'
        "       The value ground_all is required but not provided",
    ]
    return fill(r, 5, warning, bad), [[f"lib/{a}.ml", f"Unbound record field {field}"], [f"lib/{b}.mli", "ground_all"]]


@case("verilator --lint-only -Wall --top-module grid_top rtl/*.sv")
def verilator_lint(r):
    def warning():
        f, k, s = ident(r), r.randint(10, 900), ident(r)
        w, v = r.sample([1, 4, 8, 12, 16, 32], 2)
        return r.choice(
            [
                f"%Warning-WIDTHTRUNC: rtl/{f}.sv:{k}:{r.randint(9, 40)}: Operator ASSIGNW expects {v} bits on the "
                "Assign RHS, "
                f"but Assign RHS's VARREF '{s}' generates {w} bits.\n"
                f"                                              : ... note: In instance 'grid_top.u_{f}'\n"
                f"  {k} |   assign {s}_q = {s};\n      |          {' ' * len(s)}  ^",
                f"%Warning-UNUSEDSIGNAL: rtl/{f}.sv:{k}:{r.randint(9, 40)}: Signal is not used: '{s}'\n  {k} |   "
                f"logic {s};\n      |         ^~~~",
            ]
        )

    (f, g), s, t = idents(r, 2), "loop_" + hexes(r, 4), "q_" + hexes(r, 4)
    k, m = distinct(r, 2, 100, 900)
    bad = [
        f"%Error: rtl/{f}.sv:{k}:12: Can't find definition of variable: '{s}'\n  {k} |   if ({s}) begin\n      |     "
        "  ^~~~~~",
        f"%Warning-MULTIDRIVEN: rtl/{g}.sv:{m}:15: Signal has multiple driving blocks with different clocking: "
        f"'grid_top.u_core.{t}'\n"
        f"  {m} |   always_ff @(posedge clk_b) {t} <= d;\n      |                              ^~~~",
    ]
    body = entries(r, 10, warning, bad)
    tail = f"%Error: Exiting due to 1 error(s), {len(body) - 1} warning(s)"
    return [*body, tail], [[f"rtl/{f}.sv:{k}", s], [f"rtl/{g}.sv:{m}", t], f"{len(body) - 1} warning(s)"]


@case("bitbake core-image-grid")
def bitbake_tasks(r):
    total, n = r.randint(4000, 6000), [r.randint(100, 900)]
    recipes = fresh(r, "-")
    a, b = next(recipes), next(recipes)
    tasks = "do_fetch do_unpack do_patch do_configure do_compile do_install do_package do_populate_sysroot".split()
    pid = r.randint(100000, 999999)

    def task():
        n[0] += 1
        x = ident(r, "-")
        v = f"{r.randint(0, 9)}.{r.randint(0, 20)}-r0"
        return r.choice(
            [
                f"NOTE: Running task {n[0]} of {total} (/build/meta-grid/recipes-{x[:4]}/{x}/{x}"
                f"_git.bb:{r.choice(tasks)})",
                f"NOTE: recipe {x}-{v}: task {r.choice(tasks)}: Started",
                f"NOTE: recipe {x}-{v}: task {r.choice(tasks)}: Succeeded",
            ]
        )

    bad = [
        f"ERROR: {a}-1.4-r0 do_compile: oe_runmake failed\nERROR: {a}-1.4-r0 do_compile: ExecutionError('/build/tmp/"
        f"work/{a}/temp/run.do_compile.{pid}', 1, None, None)\n"
        f"ERROR: Logfile of failure stored in: /build/tmp/work/{a}/temp/log.do_compile.{pid}\n"
        f"| src/frame.c:{r.randint(20, 90)}:10: fatal error: linux/{hexes(r, 5)}.h: No such file or directory",
        f"WARNING: {b}-2.0-r0 do_package_qa: QA Issue: {b}: /usr/bin/{b} contained in package {b} requires "
        "libcrypt.so.1, but no providers found [file-rdeps]",
    ]
    header = bad[0].split("linux/")[1].split(":")[0]
    body = entries(r, 13, task, bad)
    tail = f"NOTE: Tasks Summary: Attempted {n[0]} tasks of which {n[0] // 2} didn't need to be rerun and 1 failed."
    return [*body, tail], [[f"{a}-1.4-r0", "do_compile"], header, [b, "libcrypt.so.1"], "1 failed"]


@case("conda env create -f environment.yml")
def conda_solve(r):
    names = fresh(r, "-")
    a, b, lib = next(names), next(names), next(names)

    def package():
        v = f"{r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 9)}"
        return f"{next(names) + '-' + v:<34}| {r.randint(10, 900)} KB    | {'#' * 20} | 100%"

    def root():
        v = r.randint(1, 9)
        return r.choice(
            [
                f"├─ {next(names)} {v}.{r.randint(0, 20)}.*  is requested and can be installed;",
                f"├─ {next(names)} is installable and it requires\n│  └─ {next(names)} >={v}.0,<{v + 1}.0a0 , which "
                "can be installed;",
            ]
        )

    lo, hi = r.randint(3, 5), r.randint(6, 9)
    clash = [
        f"├─ {a} is installable and it requires\n│  └─ {lib} >={lo - 1}.1,<{lo}.0a0 , which can be installed;",
        f"├─ {b} is not installable because it requires\n│  └─ {lib} >={hi}.2 , which conflicts with any installable "
        "versions previously reported;",
    ]
    head = (
        "\nLibMambaUnsolvableError: Encountered problems while solving:\n"
        f"  - package {b}-{hi}.0.1-py311_0 requires {lib} >={hi}.2, but none of the providers can be installed\n\n"
        "The environment can't be solved, aborting the operation. The following packages are incompatible"
    )
    body = [*entries(r, 5, package), head, *entries(r, 3, root, clash)]
    return [*body, "└─ python 3.11**  is requested and can be installed."], [
        [b, f"{lib} >={hi}.2"],
        [a, lib, f"<{lo}.0a0"],
    ]


@case("make -j8 modules 2>&1")
def kbuild_modules(r):
    names = fresh(r)
    a, b, c = (next(names) for _ in range(3))
    sym, line = f"{c}_register", r.randint(100, 900)

    def one():
        d = r.choice(["drivers/power/supply", "drivers/hwmon", "drivers/iio/adc", "net/sched", "sound/soc/codecs",
            "fs/ext4"])
        x = ident(r)
        return r.choice([f"  CC [M]  {d}/{x}.o", f"  CC [M]  {d}/{x}-core.o", f"  LD [M]  {d}/{x}.ko",
            f"  AR      {d}/built-in.a"])

    bad = [
        f"drivers/power/grid/{a}.c: In function ‘{a}_probe’:\ndrivers/power/grid/{a}.c:{line}:9: warning: ‘ret’ may "
        "be used "
        f"uninitialized [-Wmaybe-uninitialized]\n  {line} |         return ret;\n      |         ^~~~~~",
        f'ERROR: modpost: "{sym}" [drivers/power/grid/{b}.ko] undefined!',
    ]
    tail = (
        "make[1]: *** [scripts/Makefile.modpost:145: Module.symvers] Error 1\nmake: *** [Makefile:1866: modpost] "
        "Error 2"
    )
    return [*entries(r, 9, one, bad), tail], [[f"{a}.c:{line}", "uninitialized"], [sym, f"{b}.ko"]]


@case("nvcc -Xptxas -v -arch=sm_86 -c kernels/*.cu")
def ptxas_registers(r):
    names = fresh(r)
    a, b = next(names), next(names)
    spill, stack = r.randint(1100, 4000), r.randint(5000, 9000)

    def kernel(n=None, regs=None, store=0, frame=0):
        n = n or next(names)
        k = f"_Z{len(n)}{n}PKfPfi"
        return (
            f"ptxas info    : Compiling entry function '{k}' for 'sm_86'\nptxas info    : Function properties for {k}\n"
            f"    {frame} bytes stack frame, {store} bytes spill stores, {store} bytes spill loads\n"
            f"ptxas info    : Used {regs or r.randint(16, 64)} registers, {r.choice([0, 1024, 4096])} bytes smem, "
            f"{r.choice([364, 368, 380])} bytes cmem[0]"
        )

    bad = [kernel(a, 255, spill, spill), kernel(b, 40, 0, stack)]
    return fill(r, 9, kernel, bad), [[a, "255 registers", f"{spill} bytes spill stores"],
        [b, f"{stack} bytes stack frame"]]


@case("sphinx-build -n -b html docs docs/_build")
def sphinx_warnings(r):
    names = fresh(r)
    a, b, ref = next(names), next(names), ident(r, "-") + "-" + hexes(r, 3)
    line = r.randint(30, 300)
    k = [0]

    def page():
        k[0] = min(99, k[0] + r.random() / 4)
        n = next(names)
        return r.choice(
            [
                f"reading sources... [{int(k[0]):3d}%] reference/{n}",
                f"reading sources... [{int(k[0]):3d}%] guide/{n}",
                f"/src/grid/docs/reference/{n}.rst:{r.randint(5, 200)}: WARNING: py:class reference target not "
                f"found: {camel(n, True)} [ref.class]",
            ]
        )

    bad = [
        f"/src/grid/docs/guide/{a}.rst:{line}: CRITICAL: Unexpected section title or transition.\n\n^^^^^^^^^",
        f"/src/grid/docs/guide/{b}.rst: WARNING: document isn't included in any toctree",
        f"/src/grid/docs/index.rst:{r.randint(5, 60)}: ERROR: Unknown target name: \"{ref}\". [docutils]",
    ]
    n = r.randint(190, 400)
    tail = f"build finished with problems, {n} warnings (with warnings treated as errors)."
    return [*entries(r, 8, page, bad), tail], [[f"{a}.rst:{line}", "CRITICAL"], [f"{b}.rst", "toctree"], ref,
        f"{n} warnings"]


@case("packer build -color=true image.pkr.hcl")
def packer_image(r):
    def line():
        x = ident(r, "-")
        return "\x1b[0;32m    amazon-ebs.grid: " + r.choice(
            [
                f"Get:{r.randint(1, 400)} http://eu-north-1.ec2.archive.ubuntu.com/ubuntu jammy/main amd64 {x} amd64 "
                f"{r.randint(1, 9)}.{r.randint(0, 30)} [{r.randint(3, 900)} kB]",
                f"Selecting previously unselected package {x}.",
                f"Preparing to unpack .../{r.randint(10, 400)}-{x}_{r.randint(1, 9)}.{r.randint(0, 30)}_amd64.deb ...",
                f"Unpacking {x} ({r.randint(1, 9)}.{r.randint(0, 30)}) ...",
                f"Setting up {x} ({r.randint(1, 9)}.{r.randint(0, 30)}) ...",
            ]
        ) + "\x1b[0m"

    unit, code = ident(r, "-") + "-agent", r.randint(3, 125)
    signer = hexes(r, 16).upper()
    bad = [
        f"\x1b[1;31m==> amazon-ebs.grid: Job for {unit}.service failed because the control process exited with error "
        "code.\x1b[0m",
        "\x1b[1;31m==> amazon-ebs.grid: W: GPG error: http://apt.grid.example.net stable InRelease: the public key "
        f"is not available: NO_PUBKEY {signer}\x1b[0m",
    ]
    tail = (
        f"\x1b[1;31mBuild 'amazon-ebs.grid' errored after {r.randint(5, 30)} minutes: Script exited with non-zero "
        f"exit status: {code}. "
        "Allowed exit codes are: [0]\x1b[0m\n\n==> Builds finished but no artifacts were created."
    )
    return [*entries(r, 11, line, bad), tail], [f"{unit}.service failed", f"NO_PUBKEY {signer}",
        f"non-zero exit status: {code}"]


@case("dbt run --target prod")
def dbt_run(r):
    clock, names, k = Clock(r, 0.4), fresh(r), [0]
    a, b, col = next(names), next(names), "kwh_" + hexes(r, 3)
    slow = r.randint(3100, 9000)

    def model(n=None, what=None, end="\x1b[32mSELECT 411\x1b[0m", spent=None, verdict="OK created"):
        k[0] += 1
        n, what = n or next(names), what or r.choice(["view", "table", "incremental"])
        start = f"{clock():%H:%M:%S}  {k[0]} of TOTAL START sql {what} model grid_marts.{n} "
        done = f"{clock():%H:%M:%S}  {k[0]} of TOTAL {verdict} sql {what} model grid_marts.{n} "
        return f"{start:.<86} [RUN]\n{done:.<86} [{end} in {spent or r.randint(0, 9)}.{r.randint(10, 99)}s]"

    bad = [
        lambda: model(a, "table", "\x1b[31mERROR\x1b[0m", None, "ERROR creating"),
        lambda: model(b, "incremental", f"\x1b[32mINSERT 0 {r.randint(10, 99)}\x1b[0m", slow),
    ]
    body = fill(r, 9, model, bad)
    total = k[0] + 8
    tail = (
        f"{clock():%H:%M:%S}  Completed with 1 error and 0 warnings:\n{clock():%H:%M:%S}    Database Error in model "
        f"{a} (models/marts/{a}.sql)\n"
        f'  column "{col}" does not exist\n  LINE {r.randint(10, 90)}:     {col},\n'
        f"{clock():%H:%M:%S}  Done. PASS={total - 9} WARN=0 ERROR=1 SKIP=8 TOTAL={total}"
    )
    return [body.replace("of TOTAL", f"of {total}"), tail], [[a, f'column "{col}" does not exist'], [b, f"{slow}."],
        f"PASS={total - 9} WARN=0 ERROR=1 SKIP=8"]


@case("pulumi preview --diff")
def pulumi_preview(r):
    names = fresh(r, "-")
    a, b, c = (next(names) for _ in range(3))
    old, new = r.sample(["db.m5.large", "db.r6g.xlarge", "db.t3.medium", "db.m6i.2xlarge"], 2)

    def same():
        n = next(names)
        kind = r.choice(["aws:ec2/subnet:Subnet", "aws:iam/role:Role", "aws:s3/bucket:Bucket",
            "aws:lambda/function:Function"])
        return (
            f"      {kind}: (same)\n        [id={n}-{hexes(r, 6)}]\n        [urn=urn:pulumi:prod::grid::{kind}::{n}]\n"
            f"        tags: {{owner: \"{r.choice(HOSTS)}\", cidr: \"{ip(r)}/24\"}}"
        )

    bad = [
        f"    +-aws:rds/instance:Instance: (replace)\n        [id={a}]\n        [urn=urn:pulumi:prod::grid::aws:rds/"
        f"instance:Instance::{a}]\n"
        f"      ~ instanceClass: \"{old}\" => \"{new}\"\n      ~ storageEncrypted: false => true",
        f"    - aws:s3/bucket:Bucket: (delete)\n        [id={b}]\n        [urn=urn:pulumi:prod::grid::aws:s3/"
        f"bucket:Bucket::{b}]",
        f"    ~ aws:ec2/securityGroup:SecurityGroup: (update)\n        [id={c}]\n      ~ ingress[0].cidrBlocks[0]: "
        "\"172.16.0.0/12\" => \"0.0.0.0/0\"",
    ]
    n = r.randint(150, 250)
    tail = f"Resources:\n    ~ 1 to update\n    - 1 to delete\n    +-1 to replace\n    3 changes. {n} unchanged"
    return ["Previewing update (prod):", *entries(r, 10, same, bad), tail], [
        [a, "(replace)", new],
        [b, "(delete)"],
        [c, "0.0.0.0/0"],
        f"{n} unchanged",
    ]


@case("./gradlew assemble", ask="Why can the app for phones not be linked?")
def kotlin_native_link(r):
    names = fresh(r)
    a, sym = next(names), camel(next(names))

    def line():
        n = next(names)
        k = r.randint(10, 400)
        return (
            f"w: file:///ci/app/src/commonMain/kotlin/{camel(n, True)}.kt:{k}:{r.randint(5, 40)} "
            + r.choice([f"Parameter '{ident(r)}' is never used", "Unchecked cast: Any? to List<String>",
                f"'{camel(n)}(): Unit' is deprecated. Use suspend"])
        )

    bad = [
        f"e: file:///ci/app/src/iosMain/kotlin/{camel(a, True)}.kt:{r.randint(10, 400)}:17 'actual fun {sym}(): "
        "Double' has no corresponding expected declaration",
    ]
    tail = "FAILURE: Build failed with an exception.\nExecution failed for task ':app:linkDebugFrameworkIosArm64'."
    return [*entries(r, 8, line, bad), tail], [[f"{camel(a, True)}.kt", f"actual fun {sym}()"],
        "linkDebugFrameworkIosArm64"]
