//! Values that arrive one by one in a search, and budgets that grow.

use ddcma_core::{Missing, Separable, Stop, TellError, Ticket};
use ddcma_restarts::{Bipop, Search, SearchError, Starts, restarts};

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

fn search(budget: u64) -> Search<Separable, Bipop> {
    let starts = Starts::in_box(&[-5.0; 2], &[5.0; 2]).unwrap();
    let search = restarts(Bipop::new(), starts, 2.0).strategy::<Separable>().seed(3);
    search.max_evaluations(budget).build().unwrap()
}

/// Everything visible of a search.
fn state(search: &mut Search<Separable, Bipop>) -> String {
    let (runs, best, evaluations) = (search.runs().to_vec(), format!("{:?}", search.best()), search.evaluations());
    let es = search.optimizer().unwrap();
    format!("{runs:?} {best} {evaluations} {:?} {:?} {:?} {:?}", es.mean(), es.sigma(), es.d(), search.stop())
}

#[test]
fn a_search_told_one_by_one_is_the_same_search() {
    let (mut at_once, mut one_by_one) = (search(4000), search(4000));
    let mut generation = 0;
    while at_once.stop().is_none() {
        let values: Vec<f64> = at_once.ask().iter().map(rastrigin).collect();
        at_once.tell(&values).unwrap();
        let mut jobs: Vec<_> = one_by_one.ask_missing().map(|(ticket, x)| (ticket, rastrigin(x))).collect();
        jobs.rotate_left(generation as usize % 5);
        assert!(jobs.iter().all(|(ticket, _)| ticket.generation == generation), "counted over all runs");
        for (k, (ticket, value)) in jobs.into_iter().enumerate() {
            one_by_one.tell_one(ticket, value).unwrap();
            #[cfg(feature = "checkpoint")]
            if k as u64 == generation % 7 {
                one_by_one = Search::from_checkpoint(&one_by_one.to_checkpoint().unwrap()).unwrap();
            }
            let _ = k;
        }
        assert_eq!(state(&mut one_by_one), state(&mut at_once), "generation {generation}");
        generation += 1;
    }
    assert!(at_once.runs().len() > 3);
    assert_eq!(one_by_one.outcome(), at_once.outcome());
    let ticket = Ticket { generation, index: 0 };
    assert!(matches!(one_by_one.tell_one(ticket, 0.0), Err(SearchError::Tell(TellError::Over))));
}

#[test]
fn late_values_of_earlier_runs_are_recognized() {
    let mut search = search(4000);
    let first: Vec<Ticket> = search.ask_missing().map(|(ticket, _)| ticket).collect();
    while search.runs().is_empty() {
        let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
        search.tell(&values).unwrap();
    }
    let generation = search.runs()[0].iterations;
    let tickets: Vec<Ticket> = search.ask_missing().map(|(ticket, _)| ticket).collect();
    assert_eq!(tickets[0], Ticket { generation, index: 0 });
    let late = search.tell_one(first[2], 1.0);
    assert_eq!(late, Err(SearchError::Tell(TellError::Late { ticket: first[2], generation })));
    search.tell_one(tickets[1], 1e-9).unwrap();
    let twice = TellError::Twice { ticket: tickets[1], value: 1e-9 };
    assert_eq!(search.tell_one(tickets[1], 3.0), Err(SearchError::Tell(twice)));
    let best = search.best().unwrap();
    assert_eq!((best.value, best.run), (1e-9, 1), "the best is known before its generation is complete");
    let few = search.finish(Missing::LeaveOut);
    assert!(matches!(few, Err(SearchError::Tell(TellError::TooFew { told: 1, .. }))), "{few:?}");
    for ticket in &tickets[2..tickets.len() - 1] {
        search.tell_one(*ticket, 1.0).unwrap();
    }
    search.finish(Missing::LeaveOut).unwrap();
    assert_eq!(search.evaluations(), search.runs()[0].evaluations + tickets.len() as u64 - 2);
}

#[test]
fn a_budget_that_grows_is_that_budget_from_the_start() {
    let run = |search: &mut Search<_, _>| search.run(rastrigin).unwrap();
    let mut whole = search(4000);
    let expected = run(&mut whole);
    for steps in [vec![1000, 2500, 4000], (100..=4000).step_by(100).collect()] {
        let mut parts = search(steps[0]);
        for budget in steps {
            parts.set_max_evaluations(budget).unwrap();
            let outcome = run(&mut parts);
            assert!(matches!(outcome.stop, Stop::Evaluations { .. }));
            assert!(matches!(outcome.runs.last().unwrap().stop, Stop::Evaluations { .. }));
        }
        assert_eq!(state(&mut parts), state(&mut whole));
        assert_eq!(parts.outcome().unwrap(), expected);
    }
    let mut going_on = search(4000);
    going_on.ask();
    assert!(matches!(going_on.set_max_evaluations(0), Err(SearchError::EmptyBudget { .. })));
    let values: Vec<f64> = going_on.ask().iter().map(rastrigin).collect();
    going_on.tell(&values).unwrap();
    going_on.set_max_evaluations(3).unwrap();
    assert!(going_on.stop().is_some(), "more are used than there are now");
    let mut less = search(1000);
    let outcome = run(&mut less);
    less.set_max_evaluations(900).unwrap();
    let after = less.outcome().unwrap();
    assert_eq!((after.value, after.evaluations), (outcome.value, outcome.evaluations), "nothing is undone");
    assert_eq!(after.stop, Stop::Evaluations { evaluations: outcome.evaluations, budget: 900 });
}

#[test]
fn a_budget_that_ends_a_search_within_a_generation_loses_no_value() {
    let mut undisturbed = search(4000);
    undisturbed.run(rastrigin).unwrap();
    let mut cut = search(4000);
    let jobs: Vec<(Ticket, Vec<f64>)> = cut.ask_missing().map(|(ticket, x)| (ticket, x.to_vec())).collect();
    for (ticket, x) in &jobs[..3] {
        cut.tell_one(*ticket, rastrigin(x)).unwrap();
    }
    cut.set_max_evaluations(2).unwrap();
    assert_eq!(cut.stop(), Some(&Stop::Evaluations { evaluations: 3, budget: 2 }));
    let told: Vec<f64> = jobs[..3].iter().map(|(_, x)| rastrigin(x)).collect();
    let (best, _) = told.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap();
    let outcome = cut.outcome().unwrap();
    assert_eq!((outcome.value, &outcome.point), (told[best], &jobs[best].1));
    assert_eq!((outcome.best_run, outcome.evaluations), (Some(0), 3));
    assert_eq!((outcome.runs[0].best_value, outcome.runs[0].best_evaluation), (told[best], Some(best as u64 + 1)));
    #[cfg(feature = "checkpoint")]
    {
        cut = Search::from_checkpoint(&cut.to_checkpoint().unwrap()).unwrap();
        assert_eq!(cut.outcome(), Some(outcome));
    }
    // With the old budget, it continues with the missing values of the same generation.
    cut.set_max_evaluations(4000).unwrap();
    assert_eq!(
        cut.ask_missing().map(|(ticket, _)| ticket).collect::<Vec<_>>(),
        jobs[3..].iter().map(|job| job.0).collect::<Vec<_>>()
    );
    cut.run(rastrigin).unwrap();
    assert_eq!(cut.outcome(), undisturbed.outcome());
    assert_eq!(state(&mut cut), state(&mut undisturbed));
}

/// A generation whose values were all known before takes no evaluations.
#[cfg(feature = "checkpoint")]
#[test]
fn known_values_go_through_checkpoints() {
    use ddcma_core::{Missing, Run, Told};

    let starts = Starts::in_box(&[-3.0; 2], &[3.0; 2]).unwrap();
    let mut search = restarts(Bipop::new(), starts, 1.0).max_evaluations(900).seed(3).build().unwrap();
    for generation in 0..400 {
        search.ask();
        for index in 0..search.pending().lambda() {
            let value: f64 = search.pending().points()[index].iter().map(|x| x * x - 3.0 * (7.0 * x).cos()).sum();
            let told = Told::from(value).evaluations(u32::from(generation % 3 > 0));
            search.take(search.pending().ticket(index), told).unwrap();
        }
        search.finish(Missing::RankLast).unwrap();
        search = Search::from_checkpoint(&search.to_checkpoint().unwrap()).unwrap();
        if search.stop().is_some() {
            break;
        }
    }
    assert!(search.stop().is_some() && search.runs().len() > 1);
}
