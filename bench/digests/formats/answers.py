"""JSON: one object unlike its fellows, by value, key, type or size; and answers that carry their own errors."""

import json

from .bulk import HOSTS, NAMES, NOUNS, faults, hexes, ident, idents
from .case import case

ASK = "Is anything unusual in this answer?"


def fleet(r, n):
    """`n` like objects."""
    return [
        {
            "imo": 9000000 + 37 * k + r.randint(0, 30),
            "name": f"{r.choice(NAMES)} {r.choice(NOUNS).capitalize()}",
            "flag": r.choice(["PA", "LR", "MT", "NO"]),
            "state": r.choice(["moored", "at_sea"]),
            "draught_m": round(r.uniform(5, 13), 1),
            "crew": r.randint(9, 26),
            "last_port": r.choice(["Bergen", "Gdynia", "Porto"]),
            "eta": f"2025-0{r.randint(1, 9)}-1{r.randint(0, 9)}T0{r.randint(0, 9)}:30:00Z",
        }
        for k in range(n)
    ]


def odd_one(r, n):
    ships = fleet(r, n)
    return ships, ships[r.randint(8, n - 9)]


def imo(ship):
    return str(ship["imo"])


@case(tool="http_get", url="https://port.example/v1/ships", ask=ASK)
def array_rare_value(r):
    ships, odd = odd_one(r, 160)
    odd["state"] = r.choice(["aground", "seized", "missing", "on_fire"])
    return json.dumps(ships, indent=2), [[imo(odd), odd["state"]]]


@case(tool="http_get", url="https://port.example/v1/ships?compact=1", ask=ASK)
def array_extra_key(r):
    ships, odd = odd_one(r, 170)
    odd["quarantine_until"] = f"2026-0{r.randint(1, 9)}-2{r.randint(0, 8)}"
    return json.dumps(ships, separators=(",", ":")), [[imo(odd), "quarantine_until", odd["quarantine_until"]]]


@case("curl -s localhost:8080/ships | jq .", ask=ASK)
def array_missing_key(r):
    ships, odd = odd_one(r, 110)
    del odd["crew"]
    return json.dumps({"page": 1, "ships": ships, "next": None}, indent=2), [imo(odd)]


@case("curl -s localhost:8080/ships", ask=ASK)
def array_numeric_outlier(r):
    ships, odd = odd_one(r, 150)
    odd["draught_m"] = round(r.uniform(300, 900), 1)
    return json.dumps({"ships": ships}), [[imo(odd), str(odd["draught_m"])]]


@case(tool="fetch", url="https://port.example/v1/ships?flat=1", ask=ASK)
def array_wrong_type(r):
    ships, odd = odd_one(r, 150)
    odd["crew"] = r.choice(["unknown", "n/a", "?"]) + f" ({r.randint(2, 9)} reported)"
    return json.dumps(ships), [[imo(odd), odd["crew"]]]


@case(tool="fetch", url="https://port.example/v1/ships?nulls=1", ask=ASK)
def array_null_field(r):
    ships, odd = odd_one(r, 150)
    odd["eta"] = None
    return json.dumps(ships, indent=1), [imo(odd)]


@case("cat state.json", tool="terminal", ask=ASK)
def nested_object(r):
    """A tree of services by region; one is down, five levels deep."""
    reason = faults(r, 1)[0]
    tree = {
        "generated": "2025-05-05T05:05:05Z",
        "regions": {
            reg: {
                "zones": {
                    f"{reg}-{z}": {
                        "services": {
                            s: {
                                "replicas": 3,
                                "ready": 3,
                                "status": "healthy",
                                "p99_ms": r.randint(9, 90),
                                "image": f"{s}:{hexes(r, 7)}",
                            }
                            for s in r.sample(NOUNS, 9)
                        }
                    }
                    for z in "abc"
                }
            }
            for reg in ("north", "south", "east", "west")
        },
    }
    zone = f"{(reg := r.choice(['north', 'south', 'east', 'west']))}-{r.choice('abc')}"
    services = tree["regions"][reg]["zones"][zone]["services"]
    name = r.choice(list(services))
    services[name].update(ready=0, status="crashed", reason=reason)
    return json.dumps(tree, indent=2), [[json.dumps(reason)[1:-1], "crashed"], [reason.split('"')[0].strip(), name]]


@case("cat export.jsonl", ask=ASK)
def jsonl_records(r):
    ships, odd = odd_one(r, 170)
    odd["state"], odd["note"] = "detained", f"port state control hold {r.randint(1000, 9999)}"
    return [json.dumps(s) for s in ships], [[imo(odd), "detained", odd["note"]]]


@case(tool="graphql", query="{ berths { id lane } }", ask="Did the query succeed?")
def graphql_errors(r):
    lane, path = r.randint(100, 999), r.randint(3, 90)
    message = f"Cannot return null for non-nullable field Berth.{ident(r)}"
    data = {
        "data": {
            "berths": [
                {
                    "id": f"B{k}",
                    "lane": {"number": r.randint(1, 90), "depth": r.randint(4, 18)},
                    "owner": {"name": r.choice(NAMES)},
                }
                for k in range(150)
            ]
        },
        "errors": [{"message": message, "path": ["berths", path, ident(r)], "extensions": {"code": f"LANE_{lane}"}}],
    }
    return json.dumps(data, indent=2), [[message, f"LANE_{lane}"]]


@case("kubectl get pods -A -o json", ask="Are all pods well?")
def kubectl_json(r):
    def pod(name, state, ready, restarts):
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "namespace": "port",
                "uid": hexes(r, 32),
                "labels": {"app": name.split("-")[0], "pod-template-hash": hexes(r, 9)},
            },
            "spec": {
                "nodeName": r.choice(HOSTS),
                "containers": [
                    {
                        "name": "main",
                        "image": f"registry.example/{name.split('-')[0]}:{hexes(r, 7)}",
                        "resources": {"limits": {"memory": "512Mi"}},
                    }
                ],
            },
            "status": {
                "phase": "Running",
                "containerStatuses": [{"name": "main", "ready": ready, "restartCount": restarts, "state": state}],
            },
        }

    pods = [pod(f"{n}-{hexes(r, 5)}", {"running": {"startedAt": "2025-04-01T10:00:00Z"}}, True, 0) for n in idents(r, 32, "-")]
    bad = f"{r.choice(NOUNS)}-{hexes(r, 10)}"
    code, restarts = r.choice([1, 2, 137]), r.randint(20, 400)
    pods.insert(
        r.randint(4, 27),
        pod(
            bad,
            {
                "waiting": {
                    "reason": "CrashLoopBackOff",
                    "message": f"back-off 5m0s restarting failed container, last exit code {code}",
                }
            },
            False,
            restarts,
        ),
    )
    return json.dumps({"apiVersion": "v1", "items": pods, "kind": "List"}, indent=4), [
        [bad, "CrashLoopBackOff"],
        f"last exit code {code}",
    ]


@case("cat plan.json", ask="Where is the plan invalid?")
def deep_nesting(r):
    """Twenty levels down, one leaf says why."""
    why = f"lane {r.randint(100, 999)} double-booked by {r.choice(NAMES)}"

    def level(k):
        node = {
            "kind": "group",
            "id": hexes(r, 8),
            "weight": r.randint(1, 99),
            "children": [
                {"kind": "leaf", "id": hexes(r, 8), "ok": True, "slots": [r.randint(1, 99) for _ in range(6)]} for _ in range(4)
            ],
        }
        node["children"].insert(
            r.randint(0, 4), level(k - 1) if k else {"kind": "leaf", "id": hexes(r, 8), "ok": False, "error": why}
        )
        return node

    return json.dumps(level(20), indent=1), [why]


@case(tool="http_get", url="https://port.example/v1/jobs", ask="Which jobs failed?")
def counts_of_states(r):
    """Three failed jobs among many done: each has its own reason."""
    jobs = [
        {
            "job": f"J-{1000 + k}",
            "queue": r.choice(["fast", "slow"]),
            "status": "done",
            "took_ms": r.randint(20, 900),
            "error": None,
        }
        for k in range(260)
    ]
    bad = r.sample(jobs[5:-5], 3)
    for job, why in zip(bad, faults(r, 3)):
        job.update(status="failed", error=why)
    return json.dumps({"jobs": jobs, "count": 260}), [[j["job"], json.dumps(j["error"])[1:-1]] for j in bad]


@case("aws ec2 describe-security-groups", ask="Is any rule too open?")
def security_groups(r):
    groups = [
        {
            "GroupId": f"sg-{hexes(r, 12)}",
            "GroupName": n,
            "VpcId": "vpc-1",
            "IpPermissions": [
                {"FromPort": p, "ToPort": p, "IpProtocol": "tcp", "IpRanges": [{"CidrIp": f"10.{r.randint(0, 9)}.0.0/16"}]}
                for p in r.sample([443, 8443, 5432, 6379], 2)
            ],
        }
        for n in idents(r, 55, "-")
    ]
    bad = groups[r.randint(5, 49)]
    bad["IpPermissions"].append({"FromPort": 22, "ToPort": 22, "IpProtocol": "tcp", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]})
    return json.dumps({"SecurityGroups": groups}, indent=4), [["0.0.0.0/0", bad["GroupId"]]]


@case("sqlite3 -json port.db 'select * from moves'", tool="terminal", ask=ASK)
def negative_value(r):
    """A duration below zero, in rows one to a line."""
    rows = [
        {
            "move": 50000 + k * 3,
            "box": f"MSKU{r.randint(1000000, 9999999)}",
            "from": r.choice("ABCD") + str(r.randint(1, 30)),
            "to": r.choice("ABCD") + str(r.randint(1, 30)),
            "minutes": r.randint(3, 25),
        }
        for k in range(230)
    ]
    odd = rows[r.randint(20, 200)]
    odd["minutes"], odd["to"] = -r.randint(100, 900), "??"
    return "[" + ",\n".join(json.dumps(x) for x in rows) + "]", [[str(odd["move"]), str(odd["minutes"]), "??"]]
