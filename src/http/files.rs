//! Uploads: the files that answers name by their id (DESIGN section 8).

use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use serde_json::{Value, json};
use turnwright_actors::files::Upload;
use turnwright_actors::ids::FileId;
use turnwright_schemas::{FileMimeType, LIMITS};

use super::State;
use super::endpoint::{Answer, Body, Content, Endpoint, enveloped, schema};
use super::error::ApiError;
use super::files_form::{UploadLimits, read_upload};
use super::reply::Data;
use crate::auth::SignedIn;

/// The operations.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint {
            method: Method::POST,
            path: "/files/upload",
            id: "uploadFile",
            summary: "Stores a file of the caller, to be named by an answer.",
            signed_in: true,
            parameters: vec![],
            body: Body::Upload,
            answers: vec![
                Answer::json(201, "The file's id.", enveloped(schema("Upload"))),
                Answer::problem(400, "Invalid upload: there is no usable field named file."),
                Answer::problem(400, "Invalid file: its bytes are not of the type it declares."),
                Answer::problem(413, "Payload too large: the file is above asks.max_file_size_bytes."),
                Answer::problem(415, "Unsupported media type: the body is not multipart/form-data."),
            ],
            handler: |route| route.to(upload),
        },
        Endpoint {
            method: Method::GET,
            path: "/files/{id}",
            id: "downloadFile",
            summary: "The bytes of an upload of the caller.",
            signed_in: true,
            parameters: vec![],
            body: Body::None,
            answers: vec![
                Answer { status: 200, about: "The bytes, as an attachment.", content: Content::Bytes },
                Answer::problem(404, "Document not found: no upload of the caller has this id."),
            ],
            handler: |route| route.to(download),
        },
        Endpoint {
            method: Method::DELETE,
            path: "/files/{id}",
            id: "deleteFile",
            summary: "Deletes an upload of the caller.",
            signed_in: true,
            parameters: vec![],
            body: Body::None,
            answers: vec![
                Answer::empty("The upload is gone."),
                Answer::problem(404, "Document not found: no upload of the caller has this id."),
            ],
            handler: |route| route.to(delete),
        },
    ]
}

/// The schemas the operations refer to.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let upload = json!({
        "type": "object",
        "required": ["id", "filename", "mimeType", "size"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "filename": {"type": "string", "minLength": 1, "maxLength": LIMITS.files.filename_max_length},
            "mimeType": {"enum": FileMimeType::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>()},
            "size": {"type": "integer", "minimum": 0},
        },
    });
    vec![("Upload", upload)]
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UploadReply {
    id: FileId,
    filename: String,
    mime_type: FileMimeType,
    size: u64,
}

impl From<Upload> for UploadReply {
    fn from(upload: Upload) -> Self {
        let Upload { id, filename, mime_type, size, .. } = upload;
        Self { id, filename, mime_type, size }
    }
}

async fn upload(
    state: State,
    user: SignedIn,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<Data<UploadReply>, ApiError> {
    let limits = UploadLimits::of(&state.settings);
    let file = read_upload(request.headers(), payload, limits).await?;
    let files = state.files.clone();
    let stored = async move { files.upload(user.user_id, file.filename, file.mime_type, file.bytes).await };
    Ok(Data::created(state.io.run(stored).await?.into()))
}

async fn download(state: State, user: SignedIn, id: web::Path<String>) -> Result<HttpResponse, ApiError> {
    let id: FileId = id.parse().map_err(|_| ApiError::FileNotFound)?;
    let files = state.files.clone();
    let loaded = state.io.run(async move { files.load(user.user_id, id).await }).await?;
    let (upload, bytes) = loaded.ok_or(ApiError::FileNotFound)?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, upload.mime_type.as_str()))
        .insert_header((CONTENT_DISPOSITION, attachment(&upload.filename)))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(bytes))
}

async fn delete(state: State, user: SignedIn, id: web::Path<String>) -> Result<HttpResponse, ApiError> {
    let id: FileId = id.parse().map_err(|_| ApiError::FileNotFound)?;
    let files = state.files.clone();
    let deleted = state.io.run(async move { files.delete(user.user_id, id).await }).await?;
    if deleted { Ok(HttpResponse::NoContent().finish()) } else { Err(ApiError::FileNotFound) }
}

/// `Content-Disposition` with the name twice (RFC 6266): plainly for old clients, and exactly.
fn attachment(filename: &str) -> String {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ';
    let plain: String = filename.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let exact: String = filename
        .bytes()
        .map(|byte| match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_cannot_leave_its_header() {
        assert_eq!(
            attachment("a\"b\r\nX: ü.txt"),
            "attachment; filename=\"a_b__X: _.txt\"; filename*=UTF-8''a%22b%0D%0AX%3A%20%C3%BC.txt"
        );
    }
}
