//! Whatever is written into a configuration, nothing panics and ranges hold.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = told(of_text(&text));
    }

    #[test]
    fn no_yaml_makes_it_panic(lines in proptest::collection::vec(line(), 0..12)) {
        let _ = told(of_text(&lines.concat()));
    }

    #[test]
    fn no_variable_or_flag_makes_it_panic(value in any::<String>(), pair in any::<String>(), index in 0..SETTINGS.len()) {
        let variable = SETTINGS[index].variable();
        let flags = [set(&pair), set(&format!("{}={value}", SETTINGS[index].path))];
        let _ = told(of_layers("", &[(&variable, &value)], &flags));
    }

    #[test]
    fn what_is_accepted_is_in_its_range(value in -2.0..2.0_f64) {
        let accepted = of_layers("", &[], &[set(&format!("compression.target_ratio={value}"))]).is_ok();
        prop_assert_eq!(accepted, (0.1..=0.8).contains(&value));
        let read = SETTINGS[1].kind.read_text(&value.to_string()).ok();
        prop_assert_eq!(read, (0.0..=1.0).contains(&value).then_some(Value::Number(value)));
    }
}

/// Lines that are nearly a configuration.
fn line() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        proptest::sample::select(KEYS).prop_map(|path| path.rsplit('.').next().unwrap_or(path).to_owned()),
        (0..SECTIONS.len()).prop_map(|index| SECTIONS[index].path.to_owned()),
        Just("<<".to_owned()),
        Just("? ".to_owned()),
        "[a-zäé\"'&*!|>%@`-]{0,6}",
    ];
    let value = prop_oneof![
        Just(String::new()),
        Just("&a".to_owned()),
        Just("*a".to_owned()),
        Just("{".to_owned()),
        Just("[1, {a: b}]".to_owned()),
        Just("|".to_owned()),
        any::<f64>().prop_map(|number| number.to_string()),
        any::<i128>().prop_map(|number| number.to_string()),
        "[ -~äé日本\t]{0,12}",
    ];
    (0..4_usize, key, value).prop_map(|(indent, key, value)| format!("{}{key}: {value}\n", "  ".repeat(indent)))
}
