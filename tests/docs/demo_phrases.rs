//! The table of `docs/demo-agent.md` says what the demo agent does.

use crate::page::Page;
use crate::support::Node;

#[tokio::test]
async fn the_demo_agent_asks_what_the_table_says() {
    let node = Node::start().await;
    let user = node.user("ann").await;
    for cells in Page::read("docs/demo-agent.md").table(&["Say", "It asks"]) {
        let [phrase, kind] = [&cells[0], &cells[1]];
        let turn = user.says(phrase).await;
        assert_eq!(turn.ask()["kind"], kind.as_str(), "{phrase}");
    }
}
