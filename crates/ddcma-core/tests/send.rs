//! Runs, settings and errors can be sent to other threads.

use ddcma_core::{
    BoundsError, Columns, ParamsError, SepCma, Settings, Solution, StartError, Stop, StopCriteria, TellError,
};

fn handed<T: Send + Sync + 'static>() {}

#[test]
fn everything_can_be_handed_to_another_thread() {
    handed::<SepCma>();
    #[cfg(feature = "dense")]
    handed::<ddcma_core::DdCma>();
    #[cfg(feature = "dense")]
    handed::<ddcma_core::PlainCma>();
    handed::<(Settings, StopCriteria, Stop, Columns, Solution)>();
    handed::<(TellError, BoundsError, TellError, ParamsError, StartError, TellError)>();
}

/// Printing an error with all its sources shows each text once.
#[test]
fn an_error_and_its_sources_say_everything_once() {
    let error = SepCma::builder(&[0.0; 3], 1.0).settings(Settings::new().c_m(7.0)).build().unwrap_err();
    let mut texts = vec![error.to_string()];
    let mut source = std::error::Error::source(&error);
    while let Some(inner) = source {
        texts.push(inner.to_string());
        source = inner.source();
    }
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].contains("c_m"), "{texts:?}");
}
