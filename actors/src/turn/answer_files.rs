//! The files of an answer on their way to the model (spec "files").

use bytes::Bytes;
use turnwright_schemas::{FileMimeType, LIMITS};

use crate::error::EngineError;
use crate::files::FileStore;
use crate::ports::{FileContent, FilePart};
use crate::turn_state::AnswerFile;

/// Reads the files of an answer from the store, in the user's order.
///
/// # Errors
/// When the store fails or a file is gone.
pub async fn load(store: &FileStore, files: &[AnswerFile]) -> Result<Vec<FilePart>, EngineError> {
    let mut parts = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        let bytes = store
            .answer_file(file.command_id, file.number)
            .await?
            .ok_or(EngineError::Invariant("the files of an answer are kept while its turn runs"))?;
        parts.push(FilePart {
            caption: format!(
                "File {} of {}: {} ({}, {} bytes)",
                at + 1,
                files.len(),
                file.filename,
                file.mime_type.as_str(),
                file.size
            ),
            mime_type: file.mime_type.as_str().to_owned(),
            content: content(file.mime_type, bytes),
        });
    }
    Ok(parts)
}

fn content(mime_type: FileMimeType, bytes: Bytes) -> FileContent {
    match mime_type {
        FileMimeType::Jpeg | FileMimeType::Png | FileMimeType::Gif | FileMimeType::Webp => {
            FileContent::Image(bytes)
        }
        FileMimeType::Pdf => FileContent::File(bytes),
        FileMimeType::Text | FileMimeType::Csv | FileMimeType::Json => {
            FileContent::Text(cut_text(&bytes, LIMITS.files.text_max_bytes))
        }
    }
}

/// The text, cut on a character boundary to `max` bytes and followed by a note when it is longer.
fn cut_text(bytes: &[u8], max: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    if text.len() <= max {
        return text.into_owned();
    }
    let kept = &text[..text.floor_char_boundary(max)];
    format!("{kept}\n[The file is cut to its first {} of {} bytes.]", kept.len(), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::cut_text;

    #[test]
    fn a_short_text_is_whole() {
        assert_eq!(cut_text("héllo".as_bytes(), 6), "héllo");
    }

    #[test]
    fn a_long_text_is_cut_on_a_character_boundary_with_a_note() {
        assert_eq!(cut_text("héllo".as_bytes(), 2), "h\n[The file is cut to its first 1 of 6 bytes.]");
    }
}
