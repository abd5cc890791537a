//! Files: uploads, each with a row that says whose it is, and the files of answers until their turn rests.
//!
//! The bytes are objects of an [`object_store`]; no byte reaches the database (rule 11). An upload is
//! `uploads/<file id>`, an answer's file `answers/<command id>/<number>` (DESIGN section 4).

pub(crate) mod sweep;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{Error as ObjectError, ObjectStore, ObjectStoreExt};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter};
use turnwright_schemas::FileMimeType;

use crate::clock::{Clock, Timestamp};
use crate::error::EngineError;
use crate::ids::{CommandId, FileId, UserId};
use crate::store::Database;
use crate::store::entity::file;

/// An upload, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// The id an answer names.
    pub id: FileId,
    /// The name the owner gave it.
    pub filename: String,
    /// The type its bytes were checked to have.
    pub mime_type: FileMimeType,
    /// Bytes.
    pub size: u64,
    /// When it was uploaded.
    pub created: Timestamp,
}

/// The file store; clones share it. Its functions must be awaited on the runtime that owns the I/O.
#[derive(Clone)]
pub struct FileStore {
    database: Database,
    objects: Arc<dyn ObjectStore>,
    clock: Clock,
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileStore({})", self.objects)
    }
}

impl FileStore {
    /// A store with its rows in `database` and its bytes in `objects`.
    pub fn new(database: Database, objects: Arc<dyn ObjectStore>, clock: Clock) -> Self {
        Self { database, objects, clock }
    }

    /// Stores an upload whose bytes were checked to be of `mime_type`. The row is written last, so that a row always
    /// has its bytes.
    ///
    /// # Errors
    /// When the object store or the database fails; no row is left then.
    pub async fn upload(
        &self,
        owner: UserId,
        filename: String,
        mime_type: FileMimeType,
        bytes: Bytes,
    ) -> Result<Upload, EngineError> {
        let upload = Upload {
            id: FileId::new(),
            filename,
            mime_type,
            size: bytes.len() as u64,
            created: self.clock.now(),
        };
        self.objects.put(&upload_path(upload.id), bytes.into()).await?;
        let row = row(owner, &upload)?;
        let inserted = self
            .database
            .transaction(move |transaction| {
                Box::pin(async move { Ok(row.insert(transaction).await.map(|_| ())?) })
            })
            .await;
        if let Err(error) = inserted {
            self.remove(&upload_path(upload.id)).await;
            return Err(error);
        }
        Ok(upload)
    }

    /// The upload with this id, when it is the owner's and not deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(&self, owner: UserId, id: FileId) -> Result<Option<Upload>, EngineError> {
        let row = file::Entity::find_by_id(id.uuid())
            .filter(file::Column::UserId.eq(owner.uuid()))
            .filter(file::Column::Deleted.is_null())
            .one(self.database.reader())
            .await?;
        row.map(Upload::try_from).transpose()
    }

    /// The upload with this id and its bytes, when it is the owner's, not deleted, and the object store has it.
    ///
    /// # Errors
    /// When the database or the object store fails.
    pub async fn load(&self, owner: UserId, id: FileId) -> Result<Option<(Upload, Bytes)>, EngineError> {
        let Some(upload) = self.find(owner, id).await? else { return Ok(None) };
        match self.read(&upload_path(id)).await? {
            Some(bytes) => Ok(Some((upload, bytes))),
            None => {
                tracing::warn!(file = %id, "the file store has lost an upload");
                Ok(None)
            }
        }
    }

    /// Deletes the owner's upload; whether there was one.
    ///
    /// # Errors
    /// When the database fails. The bytes of a deleted upload are removed as well as can be.
    pub async fn delete(&self, owner: UserId, id: FileId) -> Result<bool, EngineError> {
        let deleted = self.clock.now();
        let marked = self
            .database
            .transaction(move |transaction| {
                Box::pin(async move {
                    let marked = file::Entity::update_many()
                        .set(file::ActiveModel { deleted: Set(Some(deleted.millis())), ..Default::default() })
                        .filter(file::Column::Id.eq(id.uuid()))
                        .filter(file::Column::UserId.eq(owner.uuid()))
                        .filter(file::Column::Deleted.is_null())
                        .exec(transaction)
                        .await?;
                    Ok(marked.rows_affected > 0)
                })
            })
            .await?;
        if marked {
            self.remove(&upload_path(id)).await;
        }
        Ok(marked)
    }

    /// Stores file `number` (from 0) of an answer, before its command is stored.
    ///
    /// # Errors
    /// When the object store fails.
    pub async fn put_answer_file(
        &self,
        command: CommandId,
        number: usize,
        bytes: Bytes,
    ) -> Result<(), EngineError> {
        self.objects.put(&answer_path(command, number), bytes.into()).await?;
        Ok(())
    }

    /// File `number` of an answer, or `None` when it was removed.
    ///
    /// # Errors
    /// When the object store fails.
    pub async fn answer_file(&self, command: CommandId, number: usize) -> Result<Option<Bytes>, EngineError> {
        self.read(&answer_path(command, number)).await
    }

    /// Removes the files of an answer. What stays behind after a failure is logged, and found by a sweep.
    pub async fn delete_answer_files(&self, command: CommandId) {
        let folder = answers().join(command.to_string());
        let mut files = self.objects.list(Some(&folder));
        while let Some(file) = files.next().await {
            match file {
                Ok(file) => self.remove(&file.location).await,
                Err(error) => tracing::warn!(%command, %error, "the files of an answer cannot be listed"),
            }
        }
    }

    /// The commands that have answer files in the store.
    ///
    /// # Errors
    /// When the object store fails.
    pub async fn commands_with_answer_files(&self) -> Result<Vec<CommandId>, EngineError> {
        let mut commands: Vec<CommandId> = self
            .objects
            .list(Some(&answers()))
            .try_filter_map(async |file| {
                let folder = file.location.parts().nth(1);
                Ok(folder.and_then(|folder| folder.as_ref().parse::<CommandId>().ok()))
            })
            .try_collect()
            .await?;
        commands.sort_unstable();
        commands.dedup();
        Ok(commands)
    }

    async fn read(&self, path: &Path) -> Result<Option<Bytes>, EngineError> {
        match self.objects.get(path).await {
            Ok(object) => Ok(Some(object.bytes().await?)),
            Err(ObjectError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn remove(&self, path: &Path) {
        match self.objects.delete(path).await {
            Ok(()) | Err(ObjectError::NotFound { .. }) => {}
            Err(error) => tracing::warn!(%path, %error, "an object cannot be removed from the file store"),
        }
    }
}

fn upload_path(id: FileId) -> Path {
    Path::from("uploads").join(id.to_string())
}

fn answers() -> Path {
    Path::from("answers")
}

fn answer_path(command: CommandId, number: usize) -> Path {
    answers().join(command.to_string()).join(number.to_string())
}

fn row(owner: UserId, upload: &Upload) -> Result<file::ActiveModel, EngineError> {
    let filename = serde_json::to_string(&upload.filename)
        .map_err(|source| EngineError::Corrupt { what: "file name", source })?;
    Ok(file::ActiveModel {
        id: Set(upload.id.uuid()),
        user_id: Set(owner.uuid()),
        filename: Set(filename),
        mime_type: Set(upload.mime_type.as_str().to_owned()),
        size: Set(i64::try_from(upload.size).unwrap_or(i64::MAX)),
        created: Set(upload.created.millis()),
        deleted: Set(None),
    })
}

impl TryFrom<file::Model> for Upload {
    type Error = EngineError;

    fn try_from(row: file::Model) -> Result<Self, EngineError> {
        Ok(Self {
            id: row.id.into(),
            filename: serde_json::from_str(&row.filename)
                .map_err(|source| EngineError::Corrupt { what: "file name", source })?,
            mime_type: FileMimeType::from_name(&row.mime_type)
                .ok_or(EngineError::Invariant("a stored file is of a type no ask takes"))?,
            size: row.size.unsigned_abs(),
            created: Timestamp::from_millis(row.created),
        })
    }
}

#[cfg(test)]
mod tests;
