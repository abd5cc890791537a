//! The formats of form values. Each is judged on the text as it is, without trimming, but for URLs.

use url::Url;

use crate::limits::LIMITS;
use crate::text::trim;

/// Whether the text is an email address as people write them: ASCII, no quotes, no address literals.
///
/// Before the last `@`: letters, digits and `_ ' + - .`, where a dot neither begins, ends nor follows a dot, and
/// `'` does not end. After it: at least two labels of letters, digits and `-`, none beginning with `-`, the last
/// of two or more letters.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    is_email_local(local.as_bytes()) && is_email_domain(domain)
}

fn is_email_local(local: &[u8]) -> bool {
    let is_last = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-');
    let Some((last, rest)) = local.split_last() else {
        return false;
    };
    is_last(last)
        && rest.iter().all(|byte| is_last(byte) || matches!(byte, b'\'' | b'.'))
        && !local.starts_with(b".")
        && !local.windows(2).any(|pair| pair == b"..")
}

fn is_email_domain(domain: &str) -> bool {
    let Some((labels, top)) = domain.rsplit_once('.') else {
        return false;
    };
    let is_top = top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_alphanumeric())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    is_top && labels.split('.').all(is_label)
}

/// Whether the text, trimmed, begins with `http://` or `https://` and is a URL by the WHATWG standard.
pub(super) fn is_http_url(text: &str) -> bool {
    let text = trim(text);
    let starts_with =
        |prefix: &str| text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    (starts_with("http://") || starts_with("https://")) && Url::parse(text).is_ok()
}

/// Whether the text has 7 to 15 digits and, besides them, only a `+` in front and ` . - ( )` anywhere.
pub(super) fn is_phone(text: &str) -> bool {
    let number = text.strip_prefix('+').unwrap_or(text);
    let mut digits = 0;
    for byte in number.bytes() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b' ' | b'.' | b'-' | b'(' | b')' => {}
            _ => return false,
        }
    }
    (LIMITS.form.phone_digits_min..=LIMITS.form.phone_digits_max).contains(&digits)
}

/// Whether the text is a day of the Gregorian calendar as `YYYY-MM-DD`, from the year 0 on.
pub(super) fn is_date(text: &str) -> bool {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else {
        return false;
    };
    let (Some(century), Some(year), Some(month), Some(day)) =
        (number(y1, y2), number(y3, y4), number(m1, m2), number(d1, d2))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year != 0 || century % 4 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// Whether the text is a time of day as `HH:mm`.
pub(super) fn is_time(text: &str) -> bool {
    let &[h1, h2, b':', m1, m2] = text.as_bytes() else {
        return false;
    };
    is_below(24, h1, h2) && is_below(60, m1, m2)
}

/// Whether the text is a date, `T`, a time with optional seconds and fraction, and `Z` or an offset as `±HH:mm`.
pub(super) fn is_datetime(text: &str) -> bool {
    let Some((date, rest)) = text.split_once('T') else {
        return false;
    };
    let Some(time) = rest.strip_suffix('Z').or_else(|| strip_offset(rest)) else {
        return false;
    };
    let Some((minutes, seconds)) = time.split_at_checked("HH:mm".len()) else {
        return false;
    };
    is_date(date) && is_time(minutes) && (seconds.is_empty() || is_seconds(seconds))
}

/// What precedes an offset at the end of the text.
fn strip_offset(text: &str) -> Option<&str> {
    let (time, offset) = text.split_at_checked(text.len().checked_sub("+HH:mm".len())?)?;
    is_time(offset.strip_prefix(['+', '-'])?).then_some(time)
}

/// Whether the text is `:ss`, with a fraction of at least one digit if it goes on.
fn is_seconds(text: &str) -> bool {
    let Some((&[b':', s1, s2], fraction)) = text.as_bytes().split_first_chunk() else {
        return false;
    };
    let is_fraction = match fraction {
        [] => true,
        [b'.', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    is_below(60, s1, s2) && is_fraction
}

fn is_below(limit: u8, tens: u8, ones: u8) -> bool {
    number(tens, ones).is_some_and(|number| number < limit)
}

/// The number two ASCII digits spell.
fn number(tens: u8, ones: u8) -> Option<u8> {
    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + (ones - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_format(is_fit: fn(&str) -> bool, fits: &[&str], fits_not: &[&str]) {
        for text in fits {
            assert!(is_fit(text), "{text:?} fits");
        }
        for text in fits_not {
            assert!(!is_fit(text), "{text:?} does not fit");
        }
    }

    #[test]
    fn emails_are_plain_ascii_addresses() {
        assert_format(
            is_email,
            &["a@b.co", "A.b+c@ex-ample.com", "o'r@b.co", "_-@x.y-z.org", "a@xn--bcher-kva.ch"],
            &[
                "",
                "a",
                "@b.co",
                "a@b",
                "a@b.c",
                "a@b.co.",
                "a@b..co",
                "a@-b.co",
                "a@@b.co",
                ".a@b.co",
                "a.@b.co",
                "a..b@c.co",
                "a'@b.co",
                " a@b.co",
                "a b@c.co",
                "\"q\"@b.co",
                "ünï@ex.com",
                "a_b@c_d.com",
                "u@[1.2.3.4]",
                "a@b.c0",
            ],
        );
    }

    #[test]
    fn urls_are_http_and_parse_once_trimmed() {
        assert_format(
            is_http_url,
            &[
                "http://a.b",
                " https://a.b ",
                "HTTP://A.B",
                "http://localhost",
                "http://[::1]/",
                "https:///x",
                "http://a..b",
                "https://user:pw@h.io",
                "http://%41.com",
                "https://ex_ample.com",
                "https://☃.net",
            ],
            &[
                "",
                "example.com",
                "//a.b",
                "http:a.b",
                "http://",
                "ftp://a.b",
                "javascript:alert(1)",
                "data:text/plain,x",
                "http://exa mple",
                "http://a.b:70000",
            ],
        );
    }

    #[test]
    fn phones_have_7_to_15_digits_and_little_else() {
        assert_format(
            is_phone,
            &[
                "1234567",
                "123456789012345",
                "+1 (415) 555-2671",
                "+ 14155552671",
                "( ) 4155552671",
                "415.555.2671 ",
            ],
            &[
                "",
                "+",
                "123456",
                "1234567890123456",
                "1+4155552671",
                "415-555-2671 x5",
                "+14155552671,",
                "١٢٣٤٥٦٧",
            ],
        );
    }

    #[test]
    fn dates_are_real_days() {
        assert_format(
            is_date,
            &["2026-10-01", "2024-02-29", "2000-02-29", "0000-02-29", "9999-12-31"],
            &[
                "",
                "2026-02-29",
                "1900-02-29",
                "2026-04-31",
                "2026-00-10",
                "2026-13-01",
                "2026-01-00",
                "2026-2-1",
                "26-10-01",
                "2026/10/01",
                " 2026-10-01",
                "2026-10-01T00:00",
            ],
        );
    }

    #[test]
    fn times_are_minutes_of_a_day() {
        assert_format(
            is_time,
            &["00:00", "09:30", "23:59"],
            &["", "24:00", "09:60", "9:30", "09:3", "0930", "09:30:00", "-1:00", "12:00 PM"],
        );
    }

    #[test]
    fn datetimes_name_their_offset() {
        assert_format(
            is_datetime,
            &[
                "2026-10-01T09:30Z",
                "2026-10-01T09:30:15Z",
                "2026-10-01T09:30:00.1234567890Z",
                "2026-10-01T09:30+14:00",
                "2026-10-01T09:30-00:00",
                "2026-10-01T09:30:00.5+23:59",
            ],
            &[
                "",
                "2026-10-01",
                "2026-10-01T09:30",
                "2026-10-01T09:30:00",
                "2026-10-01 09:30Z",
                "2026-10-01t09:30Z",
                "2026-10-01T09:30z",
                "2026-10-01T09:30+0200",
                "2026-10-01T09:30+14:60",
                "2026-10-01T24:00Z",
                "2026-10-01T09:30:60Z",
                "2026-10-01T09:30:00.Z",
                "2026-02-30T09:30Z",
                "é+00:00",
            ],
        );
    }
}
