#![allow(clippy::unwrap_used)]
use object_store::local::LocalFileSystem;
use sea_orm::{ConnectionTrait, Statement};
use tempfile::TempDir;
use turnwright_migrations::{Migrator, MigratorTrait};

use super::*;

struct Fixture {
    files: FileStore,
    folder: TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let url = format!("sqlite://{}/t.db?mode=rwc", folder.path().display());
        let database = Database::open(&url, std::time::Duration::from_secs(15)).await.unwrap();
        database
            .transaction(|transaction| Box::pin(async move { Ok(Migrator::up(transaction, None).await?) }))
            .await
            .unwrap();
        let objects = folder.path().join("objects");
        std::fs::create_dir(&objects).unwrap();
        let objects = Arc::new(LocalFileSystem::new_with_prefix(objects).unwrap());
        Self { files: FileStore::new(database, objects, Clock::System), folder }
    }

    async fn user(&self) -> UserId {
        let user = UserId::new();
        self.files
            .database
            .transaction(move |transaction| {
                Box::pin(async move {
                    let insert = Statement::from_sql_and_values(
                        transaction.get_database_backend(),
                        "INSERT INTO users (id, email, name, password_hash, created, updated) VALUES (?, ?, '', '', 0, 0)",
                        [user.uuid().into(), user.to_string().into()],
                    );
                    transaction.execute_raw(insert).await?;
                    Ok(())
                })
            })
            .await
            .unwrap();
        user
    }

    async fn upload(&self, owner: UserId) -> Upload {
        self.files
            .upload(owner, "a\u{0}b.txt".to_owned(), FileMimeType::Text, Bytes::from_static(b"hello"))
            .await
            .unwrap()
    }

    fn objects(&self) -> usize {
        let uploads = self.folder.path().join("objects/uploads");
        std::fs::read_dir(uploads).map_or(0, Iterator::count)
    }
}

#[tokio::test]
async fn an_upload_is_read_back_by_its_owner_as_it_was_sent() {
    let fixture = Fixture::new().await;
    let owner = fixture.user().await;
    let upload = fixture.upload(owner).await;
    assert_eq!(upload.size, 5);
    let loaded = fixture.files.load(owner, upload.id).await.unwrap();
    assert_eq!(loaded, Some((upload, Bytes::from_static(b"hello"))));
}

#[tokio::test]
async fn a_stranger_neither_reads_nor_deletes_an_upload() {
    let fixture = Fixture::new().await;
    let (owner, stranger) = (fixture.user().await, fixture.user().await);
    let upload = fixture.upload(owner).await;
    assert_eq!(fixture.files.load(stranger, upload.id).await.unwrap(), None);
    assert!(!fixture.files.delete(stranger, upload.id).await.unwrap());
    assert!(fixture.files.load(owner, upload.id).await.unwrap().is_some());
}

#[tokio::test]
async fn a_deleted_upload_is_gone_with_its_bytes() {
    let fixture = Fixture::new().await;
    let owner = fixture.user().await;
    let upload = fixture.upload(owner).await;
    assert_eq!(fixture.objects(), 1);
    assert!(fixture.files.delete(owner, upload.id).await.unwrap());
    assert!(!fixture.files.delete(owner, upload.id).await.unwrap());
    assert_eq!(fixture.files.load(owner, upload.id).await.unwrap(), None);
    assert_eq!(fixture.objects(), 0);
}

#[tokio::test]
async fn an_upload_whose_row_is_refused_leaves_no_bytes() {
    let fixture = Fixture::new().await;
    let nobody = UserId::new();
    let refused =
        fixture.files.upload(nobody, "a.txt".to_owned(), FileMimeType::Text, Bytes::from_static(b"a")).await;
    assert!(refused.is_err());
    assert_eq!(fixture.objects(), 0);
}

#[tokio::test]
async fn an_upload_whose_bytes_are_lost_is_not_loaded() {
    let fixture = Fixture::new().await;
    let owner = fixture.user().await;
    let upload = fixture.upload(owner).await;
    fixture.files.objects.delete(&upload_path(upload.id)).await.unwrap();
    assert_eq!(fixture.files.load(owner, upload.id).await.unwrap(), None);
}

#[tokio::test]
async fn the_files_of_an_answer_live_under_its_command_until_they_are_removed() {
    let fixture = Fixture::new().await;
    let (one, other) = (CommandId::new(), CommandId::new());
    for (command, number) in [(one, 0), (one, 1), (other, 0)] {
        let bytes = Bytes::from(format!("{command} {number}"));
        fixture.files.put_answer_file(command, number, bytes).await.unwrap();
    }
    assert_eq!(fixture.files.commands_with_answer_files().await.unwrap(), [one, other]);
    let read = fixture.files.answer_file(one, 1).await.unwrap();
    assert_eq!(read, Some(Bytes::from(format!("{one} 1"))));
    fixture.files.delete_answer_files(one).await;
    assert_eq!(fixture.files.answer_file(one, 1).await.unwrap(), None);
    assert_eq!(fixture.files.commands_with_answer_files().await.unwrap(), [other]);
}
