//! Checking an answer before it is stored: against its ask, its files' bytes included.

use bytes::Bytes;
use serde_json::Value;
use turnwright_schemas::{
    Answer, AskResponse, CancelReason, FileRef, FileSource, StoredFile, Surface, check_file_bytes,
    file_not_owned_error,
};

use crate::command::CheckedAnswer;
use crate::error::{EngineError, Refusal};
use crate::files::FileStore;
use crate::ids::{CommandId, UserId};
use crate::snapshot::PendingAsk;
use crate::turn_state::AnswerFile;

/// An answer that fits its ask, with the bytes of its files still in memory.
pub struct ReadyAnswer {
    ask_id: crate::ids::AskId,
    response: AskResponse,
    approval: bool,
    files: Vec<(StoredFile, Bytes)>,
}

/// Checks an answer: its shape against the ask, then the bytes of each file.
///
/// # Errors
/// [`Refusal::InvalidAnswer`] with every error, or when the file store fails.
pub async fn check(
    response: &Value,
    ask: &PendingAsk,
    user_id: UserId,
    files: &FileStore,
    max_file_size_bytes: u64,
) -> Result<ReadyAnswer, Refusal> {
    let response =
        ask.question.ask.check_response(response, max_file_size_bytes).map_err(Refusal::InvalidAnswer)?;
    let files = match &response {
        AskResponse::Accept(Answer::Files { files: refs }) => {
            load_files(refs, user_id, files, max_file_size_bytes).await?
        }
        AskResponse::Accept(_) | AskResponse::Decline | AskResponse::Cancel { .. } => Vec::new(),
    };
    Ok(ReadyAnswer { ask_id: ask.id, response, approval: ask.question.approves.is_some(), files })
}

async fn load_files(
    refs: &[FileRef],
    user_id: UserId,
    store: &FileStore,
    max: u64,
) -> Result<Vec<(StoredFile, Bytes)>, Refusal> {
    let (mut files, mut errors) = (Vec::with_capacity(refs.len()), Vec::new());
    for (index, file) in refs.iter().enumerate() {
        match bytes_of(file, user_id, store).await? {
            None => errors.push(file_not_owned_error(index)),
            Some(bytes) => {
                errors.extend(check_file_bytes(&bytes, index, file.mime_type.as_str(), max));
                let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                files.push((file.stored(size), bytes));
            }
        }
    }
    if errors.is_empty() { Ok(files) } else { Err(Refusal::InvalidAnswer(errors)) }
}

/// The bytes a ref names; `None` when it names no upload of the caller that can be read.
async fn bytes_of(file: &FileRef, user_id: UserId, store: &FileStore) -> Result<Option<Bytes>, EngineError> {
    match &file.source {
        FileSource::DataUrl(url) => Ok(url.decode().ok().map(Bytes::from)),
        FileSource::Upload(id) => {
            let Ok(id) = id.parse() else { return Ok(None) };
            match store.load(user_id, id).await {
                Ok(found) => Ok(found.map(|(_, bytes)| bytes)),
                Err(EngineError::Files(error)) => {
                    tracing::warn!(%error, "an upload could not be read");
                    Ok(None)
                }
                Err(error) => Err(error),
            }
        }
    }
}

impl ReadyAnswer {
    /// Puts the files into the store under the command's id, before the command itself is stored.
    ///
    /// # Errors
    /// When the file store fails.
    pub async fn store_files(
        self,
        command_id: CommandId,
        surface: Surface,
        store: &FileStore,
    ) -> Result<CheckedAnswer, EngineError> {
        let mut answer_files = Vec::with_capacity(self.files.len());
        let mut stored = Vec::with_capacity(self.files.len());
        for (number, (file, bytes)) in self.files.into_iter().enumerate() {
            store.put_answer_file(command_id, number, bytes).await?;
            answer_files.push(AnswerFile {
                command_id,
                number,
                filename: file.filename.clone(),
                mime_type: file.mime_type,
                size: file.size,
            });
            stored.push(file);
        }
        Ok(CheckedAnswer {
            ask_id: self.ask_id,
            action: self.response.action(),
            denial: if self.approval { denial(&self.response) } else { None },
            envelope: self.response.to_stored_json(&stored),
            files: answer_files,
            surface,
        })
    }
}

/// Why an approval does not allow its call; `None` allows it (spec "Approval asks").
fn denial(response: &AskResponse) -> Option<String> {
    match response {
        AskResponse::Accept(Answer::Confirm { confirmed: true }) => None,
        AskResponse::Accept(_) => Some("user_denied".to_owned()),
        AskResponse::Decline => Some("user_declined".to_owned()),
        AskResponse::Cancel { reason } => {
            Some(reason.clone().unwrap_or_else(|| CancelReason::UserCancelled.as_str().to_owned()))
        }
    }
}
