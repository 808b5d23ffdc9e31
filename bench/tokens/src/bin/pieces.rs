//! Writes what the estimator is fitted on: `pieces <corpus> <out>`.
//!
//! One record a text: u8 half (0 fit, 1 check, 2 and 3 synthetic), u32 session, u32 length, the bytes, then one u8 a byte that is 1 where a token
//! starts. Sessions alternate between the halves in the order of their names.

use std::io::Write as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, corpus, out] = arguments.as_slice() else { return Err("usage: pieces <corpus> <out>".into()) };
    let mut out = std::io::BufWriter::new(std::fs::File::create(out)?);
    let encoding = tiktoken::get_encoding("o200k_base").ok_or("no vocabulary")?;
    let mut write = |half: u8, session: u32, text: &str| -> std::io::Result<()> {
        let mut starts = vec![0_u8; text.len()];
        let mut at = 0;
        for token in encoding.encode(text) {
            starts[at] = 1;
            at += encoding.decode(&[token]).len();
        }
        assert_eq!(at, text.len());
        out.write_all(&[half])?;
        out.write_all(&session.to_le_bytes())?;
        out.write_all(&(text.len() as u32).to_le_bytes())?;
        out.write_all(text.as_bytes())?;
        out.write_all(&starts)
    };
    for (index, texts) in epitome_bench_tokens::sessions(corpus.as_ref())?.iter().enumerate() {
        for text in texts {
            write((index % 2) as u8, index as u32, text)?;
        }
    }
    for (index, (_, text)) in epitome_bench_tokens::synthetic(1).iter().enumerate() {
        write(2, 1000 + index as u32, text)?;
    }
    for (index, (_, text)) in epitome_bench_tokens::synthetic(2).iter().enumerate() {
        write(3, 1000 + index as u32, text)?;
    }
    Ok(())
}
