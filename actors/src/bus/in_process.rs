//! The bus of a single node: listeners in memory.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::listener::Queue;
use super::{BusEvent, EventBus, Listener, Progress};
use crate::ids::ConversationId;

/// Delivers within this process.
#[derive(Clone, Default)]
pub struct InProcessBus {
    topics: Arc<Mutex<HashMap<ConversationId, Topic>>>,
}

#[derive(Default)]
struct Topic {
    listeners: Vec<Arc<Queue>>,
    /// The text of the running step, for who begins to listen in the middle of it.
    progress: Option<Progress>,
}

impl Topic {
    fn is_idle(&self) -> bool {
        self.listeners.is_empty() && self.progress.is_none()
    }

    fn follow(&mut self, event: &BusEvent) {
        match event {
            BusEvent::Delta(delta) => match &mut self.progress {
                Some(progress) if progress.after_seq == delta.after_seq => {
                    progress.text.push_str(&delta.text)
                }
                progress => {
                    *progress = Some(Progress {
                        command_id: delta.command_id,
                        after_seq: delta.after_seq,
                        text: delta.text.clone(),
                    });
                }
            },
            BusEvent::Durable(_) | BusEvent::Retracted { .. } | BusEvent::Closed => self.progress = None,
        }
    }
}

impl InProcessBus {
    fn topics(&self) -> MutexGuard<'_, HashMap<ConversationId, Topic>> {
        // Nothing panics while the lock is held.
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many conversations have listeners or text in progress.
    pub fn topics_open(&self) -> usize {
        self.topics().len()
    }

    fn leave(&self, conversation_id: ConversationId, queue: &Arc<Queue>) {
        if let Entry::Occupied(mut topic) = self.topics().entry(conversation_id) {
            topic.get_mut().listeners.retain(|other| !Arc::ptr_eq(other, queue));
            if topic.get().is_idle() {
                topic.remove();
            }
        }
    }
}

impl EventBus for InProcessBus {
    fn publish(&self, conversation_id: ConversationId, event: BusEvent) {
        let mut topics = self.topics();
        let topic = match topics.entry(conversation_id) {
            Entry::Occupied(topic) => topic.into_mut(),
            // Only text in progress is worth remembering where nobody listens.
            Entry::Vacant(_) if !matches!(event, BusEvent::Delta(_)) => return,
            Entry::Vacant(vacant) => vacant.insert(Topic::default()),
        };
        topic.follow(&event);
        for queue in &topic.listeners {
            queue.push(event.clone());
        }
        if topic.is_idle() {
            topics.remove(&conversation_id);
        }
    }

    fn listen(&self, conversation_id: ConversationId) -> Listener {
        let queue = Arc::new(Queue::default());
        let mut topics = self.topics();
        let topic = topics.entry(conversation_id).or_default();
        topic.listeners.push(Arc::clone(&queue));
        let progress = topic.progress.clone();
        drop(topics);
        let (bus, left) = (self.clone(), Arc::clone(&queue));
        Listener::new(queue, progress, Box::new(move || bus.leave(conversation_id, &left)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Delta;
    use crate::ids::CommandId;

    fn delta(command_id: CommandId, text: &str, end: usize) -> BusEvent {
        BusEvent::Delta(Delta { command_id, after_seq: 3, end, text: text.to_owned() })
    }

    #[tokio::test]
    async fn previews_that_wait_are_merged() {
        let (bus, conversation, command) = (InProcessBus::default(), ConversationId::new(), CommandId::new());
        let mut listener = bus.listen(conversation);
        bus.publish(conversation, delta(command, "one ", 4));
        bus.publish(conversation, delta(command, "two", 7));
        bus.publish(conversation, BusEvent::Closed);
        assert!(
            matches!(listener.next().await, BusEvent::Delta(delta) if delta.text == "one two" && delta.end == 7)
        );
        assert!(matches!(listener.next().await, BusEvent::Closed));
    }

    #[tokio::test]
    async fn who_listens_in_the_middle_of_a_step_gets_its_text_so_far() {
        let (bus, conversation, command) = (InProcessBus::default(), ConversationId::new(), CommandId::new());
        bus.publish(conversation, delta(command, "one ", 4));
        bus.publish(conversation, delta(command, "two", 7));
        let progress = bus.listen(conversation).take_progress();
        assert_eq!(progress.map(|progress| progress.text), Some("one two".to_owned()));
    }

    #[test]
    fn nothing_is_kept_for_a_conversation_nobody_listens_to() {
        let (bus, conversation, command) = (InProcessBus::default(), ConversationId::new(), CommandId::new());
        drop(bus.listen(conversation));
        bus.publish(conversation, delta(command, "text", 4));
        bus.publish(conversation, BusEvent::Retracted { command_id: command, after_seq: 3 });
        assert_eq!(bus.topics_open(), 0);
    }
}
