//! Links lead somewhere.

use std::path::Path;

use crate::page::{Page, ROOT};

#[test]
fn every_link_within_the_repository_leads_to_a_file_and_a_heading_that_exist() {
    let mut broken = Vec::new();
    for page in Page::all() {
        for link in page.links().into_iter().filter(|link| !link.contains("://")) {
            if !leads_somewhere(&page, &link) {
                broken.push(format!("{}: {link}", page.path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

fn leads_somewhere(from: &Page, link: &str) -> bool {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => from.path.clone(),
        file => from.path.parent().unwrap_or(Path::new("")).join(file),
    };
    if !Path::new(ROOT).join(&target).exists() {
        return false;
    }
    anchor.is_empty() || Page::read(target).anchors().iter().any(|heading| heading == anchor)
}

#[test]
fn every_page_is_reached_from_the_readme() {
    let readme = Page::read("README.md").links();
    for page in Page::all().iter().filter(|page| page.path.starts_with("docs")) {
        assert!(readme.iter().any(|link| Path::new(link) == page.path), "{}", page.path.display());
    }
}
