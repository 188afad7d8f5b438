"""The people and companies around one INN, on the page of a company."""

from base64 import b64encode
from html import escape
from urllib.parse import urlencode

import streamlit as st

from innspect.reports.dashboard import url_state
from innspect.reports.dashboard.badges import escape_markdown, signed_label
from innspect.reports.dashboard.page_context import INN_PARAMETER, PageContext
from innspect.reports.link_graph.draw import draw_network
from innspect.reports.link_graph.link_graph import LinkNetwork, Node, read_link_network
from innspect.warehouse.publish.reader import PublishedCopy

MIN_WIDTH_PX, MAX_WIDTH_PX = 640, 700


def show(context: PageContext, inn: str) -> None:
    """Draw the graph, with links to the pages of the companies and people in it that were requested."""
    network = _read(context.copy, context.copy.version, inn)
    graph = draw_network(network, context.t)
    if graph.svg is not None:
        # As an image, because Streamlit removes SVG from HTML.
        image = b64encode(graph.svg.encode()).decode()
        style = f"width:100%;min-width:{MIN_WIDTH_PX}px;max-width:{MAX_WIDTH_PX}px"
        label = escape(context.t("people"))
        st.html(
            '<div style="overflow-x:auto"><img class="link-graph" '
            f'alt="{label}" style="{style}" src="data:image/svg+xml;base64,{image}"></div>'
        )
    for remark in graph.remarks:
        st.caption(escape_markdown(remark))
    pages = [_page_link(context, node) for node in network.nodes if node.depth and node.level]
    if pages:
        st.html(f'<div class="sub">{" · ".join(pages)}</div>')


def _page_link(context: PageContext, node: Node) -> str:
    """A link to the page of a node, with the filter of this page."""
    address = urlencode([*url_state.shared_parameters(), (INN_PARAMETER, node.key)])
    words = f"{signed_label('level', node.level or '', context.t)} {node.name or ''} {node.key}"
    return f'<a href="?{escape(address)}" target="_self">{escape(words)}</a>'


@st.cache_data(max_entries=64, ttl=300, show_spinner=False)
def _read(_copy: PublishedCopy, version: tuple[str, int, int], inn: str) -> LinkNetwork:  # noqa: ARG001 (cache key)
    return read_link_network(_copy, inn)
