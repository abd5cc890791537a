//! The demo agent: the model and the tools that a node without a real model runs its turns with.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use turnwright_actors::ports::{Agent, LanguageModel, PrepareError, Prepared, Tool, TurnContext};

use super::model::DemoModel;
use super::record::{Record, RecordedModel, RecordedTool};
use super::script::Script;
use super::script_file::ScriptFile;
use super::scripted_model::{ScriptedModel, ScriptedTool};
use super::todo_tool::DeleteCompletedTodos;
use super::todos::Todos;
use crate::error::StartError;
use crate::settings::{AskSettings, DemoAgentSettings};

/// What the model is told first.
const SYSTEM_PROMPT: &str =
    "You are the Turnwright demo agent. You play a script that shows every kind of ask.";

/// The demo agent, or a scripted one.
pub struct DemoAgent {
    part: Part,
    record: Option<Arc<Record>>,
}

enum Part {
    /// The demo agent's scenarios.
    Demo(Prepared),
    /// A script that its file may change.
    Scripted(ScriptFile),
}

impl DemoAgent {
    /// An agent that plays the script, when one is set, and else the demo agent's scenarios over `todos`.
    ///
    /// # Errors
    /// When the script cannot be read or is wrong, or the record cannot be opened.
    pub fn new(settings: &DemoAgentSettings, asks: &AskSettings, todos: Todos) -> Result<Self, StartError> {
        let record = settings.record.as_deref().map(Record::open).transpose();
        let record = record.map_err(|error| refused("demo.record", &error))?.map(Arc::new);
        let part = match &settings.script {
            Some(script) => Part::Scripted(
                ScriptFile::open(script.clone()).map_err(|error| refused("demo.script", &error))?,
            ),
            None => Part::Demo(recorded(
                record.as_ref(),
                Arc::new(DemoModel { delay: settings.delay, asks_enabled: asks.enabled }),
                vec![Arc::new(DeleteCompletedTodos::new(todos))],
            )),
        };
        Ok(Self { part, record })
    }

    fn scripted(&self, script: Arc<Script>) -> Prepared {
        let tools = script.tools().iter().map(|tool| Arc::new(ScriptedTool(tool.clone())) as Arc<dyn Tool>);
        let tools = tools.collect();
        recorded(self.record.as_ref(), Arc::new(ScriptedModel(script)), tools)
    }
}

impl Agent for DemoAgent {
    fn prepare<'a>(&'a self, _turn: &'a TurnContext) -> BoxFuture<'a, Result<Prepared, PrepareError>> {
        Box::pin(async move {
            match &self.part {
                Part::Demo(prepared) => Ok(prepared.clone()),
                Part::Scripted(file) => match file.current() {
                    Ok(script) => Ok(self.scripted(script)),
                    Err(error) => Err(PrepareError(error.to_string())),
                },
            }
        })
    }
}

fn refused(key: &'static str, error: &dyn fmt::Display) -> StartError {
    StartError::RefusedSetting { key, reason: error.to_string() }
}

/// What a turn runs with, each request and run of it recorded when there is a record.
fn recorded(
    record: Option<&Arc<Record>>,
    model: Arc<dyn LanguageModel>,
    tools: Vec<Arc<dyn Tool>>,
) -> Prepared {
    let system_prompt = SYSTEM_PROMPT.to_owned();
    let Some(record) = record else { return Prepared { model, system_prompt, tools } };
    let tools = tools.into_iter().map(|tool| {
        let record = Arc::clone(record);
        Arc::new(RecordedTool { tool, record }) as Arc<dyn Tool>
    });
    let tools = tools.collect();
    Prepared { model: Arc::new(RecordedModel { model, record: Arc::clone(record) }), system_prompt, tools }
}

#[cfg(test)]
mod played_through;
#[cfg(test)]
mod tests;
