//! What a client hears: the lines of its own command, or of a whole conversation (DESIGN section 7).

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use tokio::runtime::Handle;
use turnwright_schemas::events::{Retracted, ToolCallEvent, ToolResultEvent, TurnEvent};

use crate::bus::{BusEvent, Delta, Fact, Listener, Published};
use crate::error::EngineError;
use crate::ids::{CommandId, ConversationId};
use crate::message::MessageBody;
use crate::registry::Presence;
use crate::store::Store;

/// The SSE id of a line: the last durable `seq`, and within the text of a step the offset after it in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// The last durable `seq`.
    pub seq: i64,
    /// Bytes of the running step's text.
    pub offset: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => write!(f, "{}", self.seq),
            offset => write!(f, "{}.{offset}", self.seq),
        }
    }
}

/// A `Last-Event-ID` or `after` that is no position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event id is a number, or two with a dot between them")]
pub struct NotAPosition;

impl FromStr for Position {
    type Err = NotAPosition;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (seq, offset) = text.split_once('.').unwrap_or((text, "0"));
        let number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if !number(seq) || !number(offset) {
            return Err(NotAPosition);
        }
        Ok(Self {
            seq: seq.parse().map_err(|_| NotAPosition)?,
            offset: offset.parse().map_err(|_| NotAPosition)?,
        })
    }
}

/// One `data:` line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its id; where one row yields several lines, only the last has it.
    pub id: Option<Position>,
    /// What it says.
    pub event: TurnEvent,
}

/// Whether text is sent as it arrives, or held until it is known to be the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StreamText {
    /// As it arrives; `retracted` takes it back when the step calls a tool.
    #[default]
    Live,
    /// Held until the step has ended.
    Step,
}

impl FromStr for StreamText {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "live" => Ok(Self::Live),
            "step" => Ok(Self::Step),
            _ => Err("it must be \"live\" or \"step\""),
        }
    }
}

/// The lines of one command, from its first to its `done`.
pub struct CommandStream {
    listener: Listener,
    command_id: CommandId,
    text: StreamText,
    lines: VecDeque<Line>,
    sent: usize,
    undone: bool,
    first_seq: Option<i64>,
    last_seq: i64,
    ended: bool,
    _presence: Presence,
}

impl CommandStream {
    /// The stream of a command. `listener` must have begun to listen before the command was stored.
    pub(crate) fn new(listener: Listener, command_id: CommandId, presence: Presence) -> Self {
        Self {
            listener,
            command_id,
            text: StreamText::default(),
            lines: VecDeque::new(),
            sent: 0,
            undone: false,
            first_seq: None,
            last_seq: 0,
            ended: false,
            _presence: presence,
        }
    }

    /// Chooses how text is sent. Call it before the first line is taken.
    pub fn with_text(mut self, text: StreamText) -> Self {
        self.text = text;
        self
    }

    /// The next line; `None` after `done`. Cancel safe.
    pub async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Some(line);
            }
            if self.ended {
                return None;
            }
            let event = self.listener.next().await;
            self.hear(event);
        }
    }

    /// Reads to `done`; the `seq`s of the command's first and last facts.
    pub async fn to_end(mut self) -> (i64, i64) {
        while self.next().await.is_some() {}
        (self.first_seq.unwrap_or(self.last_seq), self.last_seq)
    }

    fn hear(&mut self, event: BusEvent) {
        match event {
            BusEvent::Durable(fact) if fact.command_id == self.command_id => self.fact(&fact),
            BusEvent::Delta(delta) if delta.command_id == self.command_id => {
                if self.text == StreamText::Live
                    && let Some(line) = text_line(&delta, &mut self.sent)
                {
                    self.lines.push_back(line);
                }
            }
            BusEvent::Retracted { command_id, after_seq } if command_id == self.command_id => {
                self.sent = 0;
                if self.text == StreamText::Live {
                    self.lines.push_back(retracted(after_seq));
                }
            }
            BusEvent::Durable(_) | BusEvent::Delta(_) | BusEvent::Retracted { .. } => {}
            BusEvent::Closed => self.ended = true,
        }
    }

    fn fact(&mut self, Published { seq, fact, .. }: &Published) {
        self.first_seq.get_or_insert(*seq);
        self.last_seq = *seq;
        let id = Some(Position { seq: *seq, offset: 0 });
        match fact {
            // The client of an answer that is undone is told by `done`; the ask it had is on its screen still.
            Fact::Event(TurnEvent::MessageRemoved { .. }) => self.undone = true,
            Fact::Event(TurnEvent::Ask { .. }) if self.undone => {}
            Fact::Event(TurnEvent::Retracted { .. }) if self.text == StreamText::Step => {}
            Fact::Event(event) => {
                if matches!(event, TurnEvent::Retracted { .. }) {
                    self.sent = 0;
                }
                self.ended = matches!(event, TurnEvent::Done(_));
                self.lines.push_back(Line { id, event: event.clone() });
            }
            Fact::Message { body: MessageBody::Assistant { text }, .. } => {
                // What was held, or what a preview missed.
                if let Some(rest) = text.get(self.sent..).filter(|rest| !rest.is_empty()) {
                    self.lines.push_back(Line { id, event: TurnEvent::Text { text: rest.to_owned() } });
                }
                self.sent = 0;
            }
            Fact::Message { body, .. } => {
                self.sent = 0;
                self.lines.extend(derived(body).map(|event| Line { id, event }));
            }
        }
    }
}

/// Everything a conversation's listener hears, from a position on.
pub struct ConversationStream {
    listener: Listener,
    store: Store,
    runtime: Handle,
    conversation_id: ConversationId,
    lines: VecDeque<Line>,
    at: Position,
    ended: bool,
    _presence: Presence,
}

impl ConversationStream {
    /// The stream from a position on: stored facts, the text in progress, then live. `listener` must have begun to
    /// listen before `newest`, the conversation's last `seq`, was read.
    ///
    /// # Errors
    /// When the stored facts cannot be read.
    pub(crate) async fn open(
        mut listener: Listener,
        store: Store,
        runtime: Handle,
        conversation_id: ConversationId,
        at: Position,
        presence: Presence,
    ) -> Result<Self, EngineError> {
        let progress = listener.take_progress();
        let mut stream = Self {
            listener,
            store,
            runtime,
            conversation_id,
            lines: VecDeque::new(),
            at,
            ended: false,
            _presence: presence,
        };
        stream.backfill(None).await?;
        if let Some(progress) = progress {
            let end = progress.text.len();
            let delta = Delta {
                command_id: progress.command_id,
                after_seq: progress.after_seq,
                end,
                text: progress.text,
            };
            stream.hear(BusEvent::Delta(delta)).await?;
        }
        Ok(stream)
    }

    /// The next line; `None` once the conversation is gone.
    ///
    /// # Errors
    /// When facts that were missed cannot be read; the client should connect again.
    pub async fn next(&mut self) -> Result<Option<Line>, EngineError> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Ok(Some(line));
            }
            if self.ended {
                return Ok(None);
            }
            let event = self.listener.next().await;
            self.hear(event).await?;
        }
    }

    async fn hear(&mut self, event: BusEvent) -> Result<(), EngineError> {
        match event {
            BusEvent::Durable(fact) if fact.seq <= self.at.seq => {}
            BusEvent::Durable(fact) => {
                // An undo leaves a seq without a fact; anything else between is read from the record.
                if fact.seq > self.at.seq + 1 {
                    self.backfill(Some(fact.seq - 1)).await?;
                }
                self.fact(&fact);
            }
            BusEvent::Delta(delta) if delta.after_seq < self.at.seq => {}
            BusEvent::Delta(delta) => {
                if delta.after_seq > self.at.seq {
                    self.backfill(Some(delta.after_seq)).await?;
                    self.at = Position { seq: delta.after_seq, offset: 0 };
                }
                self.lines.extend(text_line(&delta, &mut self.at.offset));
            }
            BusEvent::Retracted { after_seq, .. } => {
                if after_seq == self.at.seq && self.at.offset > 0 {
                    self.at.offset = 0;
                    self.lines.push_back(retracted(after_seq));
                }
            }
            BusEvent::Closed => self.ended = true,
        }
        Ok(())
    }

    async fn backfill(&mut self, until: Option<i64>) -> Result<(), EngineError> {
        let (store, id, after) = (self.store.clone(), self.conversation_id, self.at.seq);
        let facts = self
            .runtime
            .spawn(async move { store.facts(id, after, until).await })
            .await
            .map_err(|_| EngineError::Stopping)??;
        for fact in &facts {
            self.fact(fact);
        }
        Ok(())
    }

    fn fact(&mut self, Published { seq, fact, .. }: &Published) {
        let missed = end_of_preview(self.at.offset, fact);
        self.lines.extend(missed.map(|event| Line { id: None, event }));
        self.at = Position { seq: *seq, offset: 0 };
        let id = Some(self.at);
        match fact {
            Fact::Event(event) => self.lines.push_back(Line { id, event: event.clone() }),
            Fact::Message { body, row } => {
                self.lines.extend(derived(body).map(|event| Line { id: None, event }));
                self.lines.push_back(Line { id, event: TurnEvent::Message { message: row.clone() } });
            }
        }
    }
}

/// What a listener that has heard `offset` bytes of a step's text must still hear of it before `fact`, which follows
/// the step: the rest of the reply, or that the text was no reply. Both are missed by who comes back later.
fn end_of_preview(offset: usize, fact: &Fact) -> Option<TurnEvent> {
    match fact {
        _ if offset == 0 => None,
        Fact::Message { body: MessageBody::Assistant { text }, .. } => {
            let rest = text.get(offset..).filter(|rest| !rest.is_empty())?;
            Some(TurnEvent::Text { text: rest.to_owned() })
        }
        Fact::Event(TurnEvent::Retracted { .. }) => None,
        Fact::Message { .. } | Fact::Event(_) => Some(TurnEvent::Retracted { retracted: Retracted::Text }),
    }
}

/// The event a host tool's row also is. Asks never produce one (spec "SSE events").
fn derived(body: &MessageBody) -> Option<TurnEvent> {
    match body {
        MessageBody::ToolCall { tool_name, tool_call_id, args, ask: None } => Some(TurnEvent::ToolCall {
            tool_call: ToolCallEvent {
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                args: args.clone(),
            },
        }),
        MessageBody::ToolResult { tool_name, tool_call_id, result, answers_ask: false } => {
            Some(TurnEvent::ToolResult {
                tool_result: ToolResultEvent {
                    tool_call_id: tool_call_id.clone(),
                    tool_name: tool_name.clone(),
                    result: result.clone(),
                },
            })
        }
        MessageBody::User { .. }
        | MessageBody::Assistant { .. }
        | MessageBody::ToolCall { .. }
        | MessageBody::ToolResult { .. } => None,
    }
}

/// The part of a preview that was not sent yet; nothing of one that leaves a gap, which the stored message fills.
fn text_line(delta: &Delta, sent: &mut usize) -> Option<Line> {
    let start = delta.end.saturating_sub(delta.text.len());
    if start > *sent {
        return None;
    }
    let fresh = delta.text.get(sent.saturating_sub(start)..).filter(|fresh| !fresh.is_empty())?;
    *sent = delta.end;
    Some(Line {
        id: Some(Position { seq: delta.after_seq, offset: delta.end }),
        event: TurnEvent::Text { text: fresh.to_owned() },
    })
}

fn retracted(after_seq: i64) -> Line {
    Line {
        id: Some(Position { seq: after_seq, offset: 0 }),
        event: TurnEvent::Retracted { retracted: Retracted::Text },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_position_reads_back_what_it_prints() {
        for at in [Position { seq: 7, offset: 0 }, Position { seq: 7, offset: 12 }] {
            assert_eq!(at.to_string().parse::<Position>().unwrap(), at);
        }
    }

    #[test]
    fn what_is_no_position_is_refused() {
        for text in ["", ".", "1.", "-1", "+1", "1.2.3", "a", "1.-2", "99999999999999999999", " 1"] {
            assert_eq!(text.parse::<Position>(), Err(NotAPosition), "{text}");
        }
    }

    #[test]
    fn only_the_part_of_a_preview_that_is_new_is_sent() {
        let delta = Delta { command_id: CommandId::new(), after_seq: 1, end: 5, text: "hello".to_owned() };
        let mut sent = 2;
        let line = text_line(&delta, &mut sent).unwrap();
        assert_eq!(line.event, TurnEvent::Text { text: "llo".to_owned() });
        assert_eq!(sent, 5);
        assert!(text_line(&delta, &mut sent).is_none());
    }

    #[test]
    fn what_follows_a_gap_is_not_sent_before_what_was_missed() {
        let delta = Delta { command_id: CommandId::new(), after_seq: 1, end: 9, text: "world".to_owned() };
        let mut sent = 3;
        assert!(text_line(&delta, &mut sent).is_none());
        assert_eq!(sent, 3);
    }
}
