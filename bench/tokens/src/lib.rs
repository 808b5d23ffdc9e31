//! What the programs here share: the texts of recorded sessions, and synthetic ones of kinds that those hold rarely.

/// The texts of each session in a directory, in the order of the files' names.
pub fn sessions(corpus: &std::path::Path) -> Result<Vec<Vec<String>>, Box<dyn std::error::Error>> {
    let mut sessions = Vec::new();
    for session in recorded(corpus)? {
        let mut texts = Vec::new();
        for message in session["messages"].as_array().ok_or("no messages")? {
            texts.extend(
                ["content", "reasoning_content"].iter().filter_map(|key| message[*key].as_str()).map(str::to_owned),
            );
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                texts.extend(call["function"]["arguments"].as_str().map(str::to_owned));
            }
        }
        texts.retain(|text| !text.is_empty());
        sessions.push(texts);
    }
    Ok(sessions)
}

/// The sessions of a directory as recorded, in the order of the files' names.
pub fn recorded(corpus: &std::path::Path) -> Result<Vec<serde_json::Value>, Box<dyn std::error::Error>> {
    let mut files: Vec<_> = std::fs::read_dir(corpus)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files.iter().map(|path| Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)).collect()
}

/// Name and text of each kind; another seed gives other texts of the same kinds.
pub fn synthetic(seed: u64) -> Vec<(&'static str, String)> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut texts = Vec::new();
    for _ in 0..6 {
        let base64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        texts.push(("base64", random.letters(base64, 6_000)));
        texts.push(("hex", random.letters(b"0123456789abcdef", 4_000)));
        texts.push((
            "hex lines",
            (0..80).map(|_| random.letters(b"0123456789abcdef", 40) + "  src/file.rs\n").collect(),
        ));
        texts.push((
            "numbers",
            (0..150)
                .map(|_| {
                    format!(
                        "{},{}.{:02},{},{}\n",
                        random.below(100_000),
                        random.below(1000),
                        random.below(100),
                        random.below(10),
                        random.below(1_000_000)
                    )
                })
                .collect(),
        ));
        texts.push((
            "uuid",
            (0..60)
                .map(|_| {
                    format!(
                        "{}-{}-{}-{}-{}\n",
                        random.letters(b"0123456789abcdef", 8),
                        random.letters(b"0123456789abcdef", 4),
                        random.letters(b"0123456789abcdef", 4),
                        random.letters(b"0123456789abcdef", 4),
                        random.letters(b"0123456789abcdef", 12)
                    )
                })
                .collect(),
        ));
        let chinese = [
            "我们",
            "在",
            "这个",
            "项目",
            "中",
            "使用",
            "了",
            "一种",
            "新的",
            "方法",
            "来",
            "压缩",
            "上下文",
            "，",
            "。",
            "因此",
            "结果",
            "更好",
            "服务器",
            "请求",
            "失败",
            "时间",
            "数据库",
            "连接",
            "需要",
            "重新",
            "启动",
            "、",
            "用户",
            "文件",
        ];
        texts.push(("chinese", (0..900).map(|_| random.pick(&chinese)).collect()));
        let japanese = [
            "これ",
            "は",
            "新しい",
            "方法",
            "です",
            "。",
            "サーバー",
            "が",
            "応答",
            "しません",
            "、",
            "ファイル",
            "を",
            "確認",
            "して",
            "ください",
            "データベース",
            "の",
            "接続",
            "エラー",
            "に",
            "なりました",
        ];
        texts.push(("japanese", (0..700).map(|_| random.pick(&japanese)).collect()));
        let korean = [
            "우리는 ",
            "이 ",
            "프로젝트에서 ",
            "새로운 ",
            "방법을 ",
            "사용합니다. ",
            "서버가 ",
            "응답하지 ",
            "않습니다. ",
            "파일을 ",
            "확인해 ",
            "주세요. ",
            "데이터베이스 ",
            "연결 ",
            "오류가 ",
        ];
        texts.push(("korean", (0..400).map(|_| random.pick(&korean)).collect()));
        let russian = [
            "мы ",
            "используем ",
            "новый ",
            "способ ",
            "сжатия ",
            "контекста ",
            "сервер ",
            "не ",
            "отвечает, ",
            "поэтому ",
            "нужно ",
            "перезапустить ",
            "базу ",
            "данных. ",
            "файл ",
            "ошибка ",
        ];
        texts.push(("russian", (0..500).map(|_| random.pick(&russian)).collect()));
        let german = [
            "für ",
            "die ",
            "Überprüfung ",
            "müssen ",
            "wir ",
            "größere ",
            "Dateien ",
            "schließen, ",
            "daß ",
            "früher ",
            "möglich ",
            "wäre. ",
            "Straße ",
            "Prüfung ",
        ];
        texts.push(("german", (0..500).map(|_| random.pick(&german)).collect()));
        let emoji = ["🚀", "✅", "❌", "🔥", "👍 ", "done ", "⚠️ ", "🎉", "tests pass ", "📦 ", "🧪 "];
        texts.push(("emoji", (0..500).map(|_| random.pick(&emoji)).collect()));
        let minified = [
            "function ",
            "var ",
            "e",
            "t",
            "n",
            "=",
            "(",
            ")",
            "{",
            "}",
            "return ",
            "!0",
            ";",
            ".length",
            "&&",
            "||",
            "?",
            ":",
            "[0]",
            ",",
            "this.",
            "prototype",
            "null",
            "==",
            "r",
            "o",
            "i",
            "void 0",
            "typeof ",
            ".call(",
        ];
        texts.push(("minified js", (0..2_000).map(|_| random.pick(&minified)).collect()));
        texts.push((
            "box table",
            (0..60)
                .map(|_| {
                    format!(
                        "│ {:>12} │ {:<20} │ {:>8} │\n├──────────────┼──────────────────────┼──────────┤\n",
                        random.below(1_000_000),
                        random.pick(&["alpha", "beta build", "gamma", "release"]),
                        random.below(999)
                    )
                })
                .collect(),
        ));
        texts.push((
            "markdown table",
            (0..90)
                .map(|_| {
                    format!(
                        "| {} | {:<18} | {:.3} |\n|----|--------------------|-------|\n",
                        random.below(1_000),
                        random.pick(&["alpha", "beta build", "gamma", "release"]),
                        random.below(99999) as f64 / 1000.0
                    )
                })
                .collect(),
        ));
        let run = *random.pick_of(&['=', '-', '*', ' ', '#', '.', '_', 'a', '\n', '0']);
        texts.push(("run", run.to_string().repeat(1_000 + random.below(4_000) as usize)));
        let indented = [
            "    let x = 1;\n",
            "        if value.is_some() {\n",
            "            return Err(error.into());\n",
            "\n",
            "    }\n",
            "\t\tfmt.Println(\"ok\")\n",
            "\n\n",
        ];
        texts.push(("indented", (0..250).map(|_| random.pick(&indented)).collect()));
        texts.push((
            "timestamps",
            (0..70)
                .map(|_| {
                    format!(
                        "2026-11-{:02}T{:02}:{:02}:{:02}.{:03}Z INFO worker[{}]: request {} took {}ms\n",
                        1 + random.below(28),
                        random.below(24),
                        random.below(60),
                        random.below(60),
                        random.below(1000),
                        random.below(32),
                        random.below(1 << 30),
                        random.below(900)
                    )
                })
                .collect(),
        ));
        texts.push((
            "json numbers",
            (0..200)
                .map(|_| {
                    format!(
                        "{{\"id\":{},\"x\":{},\"ok\":{}}},",
                        random.below(100_000),
                        random.below(1_000_000) as f64 / 1e5,
                        random.below(2) == 0
                    )
                })
                .collect(),
        ));
    }
    texts
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn letters(&mut self, of: &[u8], length: usize) -> String {
        (0..length).map(|_| of[self.below(of.len() as u64) as usize] as char).collect()
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }

    fn pick_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}
