//! Runs from servers: the form, what comes, what is interrupted, and servers that mean harm.

mod axiom;
mod connect;
mod evil;
mod fetch;
pub mod served;
mod walls;
