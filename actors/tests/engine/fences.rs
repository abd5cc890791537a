//! The one function that commits, and what fences a turn's writes (DESIGN section 3).

use futures_util::future::join_all;
use sea_orm::{ConnectionTrait, DbErr, Statement};
use turnwright_actors::clock::Clock;
use turnwright_actors::commit::{Author, Fence};
use turnwright_actors::error::EngineError;
use turnwright_actors::ids::{CommandId, LeaseToken, NodeId};
use turnwright_actors::machine::Phase;
use turnwright_actors::settings::EngineSettings;
use turnwright_actors::store::{Holder, Store};
use turnwright_actors::transition::turn::TurnWrite;

use crate::support::{Part, on_both};

#[test]
fn a_job_that_fails_takes_no_other_with_it() {
    on_both(EngineSettings::default(), async |world| {
        let jobs = (0..40_i64).map(|n| {
            world.database.transaction(move |tx| {
                Box::pin(async move {
                    let sql = "INSERT INTO rate_counters (scope, window_start, count) VALUES ($1, $2, 0)";
                    let values = [n.to_string().into(), n.into()];
                    tx.execute_raw(Statement::from_sql_and_values(tx.get_database_backend(), sql, values))
                        .await?;
                    if n % 2 == 0 { Ok(()) } else { Err(DbErr::Custom("odd".to_owned()).into()) }
                })
            })
        });
        let failed = join_all(jobs).await.iter().filter(|outcome| outcome.is_err()).count();
        assert_eq!(failed, 20);
        let sql = "SELECT COUNT(*) AS stored FROM rate_counters";
        let statement = Statement::from_string(world.database.backend(), sql);
        let row = world.database.reader().query_one_raw(statement).await.unwrap().unwrap();
        assert_eq!(row.try_get::<i64>("", "stored").unwrap(), 20);
    });
}

#[test]
fn a_turn_without_the_right_pair_writes_nothing() {
    on_both(EngineSettings::default(), async |world| {
        let go = std::sync::Arc::new(tokio::sync::Notify::new());
        world.agent.will([vec![Part::Wait(go.clone()), Part::Text("Mine.")]]);
        let running = world.prompt("Start").await;
        let store = Store::new(world.database.clone(), Clock::System, NodeId::new(), 32);
        let held = store.running_task(world.conversation).await.unwrap().unwrap().fence;
        for fence in
            [Fence { token: LeaseToken::new(), ..held }, Fence { checkpoint: held.checkpoint + 1, ..held }]
        {
            let holder = Holder {
                conversation_id: world.conversation,
                fence,
                author: Author { command_id: CommandId::new(), task_id: fence.task_id },
                phase: Phase::Request,
            };
            let refused = store.commit_turn(holder, TurnWrite::Finish("Stolen.".to_owned())).await;
            assert!(matches!(refused, Err(EngineError::LeaseLost)));
        }
        go.notify_one();
        assert_eq!(running.into_result().await.unwrap().text, "Mine.");
        assert_eq!(world.transcript().await, ["user: Start", "assistant: Mine."]);
    });
}
