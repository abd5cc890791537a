//! Tools run side by side, and what goes wrong in one is the model's to read (DESIGN section 4).

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use turnwright_actors::ports::{ModelMessage, Tool, ToolError, ToolOutput};
use turnwright_actors::settings::EngineSettings;

use crate::support::{Part, TestTool, World, on_both};
use crate::turns::confirm;

fn outputs(world: &World) -> Vec<ToolOutput> {
    let given = world.agent.given.lock().unwrap();
    let Some(ModelMessage::Tool { results }) = given.last().unwrap().messages.last() else { panic!() };
    results.iter().map(|result| result.output.clone()).collect()
}

#[test]
fn the_calls_of_a_step_run_once_each_and_their_results_keep_the_models_order() {
    on_both(EngineSettings::default(), async |world| {
        let one = Arc::new(TestTool::new("one", || Ok(json!(1))));
        let two = Arc::new(TestTool::new("two", || Err(ToolError("no two".to_owned()))));
        *world.agent.tools.lock().unwrap() = vec![one.clone() as Arc<dyn Tool>, two.clone()];
        let calls = ["two", "one", "none"].map(|name| Part::Call("same", name, json!({})));
        world.agent.will([calls.to_vec(), vec![Part::Text("Done.")]]);
        assert_eq!(world.say("Start").await.text, "Done.");
        assert_eq!(
            outputs(&world),
            [
                ToolOutput::Error(json!({"error": "no two"})),
                ToolOutput::Json(json!(1)),
                ToolOutput::Error(json!({"error": "There is no tool named none in this turn."})),
            ]
        );
        let ran = one.runs.lock().unwrap()[0].clone();
        assert_eq!((ran.tool_call_id.as_str(), ran.request, ran.user_id), ("same_2", 0, world.user));
        assert_eq!((one.runs.lock().unwrap().len(), two.runs.lock().unwrap().len()), (1, 1));
    });
}

#[test]
fn a_tool_beside_an_ask_runs_before_the_pause_and_not_again() {
    on_both(EngineSettings::default(), async |world| {
        let tool = Arc::new(TestTool::new("tool", || Ok(json!("ran"))));
        *world.agent.tools.lock().unwrap() = vec![tool.clone() as Arc<dyn Tool>];
        let step = vec![confirm("call_1"), Part::Call("call_2", "tool", json!({}))];
        world.agent.will([step, vec![Part::Text("Done.")]]);
        assert!(world.say("Start").await.pending_ask.is_some());
        assert_eq!(tool.runs.lock().unwrap().len(), 1);
        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        world.answer("call_1", yes.clone()).await.unwrap().into_result().await.unwrap();
        assert_eq!(tool.runs.lock().unwrap().len(), 1);
        assert_eq!(outputs(&world), [ToolOutput::Json(yes), ToolOutput::Json(json!("ran"))]);
    });
}

#[test]
fn a_tool_that_hangs_or_panics_gives_the_model_an_error() {
    on_both(EngineSettings::default(), async |world| {
        let mut slow = TestTool::new("slow", || Ok(json!(1)));
        slow.waits = Some(Arc::default());
        slow.deadline = Duration::from_millis(20);
        let wild = TestTool::new("wild", || panic!("a tool panicked"));
        *world.agent.tools.lock().unwrap() = vec![Arc::new(slow) as Arc<dyn Tool>, Arc::new(wild)];
        let calls = ["slow", "wild"].map(|name| Part::Call(name, name, json!({})));
        world.agent.will([calls.to_vec(), vec![Part::Text("Done.")]]);
        assert_eq!(world.say("Start").await.error, None);
        assert!(outputs(&world).iter().all(|output| matches!(output, ToolOutput::Error(_))));
    });
}
