//! The help of every command ends with an example that the command line accepts.

use std::process::Command;

fn xtask(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().expect("the binary runs");
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// Returns the names of the commands, from the list in the help text.
fn commands() -> Vec<String> {
    let (code, help) = xtask(&["--help"]);
    assert_eq!(code, Some(0));
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next().map(str::to_string));
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_command_has_an_example_of_its_own() {
    let commands = commands();
    assert!(commands.len() >= 10, "{commands:?}");
    for command in commands {
        let (code, help) = xtask(&[&command, "--help"]);
        assert_eq!(code, Some(0), "{command}");
        let example = help.lines().find_map(|line| line.trim().strip_prefix("Example: cargo xtask"));
        let example = example.unwrap_or_else(|| panic!("{command} has no example: {help}"));
        let mut words = example.trim_start_matches("-coco").split_whitespace();
        assert_eq!(words.next(), Some(command.as_str()), "{example}");
        for option in words.filter(|word| word.starts_with("--")) {
            // Without COCO, its options are not in this build.
            assert!(
                command == "coco" || help.contains(option),
                "{option} of the example is not an option of {command}"
            );
        }
    }
}
