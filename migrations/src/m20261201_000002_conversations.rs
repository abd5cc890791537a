//! Conversations and everything that happens in one: messages, asks, tasks, inbox, events, outbox, requests.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_conversations(manager).await?;
        create_messages(manager).await?;
        create_asks(manager).await?;
        create_tasks(manager).await?;
        create_inbox(manager).await?;
        create_events(manager).await?;
        create_outbox(manager).await?;
        create_requests(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["requests", "outbox", "events", "inbox", "tasks", "asks", "messages", "conversations"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}

fn of_conversation(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create().from(table, "conversation_id").to("conversations", "id").to_owned()
}

async fn create_conversations(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("conversations")
                .col(pk_uuid("id"))
                .col(uuid("user_id"))
                .col(text("title").default(""))
                .col(integer("message_count").default(0))
                .col(big_integer("event_seq").default(0))
                .col(uuid_null("active_task_id"))
                // Kept under the lock of this row, so that a commit need not look where nothing is.
                .col(uuid_null("pending_ask_id"))
                .col(integer("inbox_count").default(0))
                .col(big_integer("created"))
                .col(big_integer("updated"))
                .col(big_integer_null("deleted"))
                .foreign_key(ForeignKey::create().from("conversations", "user_id").to("users", "id"))
                .to_owned(),
        )
        .await?;
    manager
        .create_index(
            Index::create()
                .name("conversations_by_user")
                .table("conversations")
                .col("user_id")
                .col("updated")
                .to_owned(),
        )
        .await?;
    manager
        .create_index(
            Index::create()
                .name("conversations_asking")
                .table("conversations")
                .col("user_id")
                .and_where(Expr::col("pending_ask_id").is_not_null())
                .to_owned(),
        )
        .await
}

async fn create_messages(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("messages")
                .col(uuid("conversation_id"))
                .col(big_integer("seq"))
                // Null on a tombstone: a message that an undo removed keeps its seq and loses its place.
                .col(integer_null("index"))
                .col(uuid("command_id"))
                .col(uuid("task_id"))
                .col(text("kind"))
                .col(text_null("tool_call_id"))
                .col(text_null("ask_status"))
                .col(text_null("rating"))
                .col(text("body"))
                .col(big_integer("created"))
                .primary_key(Index::create().col("conversation_id").col("seq"))
                .foreign_key(&mut of_conversation("messages"))
                .to_owned(),
        )
        .await?;
    manager
        .create_index(
            Index::create()
                .name("messages_by_index")
                .table("messages")
                .col("conversation_id")
                .col("index")
                .unique()
                .to_owned(),
        )
        .await
}

async fn create_asks(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("asks")
                .col(pk_uuid("id"))
                .col(uuid("conversation_id"))
                .col(uuid("task_id"))
                .col(text("tool_call_id"))
                .col(text("kind"))
                .col(text("input"))
                .col(text("simple"))
                // The host tool and its call, when the ask is an approval.
                .col(text_null("tool_name"))
                .col(text_null("host_call_id"))
                .col(text("status"))
                .col(uuid_null("claimed_by"))
                .col(text_null("action"))
                .col(big_integer("message_seq"))
                .col(big_integer("created"))
                .col(big_integer_null("resolved"))
                .foreign_key(&mut of_conversation("asks"))
                .to_owned(),
        )
        .await?;
    manager
        .create_index(
            Index::create()
                .name("asks_one_pending")
                .table("asks")
                .col("conversation_id")
                .unique()
                .and_where(Expr::col("status").eq("pending"))
                .to_owned(),
        )
        .await?;
    manager
        .create_index(
            Index::create()
                .name("asks_by_call")
                .table("asks")
                .col("conversation_id")
                .col("tool_call_id")
                .to_owned(),
        )
        .await
}

async fn create_tasks(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("tasks")
                .col(pk_uuid("id"))
                .col(uuid("conversation_id"))
                .col(text("name"))
                .col(integer("version"))
                .col(text("status"))
                .col(text("phase"))
                .col(text("state"))
                // The command that began or resumed the task last.
                .col(uuid("command_id"))
                .col(uuid_null("node_id"))
                .col(uuid("lease_token"))
                .col(big_integer("checkpoint"))
                .col(integer("losses").default(0))
                .col(big_integer_null("cancel_at"))
                .col(uuid_null("cancelled_by"))
                .col(big_integer("created"))
                .col(big_integer_null("ended"))
                .foreign_key(&mut of_conversation("tasks"))
                .to_owned(),
        )
        .await?;
    manager
        .create_index(
            Index::create()
                .name("tasks_running")
                .table("tasks")
                .col("node_id")
                .and_where(Expr::col("status").eq("running"))
                .to_owned(),
        )
        .await
}

async fn create_inbox(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("inbox")
                .col(uuid("conversation_id"))
                .col(big_integer("seq"))
                .col(uuid("command_id"))
                .col(uuid("task_id"))
                .col(text("kind"))
                .col(text("command"))
                .col(big_integer("created"))
                .primary_key(Index::create().col("conversation_id").col("seq"))
                .foreign_key(&mut of_conversation("inbox"))
                .to_owned(),
        )
        .await
}

async fn create_events(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("events")
                .col(uuid("conversation_id"))
                .col(big_integer("seq"))
                .col(uuid("command_id"))
                .col(text("event"))
                .col(big_integer("created"))
                .primary_key(Index::create().col("conversation_id").col("seq"))
                .foreign_key(&mut of_conversation("events"))
                .to_owned(),
        )
        .await
}

async fn create_outbox(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("outbox")
                .col(big_pk_auto("id"))
                .col(uuid("conversation_id"))
                .col(integer("partition"))
                .col(big_integer_null("position"))
                .col(text("kind"))
                .col(text("data"))
                .col(big_integer("created"))
                .to_owned(),
        )
        .await?;
    manager
        .create_index(
            Index::create()
                .name("outbox_by_position")
                .table("outbox")
                .col("partition")
                .col("position")
                .unique()
                .to_owned(),
        )
        .await
}

async fn create_requests(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("requests")
                .col(uuid("user_id"))
                .col(text("key"))
                .col(binary_len("body_hash", 32))
                .col(uuid("command_id"))
                .col(uuid("conversation_id"))
                .col(big_integer_null("first_seq"))
                .col(text_null("outcome"))
                .col(big_integer("created"))
                .primary_key(Index::create().col("user_id").col("key"))
                .to_owned(),
        )
        .await
}
