//! Bodies that nobody reads to their end.
//!
//! When a request in chunks is answered before its last chunk came, and nobody holds its body any more, actix waits
//! for the rest without limit, and whoever never sends it keeps a connection for ever. Of a body that is still held
//! when the answer is sent it waits a moment and closes. So the body is held until then.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::HttpMessage;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::header::TRANSFER_ENCODING;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};

/// A request's body, shared between who reads it and the response that holds it.
#[derive(Clone)]
pub struct HeldBody(Rc<RefCell<Payload>>);

impl HeldBody {
    /// Takes the body of a request in chunks and gives the request its share.
    pub fn of(request: &mut ServiceRequest) -> Option<Self> {
        request.headers().get(TRANSFER_ENCODING)?;
        let held = Self(Rc::new(RefCell::new(request.take_payload())));
        request.set_payload(Payload::Stream { payload: Box::pin(held.clone()) });
        Some(held)
    }

    /// Lets the response hold the body until it is sent: its head for a response without a body, else its body.
    pub fn until_sent(self, mut response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
        response.response_mut().extensions_mut().insert(self.clone());
        response.map_body(|_, body| BoxBody::new(Holding { body, _held: self }))
    }
}

struct Holding {
    body: BoxBody,
    _held: HeldBody,
}

impl MessageBody for Holding {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}

impl Stream for HeldBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.borrow_mut().poll_next_unpin(context)
    }
}
