//! Validating the input of a `files` ask.

use serde_json::Value;

use super::FilesAsk;
use crate::bounds::{Bounds, count, whole};
use crate::error::{AskError, Path};
use crate::file_type::FileAccept;
use crate::limits::LIMITS;
use crate::object::{Object, WireName, named};
use crate::report::Report;
use crate::shared_fields::{SharedFields, submit_label};

const KEYS: &[&str] = &["prompt", "title", "submitLabel", "allowDecline", "accept", "minFiles", "maxFiles"];

const FEWEST_ACCEPTED: usize = 1;

impl WireName for FileAccept {
    const VALUES: &'static [Self] = Self::ALL;

    fn wire_name(self) -> &'static str {
        self.as_str()
    }
}

/// Reads a `files` ask, or says everything that is wrong with it.
pub(crate) fn parse(input: &Value) -> Result<FilesAsk, Vec<AskError>> {
    let mut report = Report::default();
    let root = Path::Root("the ask");
    let ask = Object::read(input, &root, &mut report).and_then(|object| read(&object, &mut report));
    report.finish(ask)
}

fn read(object: &Object<'_>, report: &mut Report) -> Option<FilesAsk> {
    let (lowest, highest) = (whole(LIMITS.files.min_files), whole(LIMITS.files.max_files));
    object.refuse_unknown_keys(KEYS, report);
    let shared = SharedFields::read(object, report);
    let submit_label = submit_label(object, report);
    let accept = read_accept(object, report);
    let min_files = object.whole("minFiles", lowest, Some(highest), report);
    let max_files = object.whole("maxFiles", lowest, Some(highest), report);
    if report.is_shape_broken() {
        return None;
    }
    let accept = accept?;
    check_repeats(&accept, object.path(), report);
    let (min, max) = (min_files.unwrap_or(lowest), max_files.unwrap_or(highest));
    if min > max {
        report.range(
            &object.path().key("minFiles"),
            format!("minFiles is {min}, but maxFiles is {max}."),
            format!("Set minFiles to at most {max}, or raise maxFiles."),
        );
    }
    Some(FilesAsk {
        prompt: shared.prompt?,
        title: shared.title,
        submit_label,
        allow_decline: shared.allow_decline,
        accept,
        min_files: min_files.map(count),
        max_files: max_files.map(count),
    })
}

fn read_accept(object: &Object<'_>, report: &mut Report) -> Option<Vec<FileAccept>> {
    let bounds = Bounds { min: FEWEST_ACCEPTED, max: FileAccept::ALL.len() };
    let items = object.required_list("accept", bounds, report)?;
    let path = object.path().key("accept");
    let accept = items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| named(item, &path.index(index), report))
        .collect();
    Some(accept)
}

/// Every value of `accept` is listed once.
fn check_repeats(accept: &[FileAccept], root: &Path<'_>, report: &mut Report) {
    let path = root.key("accept");
    for (index, value) in accept.iter().enumerate() {
        if accept.iter().take(index).any(|earlier| earlier == value) {
            report.duplicate_id(&path.index(index), value.as_str());
        }
    }
}
