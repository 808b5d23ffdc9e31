"""Source files in languages and notations that the other sets do not have."""

from ..case import case
from .stock import PEOPLE, THINGS, camel, distinct, hexes, ident, idents, plant, prose


def numbered(lines, form="{:6}\t{}"):
    return [form.format(k, x) for k, x in enumerate("\n".join(lines).split("\n"), 1)]


def cs_body(r, n=6):
    """Statements as C#, Dart and Solidity share them."""
    out = []
    for a, b in zip(idents(r, n), idents(r, n)):
        x, y = camel(a), camel(b)
        out.append(
            r.choice(
                [
                    f"        var {x} = {y}({r.randint(1, 90)}, {r.randint(1, 9)});",
                    f"        if ({x}Count > {r.randint(2, 900)}) {{ {y}({x}Count); }}",
                    f"        {x} += {y}.Total * {r.randint(2, 9)};",
                    f"        // {prose(r, 1)}",
                    f"        foreach (var row in {x}) {{ {y}(row); }}",
                ]
            )
        )
    return out


def cs_method(r, name, kind="int"):
    arg = camel(r.choice(THINGS))
    return [
        f"    public {kind} {camel(name, True)}({camel(arg, True)} {arg}, CancellationToken ct)",
        "    {",
        *cs_body(r, r.randint(5, 9)),
        f"        return {r.randint(0, 99)};",
        "    }",
        "",
    ]


@case(tool="Read", file_path="/w/shop/src/Billing/LedgerService.cs", ask="Read the ledger service, we will extend it.")
def csharp_outline(r):
    names = idents(r, 17)
    kinds = {n: r.choice(["int", "decimal", "Task<bool>", "IEnumerable<Row>"]) for n in names}
    todo = f"// TODO({r.choice(PEOPLE).lower()}): not safe when two hosts post at once"
    out = [
        "using System.Collections.Generic;",
        "using System.Threading;",
        "using Microsoft.Extensions.Logging;",
        "",
        "namespace Shop.Billing;",
        "",
        "public sealed class LedgerService : ILedger",
        "{",
        f"    private const int MaxBatch = {r.randint(100, 900)};",
        "    private readonly ILogger<LedgerService> _log;",
        "",
    ]
    at = r.randint(5, 13)
    for k, n in enumerate(names):
        out += ([f"    {todo}"] if k == at else []) + cs_method(r, n, kinds[n])
    out += ["}", "", "public record LedgerRow(long Id, decimal Amount, string Currency);"]
    return numbered(out), [f"public {kinds[n]} {camel(n, True)}(" for n in names] + ["class LedgerService : ILedger", todo[3:]]


@case(
    tool="Read",
    file_path="/w/shop/src/Billing/RefundPolicy.cs",
    ask="Round the refund differently: half to even, in the method that computes it.",
)
def edited_csharp(r):
    names = idents(r, 24)
    pick = r.randint(6, 17)
    out = ["using System;", "", "namespace Shop.Billing;", "", "public class RefundPolicy", "{"]
    needles, edit = [], None
    for k, n in enumerate(names):
        lines = cs_method(r, n, "decimal")
        if k == pick:
            old = f"        return Math.Round(gross * 0.{r.randint(10, 99)}m, 2);"
            lines[-3] = old
            edit = dict(
                file_path="/w/shop/src/Billing/RefundPolicy.cs",
                old_string=old,
                new_string=old.replace(", 2)", ", 2, MidpointRounding.ToEven)"),
            )
            needles = [[x.strip() for x in lines[2:5]], lines[0].strip()]
        out += lines
    return out + ["}"], needles, dict(edit=edit)


@case(tool="Read", file_path="/w/app/lib/cart/cart_model.dart", ask="Look at the cart model before we add coupons.")
def dart_outline(r):
    names = [camel(n) for n in idents(r, 16)]
    classes = [camel(n, True) for n in idents(r, 3)]
    out = ["import 'dart:async';", "", "import 'package:flutter/foundation.dart';", ""]
    needles = []
    for k, c in enumerate(classes):
        out += [
            f"/// {prose(r, 1)}",
            f"class {c} {'extends ChangeNotifier' if k == 0 else 'implements Comparable<' + c + '>'} {{",
            f"  {c}(this._{camel(ident(r))});",
            "",
        ]
        needles.append(f"class {c} ")
        for n in names[k * 5 : k * 5 + 5]:
            kind = r.choice(["Future<void>", "int", "Stream<Row>", "String?"])
            out += [
                f"  {kind} {n}({camel(ident(r), True)} value) {'async ' if kind[0] == 'F' else ''}{{",
                *[x[4:].replace("foreach (var", "for (final") for x in cs_body(r, r.randint(6, 10))],
                "  }",
                "",
            ]
            needles.append(f"{kind} {n}(")
        out.append("}")
    return out, needles


@case("cat -n lib/Shop/Settle.pm")
def edited_perl(r):
    subs = idents(r, 28)
    pick = r.randint(7, 20)
    out = ["package Shop::Settle;", "use strict;", "use warnings;", "use Carp qw(croak);", ""]
    needles, edit = [], None
    for k, s in enumerate(subs):
        a, b = idents(r, 2)
        body = [
            "    my ($self, %arg) = @_;",
            f"    my @{a} = grep {{ $_->{{state}} eq '{r.choice(THINGS)}' }} @{{ $self->{{rows}} }};",
            f"    croak 'no {b.replace('_', ' ')}' unless @{a};",
            "    my $sum = 0;",
            f"    $sum += $_->{{net}} * {r.randint(2, 90)} for @{a};",
        ]
        if k == pick:
            old = f"    return sprintf '%.2f', $sum / {r.randint(100, 900)};"
            body.append(old)
            needles = [f"sub {s} {{", *[x.strip() for x in body[1:5]]]
            edit = dict(file_path="lib/Shop/Settle.pm", old_string=old, new_string=old.replace("%.2f", "%.4f"))
        else:
            body.append(f"    return $sum{r.choice(['', ' || undef', ' + 1'])};")
        out += [f"=head2 {s}", "", prose(r, 1), "", "=cut", "", f"sub {s} {{", *body, "}", ""]
    return numbered(out + ["1;"]), [needles[0], needles[1:]], dict(edit=edit)


@case(tool="Read", file_path="/w/sim/src/Demand.jl", ask="The forecast explodes for small shops; please fix the damping.")
def edited_julia(r):
    names = idents(r, 28)
    pick = r.randint(7, 20)
    out = ["module Demand", "", "using LinearAlgebra, Statistics", "", f"export {', '.join(names[:3])}", ""]
    needles, edit = [], None
    for k, n in enumerate(names):
        a, b = idents(r, 2)
        body = [
            f"    {a} = similar(x)",
            "    @inbounds for i in eachindex(x)",
            f"        {a}[i] = x[i] * {r.randint(2, 90)} + {b}(i)",
            "    end",
            f"    s = norm({a}, {r.randint(1, 3)})",
        ]
        last = f"    return {a} ./ (s - 0.{r.randint(100, 999)})" if k == pick else f"    return {a} ./ s"
        if k == pick:
            needles = [f"function {n}(x::Vector{{Float64}}; λ = 0.5)", [x.strip() for x in body[2:]]]
            edit = dict(file_path="/w/sim/src/Demand.jl", old_string=last, new_string=last.replace("s -", "s +"))
        out += [
            '"""',
            f"    {n}(x; λ)",
            "",
            prose(r, 1),
            '"""',
            f"function {n}(x::Vector{{Float64}}; λ = 0.5)",
            *body,
            last,
            "end",
            "",
        ]
    return numbered(out + ["end # module"], "{:5}→{}"), needles, dict(edit=edit)


@case(tool="Read", file_path="/w/infra/network.tf", ask="Open the port of the new metrics agent in the right security group.")
def edited_terraform(r):
    names = idents(r, 34)
    pick = r.randint(8, 25)
    out, needles, edit = [], [], None
    for k, n in enumerate(names):
        port, cidr = r.randint(1000, 9999), f"10.{r.randint(0, 250)}.{r.randint(0, 250)}.0/24"
        block = [
            f'resource "aws_security_group" "{n}" {{',
            f'  name        = "{n.replace("_", "-")}"',
            f'  description = "{prose(r, 1)}"',
            "  vpc_id      = aws_vpc.main.id",
            "",
            "  ingress {",
            f"    from_port   = {port}",
            f"    to_port     = {port}",
            '    protocol    = "tcp"',
            f'    cidr_blocks = ["{cidr}"]',
            "  }",
            "",
            "  tags = local.tags",
            "}",
            "",
        ]
        if k == pick:
            old = block[9] + "\n  }"
            more = '\n\n  ingress {\n    from_port   = 9411\n    to_port     = 9411\n    protocol    = "tcp"\n    self        = true\n  }'
            edit = dict(file_path="/w/infra/network.tf", old_string=old, new_string=old + more)
            needles = [[block[0], block[2].strip(), block[6].strip()]]
        out += block
    return out, needles, dict(edit=edit)


@case("cat contracts/Escrow.sol", ask="Audit this contract. What are its entry points and is anything missing a guard?")
def solidity_outline(r):
    names = [camel(n) for n in idents(r, 15)]
    bare = r.randint(4, 10)
    out = [
        "// SPDX-License-Identifier: MIT",
        f"pragma solidity ^0.8.{r.randint(10, 26)};",
        "",
        "contract Escrow {",
        "    mapping(address => uint256) private balances;",
        "    address public owner;",
        "",
        "    modifier onlyOwner() { require(msg.sender == owner); _; }",
        "",
    ]
    needles = ["contract Escrow"]
    events = [camel(n, True) for n in idents(r, 3)]
    out += [f"    event {e}(address indexed who, uint256 amount);" for e in events] + [""]
    for k, n in enumerate(names):
        guard = "external" if k == bare else r.choice(["external onlyOwner", "external view returns (uint256)", "internal"])
        body = [
            '        (bool ok, ) = to.call{value: balances[to]}("");',
            "        require(ok);",
            "        balances[to] = 0;",
        ] if k == bare else [
            x.replace(
                "foreach (var row in ", "for (uint256 row = 0; row < "
            ).replace(") { ", "; row++) { ") if "foreach" in x else x.replace("var ", "uint256 ")
            for x in cs_body(r, r.randint(5, 8))
        ]
        out += [f"    /// @notice {prose(r, 1)}", f"    function {n}(address payable to) {guard} {{", *body, "    }", ""]
        needles.append(f"function {n}(address payable to) {guard}")
    return out + ["}"], needles + ["to.call{value: balances[to]}"]


@case("cat api/schema.graphql", ask="What does this schema offer for orders, and what is on its way out?")
def graphql_sdl(r):
    out, needles = ["scalar DateTime", "scalar Money", ""], []
    types = [camel(n, True) for n in idents(r, 18)]
    gone = r.sample(range(3, 15), 2)
    for k, t in enumerate(types):
        fields = [
            f"  {camel(f)}{r.choice(['', '(first: Int = 20, after: String)'])}: {r.choice(['ID!', 'String', 'Money!', '[' + r.choice(types) + '!]!', 'DateTime'])}"
            for f in idents(r, r.randint(7, 11))
        ]
        if k in gone:
            field, instead = camel(ident(r)) + "Old", camel(ident(r))
            fields.insert(3, f'  {field}: String @deprecated(reason: "Use {instead}, removed on 2026-0{r.randint(4, 9)}-01")')
            needles.append([field, f"Use {instead}"])
        out += ['"""', prose(r, 1), '"""', f"type {t} implements Node {{", *fields, "}", ""]
    queries = [camel(n) for n in idents(r, 6)]
    out += ["type Query {", *[f"  {q}(id: ID!, filter: {r.choice(types)}Filter): {r.choice(types)}" for q in queries], "}", ""]
    mutations = [camel(n) for n in idents(r, 5)]
    out += ["type Mutation {", *[f"  {m}(input: {r.choice(types)}Input!): {r.choice(types)}Payload!" for m in mutations], "}"]
    return out, needles + [f"{x}(" for x in queries + mutations] + [f"type {t} " for t in types[:9]]


@case(
    "cat proto/shop/v2/orders.proto", ask="Which calls does the service have? Mind field numbers that must not be used again."
)
def proto_schema(r):
    rpcs = [camel(n, True) for n in idents(r, 16)]
    out = ['syntax = "proto3";', "", "package shop.orders.v2;", "", "service Orders {"]
    for n in rpcs:
        out += [f"  // {prose(r, 1)}", f"  rpc {n}({n}Request) returns ({r.choice(['', '', 'stream '])}{n}Response);"]
    out.append("}")
    kept = f"reserved {r.randint(4, 9)}, {r.randint(10, 14)} to {r.randint(15, 19)};"
    at = r.randint(3, 9)
    for k, n in enumerate(rpcs):
        out += ["", f"message {n}Request {{", *([f"  {kept}"] if k == at else [])]
        out += [
            f"  {r.choice(['string', 'int64', 'bool', 'repeated string'])} {f} = {j};  // {prose(r, 1)}"
            for j, f in enumerate(idents(r, r.randint(3, 5)), 20)
        ] + ["}"]
    return out, [f"rpc {n}({n}Request)" for n in rpcs] + [kept]


@case("type Deploy-Shop.ps1", tool="Bash", ask="Does this script check anything before it deletes?")
def powershell_outline(r):
    names = [f"{v}-{camel(n, True)}" for v, n in zip(r.choices(["Get", "Set", "Remove", "Test", "New"], k=14), idents(r, 14))]
    at, path = r.randint(4, 10), f"D:\\Shop\\{camel(ident(r), True)}"
    danger = f"Remove-Item -Path \"{path}\\*\" -Recurse -Force -ErrorAction SilentlyContinue"
    out = [
        "#Requires -Version 7.2",
        "[CmdletBinding(SupportsShouldProcess)]",
        "param(",
        "    [string] $Environment = 'staging',",
        f"    [int] $Keep = {r.randint(3, 30)}",
        ")",
        "",
    ]
    for k, n in enumerate(names):
        out += [
            "<#",
            ".SYNOPSIS",
            f"    {prose(r, 1)}",
            "#>",
            f"function {n} {{",
            "    param([Parameter(Mandatory)][string] $Name)",
        ]
        for a, b in zip(idents(r, 4), idents(r, 4)):
            out += [
                f"    ${camel(a)} = Get-ChildItem -Filter '{b}*' | Sort-Object LastWriteTime",
                f"    if (${camel(a)}.Count -gt {r.randint(1, 90)}) {{ Write-Verbose \"{b} $Name\" }}",
            ]
        out += ([f"    {danger}"] if k == at else []) + ["}", ""]
    return "\r\n".join(out), [f"function {n}" for n in names] + [danger]


@case(
    "objdump -d --no-show-raw-insn shopd | head -520", ask="Which functions are these, and does one of them use gets or system?"
)
def objdump_listing(r):
    fns, at, out, needles = idents(r, 21), 0x401000, [
        "",
        "shopd:     file format elf64-x86-64",
        "",
        "Disassembly of section .text:",
    ], []
    bad = dict(zip(r.sample(range(4, 17), 2), ["gets@plt", "system@plt"]))
    for k, f in enumerate(fns):
        out += ["", f"{at:016x} <{f}>:"]
        n = r.randint(14, 24)
        for j in range(n):
            op = r.choice(
                [
                    "mov    %rax,-0x{:x}(%rbp)",
                    "lea    0x{:x}(%rip),%rdi",
                    "cmp    $0x{:x},%eax",
                    "add    $0x{:x},%rsp",
                    "movzbl 0x{:x}(%rdx),%ecx",
                    "xor    %esi,%esi",
                ]
            ).format(r.randint(8, 4000))
            if j == n // 2:
                op = f"call   {hexes(r, 6)} <{bad.get(k) or r.choice(fns)}>"
                if k in bad:
                    needles.append([f"<{f}>", bad[k]])
            out.append(f"  {at:x}:\t{op}")
            at += r.randint(2, 7)
        out.append(f"  {at:x}:\tret")
        at = at // 16 * 16 + 16
    return out, needles + [f"<{f}>:" for f in fns]


@case(
    tool="Read",
    file_path="/w/web/src/components/CheckoutForm.vue",
    ask="Understand this component, then tell me where validation happens.",
)
def vue_component(r):
    names = [camel(n) for n in idents(r, 12)]
    props = [camel(n) for n in idents(r, 4)]
    out = ["<template>", '  <form class="checkout" @submit.prevent="submit">']
    for n in idents(r, 18):
        out += [
            f'    <div class="{n.replace("_", "-")}">',
            f'      <label for="{n}">{n.replace("_", " ").capitalize()}</label>',
            f'      <input id="{n}" v-model="form.{camel(n)}" :class="{{ wrong: errors.{camel(n)} }}" />',
            "    </div>",
        ]
    out += [
        "  </form>",
        "</template>",
        "",
        '<script setup lang="ts">',
        "import { computed, ref, watch } from 'vue'",
        "",
        "const props = defineProps<{",
        *[f"  {p}: {r.choice(['string', 'number', 'boolean'])}" for p in props],
        "}>()",
        f"const emit = defineEmits<{{ (e: '{names[0]}', id: number): void }}>()",
        "",
    ]
    regex = f"/^[A-Z]{{2}}\\d{{{r.randint(10, 20)}}}$/"
    for k, n in enumerate(names[1:]):
        out += [f"function {n}(value: string) {{"]
        out += [f"  if (!{regex}.test(value)) return 'invalid IBAN'"] if k == 5 else []
        out += [
            f"  const {camel(a)} = form.value.{camel(b)} ?? {r.randint(1, 900)}" for a, b in zip(idents(r, 5), idents(r, 5))
        ] + [f"  return {camel(ident(r))}.value", "}", ""]
    out += [
        "</script>",
        "",
        "<style scoped>",
        *[f".{n} {{ margin: {r.randint(1, 9)}px; }}" for n in idents(r, 24, "-")],
        "</style>",
    ]
    return out, [f"function {n}(" for n in names[1:]] + ["defineProps<{", regex]


@case("cat R/forecast.R", ask="Which functions does this package file define? One of them changes global state.")
def r_functions(r):
    names = idents(r, 17, ".")
    at = r.randint(5, 12)
    out = []
    for k, n in enumerate(names):
        out += [
            f"#' {prose(r, 1)}",
            "#'",
            f"#' @param x {prose(r, 1)}",
            "#' @export",
            f"{n} <- function(x, horizon = {r.randint(2, 60)}L, ...) {{",
        ]
        out += [
            f"  {a} <- vapply(split(x, x${b}), function(d) sum(d$net) / {r.randint(2, 90)}, numeric(1))"
            for a, b in zip(idents(r, 4), idents(r, 4))
        ]
        out += [f"  options(scipen = {r.randint(100, 999)}, stringsAsFactors = TRUE)"] if k == at else []
        out += ["  invisible(x)", "}", ""]
    return out, [f"{n} <- function(x" for n in names] + [next(x.strip() for x in out if "options(" in x)]


@case("cat src/shop/core.clj", ask="List what the namespace defines; which var is dynamic?")
def clojure_namespace(r):
    names = idents(r, 34, "-")
    out = ["(ns shop.core", "  (:require [clojure.string :as str]", f"            [shop.{r.choice(THINGS)} :as x]))", ""]
    dyn = f"*{ident(r, '-')}*"
    for k, n in enumerate(names):
        head = r.choice(["defn", "defn", "defn-"])
        out += [
            f"({head} {n}",
            f'  "{prose(r, 1)}"',
            f"  [{r.choice(THINGS)} & opts]",
            f"  (let [{ident(r, '-')} (x/{ident(r, '-')} opts {r.randint(1, 90)})",
            f"        rows (filter #(> (:net %) {r.randint(1, 900)}) opts)]",
            f"    (->> rows (map :{ident(r, '-')}) (reduce + 0))))",
            "",
        ]
        if k == 17:
            out += [f"(def ^:dynamic {dyn} {r.randint(100, 999)})", ""]
    heads = [x[1:] for x in out if x.startswith("(defn")]
    return out, heads + [f"(def ^:dynamic {dyn}"]


@case("cat db/functions.sql && cat db/roles.sql", ask="Review of the stored functions: which run with the owner's rights?")
def plpgsql_functions(r):
    names = idents(r, 15)
    definers = r.sample(range(3, 12), 2)
    out = []
    for k, n in enumerate(names):
        out += [
            f"-- {prose(r, 1)}",
            f"CREATE OR REPLACE FUNCTION shop.{n}(p_{r.choice(THINGS)} bigint)",
            f"RETURNS {r.choice(['void', 'numeric', 'SETOF shop.row'])} LANGUAGE plpgsql {'SECURITY DEFINER' if k in definers else 'STABLE'} AS $$",
            "DECLARE",
            f"    v_{ident(r)} numeric := {r.randint(0, 9)};",
            "BEGIN",
        ]
        out += [
            f"    UPDATE shop.{a} SET net = net * 1.{r.randint(10, 99)} WHERE {b} > {r.randint(1, 900)};"
            for a, b in zip(idents(r, 4), idents(r, 4))
        ] + ["END $$;", ""]
    grant = f"GRANT ALL ON ALL TABLES IN SCHEMA shop TO {r.choice(['anon', 'guest', 'public_api'])};"
    out += plant(r, [f"GRANT SELECT ON shop.{n} TO reporting;" for n in idents(r, 34)], [grant], 6)
    return out, [f"FUNCTION shop.{n}(" for n in names] + [
        [f"shop.{names[k]}(", "SECURITY DEFINER"] for k in sorted(definers)
    ] + [grant]


@case("cat .github/workflows/*.yml", ask="Is there a workflow that gives secrets to code of strangers?")
def workflows_yaml(r):
    out = []
    names = idents(r, 13, "-")
    at, pinned = r.randint(3, 9), distinct(r, 13, 1, 99)
    secret = f"{ident(r).upper()}_TOKEN"
    for k, n in enumerate(names):
        out += [
            f"name: {n}",
            "on:",
            "  pull_request_target:" if k == at else "  pull_request:",
            "    types: [opened, synchronize]",
            "permissions:",
            "  contents: write" if k == at else "  contents: read",
            "jobs:",
            f"  {n}:",
            "    runs-on: ubuntu-24.04",
            f"    timeout-minutes: {pinned[k]}",
            "    steps:",
            "      - uses: actions/checkout@v4",
            *(["        with:", "          ref: ${{ github.event.pull_request.head.sha }}"] if k == at else []),
            "      - uses: actions/setup-node@v4",
            "        with:",
            f"          node-version: {r.choice([18, 20, 22])}",
        ]
        for s in idents(r, 5, "-"):
            out += [f"      - name: {s}", f"        run: pnpm run {s} --max {r.randint(1, 9)}"]
        out += ["        env:", f"          TOKEN: ${{{{ secrets.{secret} }}}}"] if k == at else []
        out.append("")
    return out, ["pull_request_target", "github.event.pull_request.head.sha", f"secrets.{secret}", names[at]]
