//! The functions of the suite have the values that an independent implementation recorded for its candidates.

use std::fs;
use std::path::Path;

use ddcma_core::{Columns, Definiteness, DiagonalDecoding, Optimizer, Plain, Root, Separable, Settings, Strategy};
use ddcma_problems::{Function, Landscape, Rotation};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().expect("a number")],
    }
}

/// An orthogonal matrix whose first row is u.
fn completed(u: &[f64]) -> Rotation {
    let n = u.len();
    let unit = (0..n).map(|k| (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect::<Vec<f64>>());
    let mut rows = vec![u.to_vec()];
    for mut row in unit {
        for _ in 0..2 {
            for earlier in &rows {
                let along: f64 = earlier.iter().zip(&row).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(earlier).for_each(|(r, e)| *r -= along * e);
            }
        }
        let length = row.iter().map(|r| r * r).sum::<f64>().sqrt();
        if length > 1e-6 && rows.len() < n {
            rows.push(row.iter().map(|r| r / length).collect());
        }
    }
    Rotation::from_rows(n, rows.concat()).expect("orthogonal by construction")
}

fn landscape(recorded: &Value) -> Landscape {
    let function: Function = recorded["function"].as_str().unwrap().parse().unwrap();
    let n = usize::try_from(recorded["n"].as_u64().unwrap()).unwrap();
    let needs_u = matches!(function, Function::Cigar | Function::Discus | Function::EllCig | Function::EllDis);
    if needs_u {
        Landscape::rotated(function, completed(&numbers(&recorded["u"]))).unwrap()
    } else if recorded["rotated"].as_bool().unwrap() {
        let rotation = Rotation::from_rows(n, numbers(&recorded["rotation"])).unwrap();
        Landscape::rotated(function, rotation).unwrap()
    } else {
        Landscape::new(function, n).unwrap()
    }
}

/// Returns the largest relative deviation of our values at the recorded candidates.
fn deviation<S: Strategy>(recorded: &Value) -> f64 {
    let landscape = landscape(recorded);
    let settings = Settings::new()
        .root(Root::Literal)
        .lambda(usize::try_from(recorded["lambda_"].as_u64().unwrap()).unwrap())
        .active(recorded["active"].as_bool().unwrap())
        .definiteness(if recorded["method"] == 2 { Definiteness::ScaleWeights } else { Definiteness::ScaleUpdate })
        .beta_eig(recorded["beta_eig"].as_f64().unwrap());
    let m0 = numbers(&recorded["m0"]);
    let builder = Optimizer::<S>::builder(&m0, recorded["sigma0"].as_f64().unwrap());
    let mut es = builder.settings(settings).build().unwrap();
    let mut largest: f64 = 0.0;
    for iteration in recorded["iterations"].as_array().unwrap() {
        let z = Columns::from_vec(m0.len(), numbers(&iteration["z"])).unwrap();
        let f = numbers(&iteration["f"]);
        assert_eq!(f.len(), z.len());
        let ours = es.ask_with(&z).unwrap().iter().map(|x| landscape.at(x));
        for (ours, recorded_value) in ours.zip(&f) {
            let ours = recorded["f_quantum"].as_f64().map_or(ours, |quantum| (ours / quantum).floor() * quantum);
            if ours != *recorded_value {
                let deviation = (ours / recorded_value - 1.0).abs();
                largest = if deviation.is_nan() { f64::INFINITY } else { largest.max(deviation) };
            }
        }
        es.tell(&f).unwrap();
    }
    largest
}

#[test]
fn values_agree_with_the_recordings() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut functions = Vec::new();
    for entry in fs::read_dir(data).unwrap() {
        let path = entry.unwrap().path();
        let recorded: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        if recorded.is_array() {
            continue; // the parameter table has no values
        }
        let deviation = match recorded["variant"].as_str().unwrap() {
            "plain" => deviation::<Plain>(&recorded),
            "sep" => deviation::<Separable>(&recorded),
            _ => deviation::<DiagonalDecoding>(&recorded),
        };
        assert!(deviation < 1e-9, "{}: {deviation:e}", path.display());
        functions.push(recorded["function"].as_str().unwrap().to_string());
    }
    functions.sort_unstable();
    functions.dedup();
    let expected = ["cigar", "discus", "ellcig", "elldis", "ellipsoid", "rastrigin", "rosenbrock", "sphere", "twoaxes"];
    assert_eq!(functions, expected);
}
