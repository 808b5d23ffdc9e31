# `just check` is what CI runs; `just test` is the everyday loop.

check:
    ./check

test *ARGS:
    cargo nextest run --workspace {{ARGS}}

# Accept changed snapshots after looking at them.
snapshots:
    cargo insta review
