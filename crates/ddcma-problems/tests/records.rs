//! Instances in records of experiments, written and read by name.
#![cfg(feature = "serde")]

use ddcma_problems::{Function, Instance, Spec};

#[test]
fn an_instance_is_its_name() {
    let instance = Instance::from_name("rastrigin-rotated/n=5/seed=18446744073709551615").unwrap();
    let json = serde_json::to_string(&instance).unwrap();
    assert_eq!(json, "\"rastrigin-rotated/n=5/seed=18446744073709551615\"");
    assert_eq!(serde_json::from_str::<Instance>(&json).unwrap(), instance);
    assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), instance.spec());
    assert_eq!(serde_json::to_string(&Function::EllCig).unwrap(), "\"ellcig\"");
    assert_eq!(serde_json::from_str::<Function>("\"ellcig\"").unwrap(), Function::EllCig);
}

#[test]
fn what_names_no_instance_is_an_error() {
    let error = |json: &str| serde_json::from_str::<Instance>(json).unwrap_err().to_string();
    assert!(error("\"rosenbrock/n=1/seed=1\"").contains("n must be at least 2"));
    assert!(error("\"nothing/n=1/seed=1\"").contains("there is no function"));
    assert!(error("3").contains("expected a string"));
}
