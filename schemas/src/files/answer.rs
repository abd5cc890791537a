//! Validating an answer to a `files` ask, as far as it can be judged without the files' bytes.

use serde_json::Value;

use super::{FileRef, FileSource, FilesAsk};
use crate::bounds::Bounds;
use crate::codes::ErrorCode;
use crate::data_url::DataUrl;
use crate::error::Path;
use crate::file_type::FileMimeType;
use crate::limits::LIMITS;
use crate::object::Object;
use crate::report::{Report, counted, list_names, quote};

const CONTENT_KEYS: &[&str] = &["files"];

const FILE_KEYS: &[&str] = &["fileId", "url", "filename", "mimeType", "size"];

/// A file as the answer names it, its type not held against the ask yet.
struct NamedFile {
    source: FileSource,
    filename: String,
    mime_type: String,
    size: u64,
}

/// The `content` of an accepted answer.
///
/// What the content itself has wrong is reported alone; only a well-formed answer is held against the ask and
/// the host's cap on a file's bytes.
pub(crate) fn parse(
    ask: &FilesAsk,
    content: &Value,
    max_file_size_bytes: u64,
    path: &Path<'_>,
    report: &mut Report,
) -> Option<Vec<FileRef>> {
    let object = Object::read(content, path, report)?;
    object.refuse_unknown_keys(CONTENT_KEYS, report);
    let path = path.key("files");
    let any_count = Bounds { min: 0, max: usize::MAX };
    let items = object.required_list("files", any_count, report)?;
    let files: Vec<_> = items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| read_file(item, &path.index(index), report))
        .collect();
    if !report.is_clean() {
        return None;
    }
    check_count(ask, files.len(), &path, report);
    let files = files
        .into_iter()
        .enumerate()
        .filter_map(|(index, file)| check_file(ask, file, max_file_size_bytes, &path.index(index), report))
        .collect();
    Some(files)
}

/// Reads one file. Where its bytes are is judged only when every field has the right type.
fn read_file(item: &Value, path: &Path<'_>, report: &mut Report) -> Option<NamedFile> {
    let mut file_report = Report::default();
    let file = Object::read(item, path, &mut file_report).and_then(|object| {
        object.refuse_unknown_keys(FILE_KEYS, &mut file_report);
        let file_id = object.visible_string("fileId", &mut file_report);
        let url = object.string("url", &mut file_report);
        let filename = object.required_text("filename", LIMITS.files.filename_max_length, &mut file_report);
        object.require("mimeType", "a string", &mut file_report);
        let mime_type = object.visible_string("mimeType", &mut file_report);
        object.require("size", "a whole number of bytes", &mut file_report);
        let size = object.whole("size", 0, None, &mut file_report);
        if file_report.is_shape_broken() {
            return None;
        }
        let source = read_source(file_id, url, path, &mut file_report);
        Some(NamedFile {
            source: source?,
            filename: filename?,
            mime_type: mime_type?.to_owned(),
            size: u64::try_from(size?).ok()?,
        })
    });
    report.absorb(file_report);
    file
}

/// Exactly one of `fileId` and a base64 `data:` URL says where the bytes are. No other URL is ever fetched.
fn read_source(
    file_id: Option<&str>,
    url: Option<&str>,
    file: &Path<'_>,
    report: &mut Report,
) -> Option<FileSource> {
    let url_path = file.key("url");
    match (file_id, url) {
        (Some(id), None) => Some(FileSource::Upload(id.to_owned())),
        (None, Some(url)) => {
            let data_url = DataUrl::parse(url);
            if data_url.is_none() {
                let name = url_path.subject();
                report.add(
                    &url_path,
                    ErrorCode::InvalidFormat,
                    format!("{name} is {}, which is not a base64 data URL.", quote(url)),
                    "Send the file as data:<type>;base64,<bytes>, or upload it and send its fileId."
                        .to_owned(),
                );
            }
            data_url.map(FileSource::DataUrl)
        }
        (None, None) => {
            let name = file.subject();
            report.add(
                file,
                ErrorCode::MissingRequired,
                format!("{name} has neither fileId nor url."),
                format!("Add to {name} the fileId of an upload, or a base64 data URL as url."),
            );
            None
        }
        (Some(_), Some(_)) => {
            let name = file.subject();
            report.add(
                &url_path,
                ErrorCode::InvalidFormat,
                format!("{name} has both fileId and url."),
                format!("Remove url or fileId from {name}."),
            );
            None
        }
    }
}

fn check_count(ask: &FilesAsk, count: usize, path: &Path<'_>, report: &mut Report) {
    let bounds = ask.count_bounds();
    if !bounds.contains(count) {
        let wanted = bounds.of("file");
        let count = counted(count, "file");
        report.add(
            path,
            ErrorCode::FileCount,
            format!("The answer holds {count}, but the ask wants {wanted}."),
            format!("Send {wanted}."),
        );
    }
}

/// Holds one file against the ask, and the bytes it declares or carries against the cap.
fn check_file(
    ask: &FilesAsk,
    file: NamedFile,
    max_file_size_bytes: u64,
    path: &Path<'_>,
    report: &mut Report,
) -> Option<FileRef> {
    let NamedFile { source, filename, mime_type, size } = file;
    let type_path = path.key("mimeType");
    let accepted = FileMimeType::from_name(&mime_type).filter(|mime_type| ask.accepts(*mime_type));
    if accepted.is_none() {
        let types = ask.accept.iter().flat_map(|accept| accept.mime_types());
        let types = list_names(types.map(|mime_type| mime_type.as_str()));
        report.add(
            &type_path,
            ErrorCode::FileTypeNotAccepted,
            format!("The ask does not accept files of type {}.", quote(&mime_type)),
            format!("Send a file of one of these types: {types}."),
        );
    }
    if let FileSource::DataUrl(url) = &source
        && !url.media_type().eq_ignore_ascii_case(&mime_type)
    {
        let (declared, carried) = (quote(&mime_type), quote(url.media_type()));
        report.add(
            &type_path,
            ErrorCode::MimeMismatch,
            format!("The file is declared as {declared}, but its data URL says {carried}."),
            "Declare the type that the data URL has.".to_owned(),
        );
    }
    let carried = match &source {
        FileSource::DataUrl(url) => u64::try_from(url.decoded_len()).unwrap_or(u64::MAX),
        FileSource::Upload(_) => 0,
    };
    let largest = size.max(carried);
    if largest > max_file_size_bytes {
        report.file_too_large(&path.key("size"), largest, max_file_size_bytes);
    }
    Some(FileRef { source, filename, mime_type: accepted?, size })
}
