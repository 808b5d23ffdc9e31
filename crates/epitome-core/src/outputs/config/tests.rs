//! Configurations of many sorts, and what is none.

use super::*;
use crate::outputs::testing::{check, check_for, is_covered, made, output};

fn compose() -> String {
    let service = |name: &str| {
        let odd = if name == "indexer" { "    privileged: true\n" } else { "" };
        let restart = if name == "mailer" { "\"no\"" } else { "unless-stopped" };
        format!(
            "  {name}:\n    image: registry.example.org/{name}:1.4.2\n    restart: {restart}\n{odd}    environment:\n      LOG_LEVEL: info\n      DATABASE_URL: postgres://db/{name}\n    ports:\n      - \"80:80\"\n    healthcheck:\n      test: [\"CMD\", \"true\"]\n      interval: 30s\n"
        )
    };
    let services: String =
        ["web", "api", "worker", "indexer", "mailer", "search", "cron", "gateway"].map(service).concat();
    format!(
        "# The shop's services.\nversion: \"3.9\"\nname: shop\nservices:\n{services}networks:\n  front:\n    driver: bridge\n  back:\n    internal: true\nvolumes:\n  pgdata:\n    driver: local\n"
    )
}

#[test]
fn blocks_are_told_by_their_keys_and_by_what_is_unlike() {
    insta::assert_snapshot!(check("cat compose.yaml", &compose()), @r#"
    [digest of configuration: 11 of 101 lines kept, 549 tokens; original f44f8a6dbf13]
    92 keys in 38 blocks
    version: "3.9"
    name: shop
    services: {web, api, worker, indexer, mailer, search, cron, gateway}
      web: {image, restart: unless-stopped, environment, ports, healthcheck}
      api: {image, restart: unless-stopped, environment, ports, healthcheck}
      worker: {image, restart: unless-stopped, environment, ports, healthcheck}
      indexer: {image, restart: unless-stopped, privileged: true, environment, ports, healthcheck}
    services.indexer: privileged: true
    services.mailer: restart: "no"
    networks: {front, back}
    volumes: {pgdata}
    "#);
}

#[test]
fn a_list_of_like_items_keeps_the_odd_one_and_what_is_wrong() {
    let pod = |n: usize| {
        let (phase, reason, priority) = match n {
            12 => ("Running", "Started", 900),
            17 => ("Failed", "Evicted", 5),
            _ => ("Running", "Started", 5),
        };
        format!(
            "- metadata:\n    name: cart-{n}\n    namespace: shop\n  spec:\n    priority: {priority}\n  status:\n    phase: {phase}\n    reason: {reason}\n    restarts: 0\n"
        )
    };
    let text = format!("apiVersion: v1\nitems:\n{}kind: List\n", (0..30).map(pod).collect::<String>());
    insta::assert_snapshot!(check("kubectl get pods -o yaml", &text), @"
    [digest of configuration: 9 of 273 lines kept, 1,049 tokens; original 594396fe8a70]
    273 keys in 91 blocks
    apiVersion: v1
    items: [cart-0…cart-29 (30)]
      cart-0: {name: cart-0, namespace: shop, spec, status}
      cart-1: {name: cart-1, namespace: shop, spec, status}
      cart-2: {name: cart-2, namespace: shop, spec, status}
      cart-3: {name: cart-3, namespace: shop, spec, status}
    items: metadata, name: cart-12, namespace: shop, spec {priority: 900}, status {phase: Running, reason: Started, restarts: 0}
    items: metadata, name: cart-17, namespace: shop, spec {priority: 5}, status {phase: Failed, reason: Evicted, restarts: 0}
    kind: List
    ");
}

#[test]
fn names_that_go_on_by_numbers_are_told_by_the_first_and_the_last() {
    let keys: String = (0..80).map(|n| format!("  slot{n}: bin{n}\n")).collect();
    let text = format!("kind: Store\nslots:\n{keys}  overflow: /srv/rest\ncat: more.yaml: No such file or directory\n");
    insta::assert_snapshot!(check("cat store.yaml more.yaml", &text), @"
    [digest of configuration: 4 of 84 lines kept, 336 tokens; original 489eb3abf386]
    84 keys in 1 blocks
    kind: Store
    slots: {slot0: bin0…slot79: bin79 (80), overflow: /srv/rest}
    slots: overflow: /srv/rest
    cat: more.yaml: No such file or directory
    ");
}

#[test]
fn what_stands_at_the_top_of_many_documents_is_not_repeated_for_all() {
    let document = |n: usize| format!("---\nkind: Map\nname: map-{n}\ndata:\n  a: one\n  b: two\n  c: three\n");
    let text: String = (0..900).map(document).collect();
    let digest = check("cat all.yaml", &text);
    assert!(digest.len() < 2_500, "{digest}");
}

#[test]
fn a_block_that_the_agent_names_is_shown() {
    let digest = check_for("why does the mailer not restart", "cat compose.yaml", &compose());
    assert!(digest.contains("DATABASE_URL: postgres://db/mailer"), "{digest}");
}

#[test]
fn sections_are_told_by_their_keys() {
    let dependencies: String = (0..40).map(|n| format!("crate-{n} = \"1.{n}\"\n")).collect();
    let text = format!(
        "[package]\nname = \"shop\"\nversion = \"0.4.1\"\nedition = \"2024\"\nauthors = [\n  \"Ada\",\n  \"Bob\",\n]\n\n[features]\ndefault = [\"tls\"]\ntls = []\n\n[dependencies]\n{dependencies}\n[dev-dependencies]\ninsta = \"1\"\nproptest = {{ version = \"1\", default-features = false }}\n\n[profile.release]\nlto = true\ncodegen-units = 1\npanic = \"abort\"\n\n[[bin]]\nname = \"shop\"\npath = \"src/main.rs\"\n{}",
        "# Nothing below this line is read by the build.\n".repeat(20)
    );
    insta::assert_snapshot!(check("cat Cargo.toml", &text), @r#"
    [digest of configuration: 14 of 87 lines kept, 501 tokens; original 25c12a686f6e]
    59 keys in 6 blocks
    [package] name: "shop", version: "0.4.1", edition: "2024", authors
      name = "shop"
      version = "0.4.1"
      edition = "2024"
      authors = [ (+3 lines)
      "Ada",
      "Bob",
    [features] default: ["tls"], tls: []
    [dependencies] crate-0: "1.0"…crate-39: "1.39" (40)
    [dev-dependencies] insta: "1", proptest
      insta = "1"
      proptest = { version = "1", default-features = false }
    [profile.release] lto: true, codegen-units: 1, panic: "abort"
    [bin] name: "shop", path: "src/main.rs"
    "#);
}

#[test]
fn keys_without_blocks_stand_together() {
    let groups = ["DATABASE", "REDIS", "SMTP", "STORAGE", "AUTH"];
    let keys = ["HOST", "PORT", "USER", "PASSWORD", "TIMEOUT_SECONDS", "POOL_SIZE"];
    let lines: Vec<String> = groups
        .iter()
        .flat_map(|group| {
            keys.iter()
                .map(move |key| format!("{group}_{key}=value-of-{}-{}", group.to_lowercase(), key.to_lowercase()))
        })
        .collect();
    let text = format!(
        "# Settings of the shop.\n{}\nexport DEBUG=\"false\"\n{}",
        lines.join("\n"),
        "# more to come\n".repeat(40)
    );
    insta::assert_snapshot!(check("cat .env", &text), @"
    [digest of configuration: 6 of 72 lines kept, 453 tokens; original abfc0727c70b]
    31 keys: DATABASE_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, REDIS_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, SMTP_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, STORAGE_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, AUTH_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, DEBUG
    DATABASE_HOST=value-of-database-host
    DATABASE_PORT=value-of-database-port
    DATABASE_USER=value-of-database-user
    DATABASE_PASSWORD=value-of-database-password
    DATABASE_TIMEOUT_SECONDS=value-of-database-timeout_seconds
    DATABASE_POOL_SIZE=value-of-database-pool_size
    ");
}

#[test]
fn braces_make_blocks() {
    let server = |n: usize| {
        let extra = if n == 4 { "        proxy_buffering off;\n" } else { "" };
        format!(
            "    server {{\n        listen 443 ssl;\n        server_name shop-{n}.example.org;\n        ssl_certificate /etc/tls/shop-{n}.pem;\n        location / {{\n            proxy_pass http://shop-{n}:8080;\n            proxy_set_header Host $host;\n        }}\n{extra}    }}\n"
        )
    };
    let servers: String = (0..9).map(server).collect();
    let text = format!(
        "user nginx;\nworker_processes auto;\n\nevents {{\n    worker_connections 1024;\n}}\n\nhttp {{\n    sendfile on;\n    gzip on;\n{servers}}}\n"
    );
    insta::assert_snapshot!(check("cat /etc/nginx/nginx.conf", &text), @"
    [digest of configuration: 8 of 93 lines kept, 583 tokens; original a0e76fdf92d3]
    71 keys in 20 blocks
    user nginx;
    worker_processes auto;
    events: {worker_connections: 1024}
    http: {sendfile: on, gzip: on, server 9×}
      server: {listen: 443 ssl, server_name: shop-0.example.org, ssl_certificate: /etc/tls/shop-0.pem, location /}
      server: {listen: 443 ssl, server_name: shop-1.example.org, ssl_certificate: /etc/tls/shop-1.pem, location /}
      server: {listen: 443 ssl, server_name: shop-2.example.org, ssl_certificate: /etc/tls/shop-2.pem, location /}
    http.server: proxy_buffering off;
    ");
    let resource = |n: usize| {
        format!(
            "resource \"aws_instance\" \"web_{n}\" {{\n  ami           = var.ami\n  instance_type = \"t3.small\"\n  tags = {{\n    Name = \"web-{n}\"\n  }}\n}}\n\n"
        )
    };
    let terraform: String = (0..12).map(resource).collect();
    assert_eq!(made("", "cat main.tf", &terraform).expect("a digest").kind, "configuration");
}

#[test]
fn tags_make_blocks() {
    let job = |n: usize| {
        let extra = if n == 20 { "      <runAs>root</runAs>\n" } else { "" };
        format!(
            "    <job>\n      <name>task-{n}</name>\n      <every unit=\"h\">6</every>\n{extra}      <keep/>\n    </job>\n"
        )
    };
    let text = format!(
        "<?xml version=\"1.0\"?>\n<!-- The jobs. -->\n<schedule>\n  <zone>UTC</zone>\n  <jobs>\n{}  </jobs>\n</schedule>\n",
        (0..40).map(job).collect::<String>()
    );
    insta::assert_snapshot!(check("cat jobs.xml", &text), @r#"
    [digest of configuration: 11 of 208 lines kept, 970 tokens; original 43c7e70b3b1b]
    164 keys in 42 blocks
    schedule: {zone: UTC, jobs}
      jobs: [task-0…task-39 (40)]
        task-0: {name: task-0, every: 6, keep: }
        task-1: {name: task-1, every: 6, keep: }
        task-2: {name: task-2, every: 6, keep: }
        task-3: {name: task-3, every: 6, keep: }
        task-4: {name: task-4, every: 6, keep: }
        task-5: {name: task-5, every: 6, keep: }
        task-6: {name: task-6, every: 6, keep: }
        task-7: {name: task-7, every: 6, keep: }
    schedule.jobs: job, name: task-20, every unit="h" 6, runAs: root, keep
    "#);
}

#[test]
fn an_attribute_that_is_unlike_the_others_shows_the_element() {
    let parcel = |n: usize| {
        let state = if n == 33 { "returned" } else { "sent" };
        format!(
            "  <parcel no=\"R-{n}\" state=\"{state}\">\n    <to town=\"Ulm\">Ada {n}</to>\n    <weight>{}</weight>\n  </parcel>\n",
            n % 7 + 1
        )
    };
    let text = format!("<?xml version=\"1.0\"?>\n<parcels>\n{}</parcels>\n", (0..60).map(parcel).collect::<String>());
    let digest = check("curl parcels.xml", &text);
    assert!(digest.contains(r#"no="R-33" state="returned" {to town="Ulm" Ada 33, weight: 6}"#), "{digest}");
}

#[test]
fn a_block_that_no_other_has_is_shown_and_like_blocks_hide_nothing() {
    let path = |n: usize| {
        let more = if n == 9 { "    delete:\n      deprecated: true\n      operationId: purgeAll\n" } else { "" };
        format!("  /part{n}:\n    get:\n      operationId: get{n}\n      summary: One of the parts\n{more}")
    };
    let text = format!("openapi: 3.0.1\ninfo:\n  title: Parts\npaths:\n{}", (0..16).map(path).collect::<String>());
    let digest = check("cat openapi.yaml", &text);
    assert!(digest.contains("delete {deprecated: true, operationId: purgeAll}"), "{digest}");
    let web =
        |n: usize| format!("resource \"server\" \"web_{n}\" {{\n  image = var.image\n  size  = \"small\"\n}}\n\n");
    let text = format!("{}output \"url\" {{\n  value = main.name\n}}\n", (0..30).map(web).collect::<String>());
    let digest = check("cat main.tf", &text);
    for part in ["30 like blocks", "web_29", "output \"url\": {value: main.name}"] {
        assert!(digest.contains(part), "{part}: {digest}");
    }
}

#[test]
fn a_feed_keeps_its_title_and_those_of_its_items() {
    let item = |n: usize| {
        format!(
            "<item>\n  <title>Release {n}.0: {} and other things</title>\n  <link>https://news.example/{n}</link>\n  <description>{}</description>\n</item>\n",
            ["faster", "safer", "smaller"][n % 3],
            "Words of it. ".repeat(40)
        )
    };
    let text = format!(
        "<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel>\n<title>News of the shop</title>\n<link>https://news.example/</link>\n{}</channel></rss>\n",
        (0..4).map(item).collect::<String>()
    );
    let digest = check("curl feed.xml", &text);
    for part in ["News of the shop", "Release 0.0: faster and other things", "Release 2.0: smaller and other things"] {
        assert!(digest.contains(part), "{part}: {digest}");
    }
}

#[test]
fn documents_below_each_other_are_records() {
    let document = |n: usize| {
        let state = if n == 11 { "TERMINATED" } else { "RUNNING" };
        format!("---\nname: vm-{n}\nzone: north-{}\nstatus: {state}\nmachine: small\n", n % 3)
    };
    let digest = check("cloud list --format yaml", &(0..40).map(document).collect::<String>());
    assert!(digest.contains("TERMINATED"), "{digest}");
}

#[test]
fn a_unit_keeps_its_sections() {
    let environment: String = (0..60).map(|n| format!("Environment=OPTION_{n}=value-{n}\n")).collect();
    let text = format!(
        "[Unit]\nDescription=Shop\nAfter=network-online.target\n\n[Service]\nExecStart=/usr/bin/shop serve\nRestart=always\nUser=shop\n{environment}\n[Install]\nWantedBy=multi-user.target\n"
    );
    let digest = check("systemctl cat shop", &text);
    for part in ["[Unit]", "[Service]", "[Install]", "ExecStart", "WantedBy"] {
        assert!(digest.contains(part), "{part}: {digest}");
    }
}

#[track_caller]
fn no_configuration(text: &str) {
    assert_eq!(Config.read(&output("x", text), Effort::Full), None);
}

#[test]
fn other_outputs_are_left_to_other_kinds() {
    no_configuration("");
    no_configuration("key: value\n");
    no_configuration(&"INFO: started the worker\nWARN: slow answer\n".repeat(40));
    no_configuration(&"remote: Counting objects: 12\nremote: Compressing\n".repeat(20));
    no_configuration(&"- button \"Save\" [ref=e1]\n- link \"Home\" [ref=e2]:\n  - /url: /\n".repeat(30));
    no_configuration(
        &"- The first thing that we want to say is this.\n- Another: it goes on with many words here.\n".repeat(30),
    );
    no_configuration(&format!(
        "---\ntitle: A page\ndate: 2025-01-01\n---\n{}",
        "This is prose, and there is a lot of it.\n\n".repeat(30)
    ));
    no_configuration(&"test a::b ... ok\ntest a::c ... ok\n".repeat(40));
    no_configuration(&"fn main() {\n    let a = 1;\n    call(a);\n}\n".repeat(20));
    no_configuration(&".button {\n  color: red;\n  margin: 0 auto;\n}\n".repeat(20));
    no_configuration(&"message Order {\n  string id = 1;\n  int64 total = 2;\n}\n".repeat(20));
    no_configuration(&"interface Order {\n  id: string;\n  total: number;\n}\n".repeat(20));
}

proptest::proptest! {
    #[test]
    fn any_text_is_covered_by_its_pieces(lines in proptest::collection::vec("[ab:=\\[\\]{};|\"# é-]{0,14}|  - a: b|key: v|x = 1|\\[s\\]", 0..40)) {
        proptest::prop_assert!(is_covered(&Config, &lines.join("\n")));
    }
}

#[test]
fn keys_that_differ_in_a_number_are_compared_by_their_values() {
    let keys: String = (0..30)
        .map(|n| format!("app.module{n}.enabled=true\napp.module{n}.timeout={}\n", if n == 12 { 30_000 } else { 30 }))
        .collect();
    insta::assert_snapshot!(check("cat app.properties", &format!("{keys}app.name=the shop of all shops\n")), @"
    [digest of configuration: 17 of 61 lines kept, 379 tokens; original 608da2f6e37c]
    61 keys: app.{module0.enabled…module29.enabled (30),module0.timeout…module29.timeout (30),name}
    app.module0.enabled=true
    app.module0.timeout=30
    app.module1.enabled=true
    app.module1.timeout=30
    app.module2.enabled=true
    app.module2.timeout=30
    app.module3.enabled=true
    app.module3.timeout=30
    app.module4.enabled=true
    app.module4.timeout=30
    app.module5.enabled=true
    app.module5.timeout=30
    app.module6.enabled=true
    app.module6.timeout=30
    app.module7.enabled=true
    app.module7.timeout=30
    app.module12.timeout=30000
    ");
}
