//! Removing the files of answers that nobody will read any more (DESIGN section 4).

use std::time::Duration;

use super::FileStore;
use crate::error::EngineError;
use crate::store::Store;

/// Removes the files of answers given at least `age` ago, unless the answer waits or its turn runs. They are left
/// behind where a node stopped before it stored the answer, or before it removed the files of one that was over.
/// How many answers had such files.
///
/// # Errors
/// When the file store or the database fails.
pub(crate) async fn sweep(files: &FileStore, store: &Store, age: Duration) -> Result<usize, EngineError> {
    let now = files.clock.now();
    let mut left = files.commands_with_answer_files().await?;
    left.retain(|command| command.made().plus(age) <= now);
    if left.is_empty() {
        return Ok(0);
    }
    let at_work = store.commands_at_work().await?;
    left.retain(|command| !at_work.contains(command));
    for command in &left {
        files.delete_answer_files(*command).await;
    }
    Ok(left.len())
}
