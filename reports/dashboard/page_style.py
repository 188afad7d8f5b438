"""The style sheet of the pages, and the script that gives them their language."""

import json

from innspect.reports.i18n import en
from innspect.reports.i18n.catalog import Translations

STYLE_SHEET = """<style>
.stMainBlockContainer {padding:3rem clamp(1rem, 3vw, 3rem) 4rem}
.badge {display:inline-block; padding:0 .5em; border-radius:.7em; border:2px solid; font-size:.85rem; line-height:1.5;
  font-weight:600; white-space:nowrap}
.badge.hatched, .badge.undetermined {border-style:dashed; background:repeating-linear-gradient(45deg,
  transparent 0 5px, #8882 5px 10px)}
.badge.aged {border-style:double; border-width:3px; background:repeating-linear-gradient(90deg,
  transparent 0 4px, #8882 4px 8px)}
.badge.dotted {border-style:dotted; font-weight:400}
.details {width:100%; border-collapse:collapse; font-size:.92rem}
.details th {text-align:left; font-weight:600; opacity:.8}
.details th, .details td {padding:.35em .6em .35em 0; border-bottom:1px solid #8884; vertical-align:top;
  overflow-wrap:break-word}
.details td.unbroken {white-space:nowrap}
.details .number {text-align:right; white-space:nowrap}
.details .sub, .sub {opacity:.75; font-size:.82rem}
.details code, .sub code {font-size:.78rem; background:transparent; padding:0; color:inherit}
.cells {display:grid; grid-template-columns:repeat(auto-fill, minmax(15rem, 1fr)); gap:.3rem 1.2rem}
.cells > div {border-bottom:1px solid #8884; padding:.3rem 0; overflow-wrap:anywhere}
.cells .sub {display:block}
.cells + .cells {margin-top:.8rem}
.part {margin:0 0 1.2rem}
.part h4 {padding:.2rem 0 .4rem; margin:0}
.part ul {margin:.2rem 0}
.part p {margin:.2rem 0}
.years {display:block; width:100%; max-width:620px; background:#fff; margin:.3rem 0}
.key {display:inline-block; width:.8em; height:.8em; print-color-adjust:exact}
/* Streamlit's hint of Enter is English and has no setting. */
[data-testid="InputInstructions"] {display:none}
[class*="st-key-paper_"], .st-key-on_paper,
[data-testid="stLayoutWrapper"]:has(> [class*="st-key-paper_"]),
[data-testid="stLayoutWrapper"]:has(> .st-key-on_paper) {display:none}
@media (max-width: 640px) {
  .details thead {display:none}
  .details tr {display:block; border-bottom:1px solid #8886; padding:.4em 0}
  .details td, .details .number {display:block; border:0; padding:.1em 0; overflow-wrap:anywhere; text-align:left;
    white-space:normal}
  .details td:empty {display:none}
  .details td.unbroken {display:inline-block; margin-right:.8em; opacity:.8}
  .details td:first-child {font-weight:600}
  .details td + td[data-label]::before {content:attr(data-label) ": "; opacity:.75; font-size:.82rem; font-weight:400}
  .cells {grid-template-columns:1fr}
  .stMainBlockContainer h1 {font-size:1.9rem; padding:0 0 .5rem}
  [data-testid="stMetric"] {padding:.5rem .7rem}
  [data-testid="stMetricValue"] {font-size:1.4rem}
  [class*="st-key-paper_"], [data-testid="stLayoutWrapper"]:has(> [class*="st-key-paper_"]) {display:flex}
  [class*="st-key-grid_"], [data-testid="stLayoutWrapper"]:has(> [class*="st-key-grid_"]) {display:none}
}
@media print {
  @page {size:A4; margin:14mm}
  html, body, #root, .stApp, .stApp > div, [data-testid="stAppViewContainer"], [data-testid="stMain"],
  [data-testid="stMainBlockContainer"] {position:static !important; overflow:visible !important; height:auto !important;
    width:100% !important; max-width:100% !important; display:block !important; padding:0 !important;
    transform:none !important; background:#fff !important; color:#17202b !important}
  [data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stToolbar"], [data-testid="stElementToolbar"],
  [class*="st-key-grid_"], [class*="st-key-save_"], .st-key-queries, .stButton, .stDownloadButton, .stTextInput,
  .stMultiSelect, .stSelectbox, .stPills, .stButtonGroup, .stCheckbox, [data-testid="stStatusWidget"],
  [role="tablist"] {display:none !important}
  [class*="st-key-paper_"], .st-key-on_paper, [data-testid="stLayoutWrapper"]:has(> [class*="st-key-paper_"]),
  [data-testid="stLayoutWrapper"]:has(> .st-key-on_paper) {display:block !important}
  .details {table-layout:auto; font-size:9pt}
  .details thead {display:table-header-group}
  .details tr, .cells > div, [data-testid="stMetric"], .years {break-inside:avoid}
  h1, h2, h3, h4 {break-after:avoid}
  .part a[target="_blank"]::after {content:" (" attr(href) ")"; font-size:8pt; overflow-wrap:anywhere}
  [data-testid="stMetric"] {padding:.3rem .6rem !important; height:auto !important}
  [data-testid="stMetricValue"], [data-testid="stMetricValue"] * {font-size:13pt !important}
  h1 {font-size:18pt !important}
  h2, h3 {font-size:13pt !important}
  canvas, img {max-width:100% !important; height:auto !important}
  details::details-content {content-visibility:visible !important; height:auto !important; opacity:1 !important}
  details > * {display:block !important; height:auto !important; visibility:visible !important; opacity:1 !important}
  [data-testid="stExpander"] details {border:0 !important}
  [data-testid="stExpander"] summary {padding:0 !important; font-weight:600}
  [data-testid="stIconMaterial"] {display:none !important}
  a {color:inherit !important; text-decoration:none !important}
  * {print-color-adjust:exact}
}
</style>"""
"""Wide screens show Streamlit's grids; phones and paper show the same rows as HTML."""
WORD_PREFIX = "streamlit."
SCRIPT = """<script>
(() => {
  const page = window.parent?.document ?? document;
  const words = WORDS;
  page.documentElement.lang = LANGUAGE;
  const root = page.defaultView;
  root.innspectWords?.disconnect();
  if (!Object.keys(words).length) return;
  const PARTS = "button, [role=menu], [role=menuitem], [role=tooltip], [role=listbox], [role=option], input, " +
    "[data-testid=stElementToolbar], [data-testid=stTooltipContent], [data-testid=stDataFrameColumnMenu], " +
    "[data-testid=stSidebarCollapseButton], a[href^='#'], [data-testid=stStatusWidget], " +
    "[data-testid=stHeadingWithActionElements] a";
  const translate = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const word = words[node.data.trim()];
      if (word && node.parentElement?.closest(PARTS)) node.data = word;
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    for (const name of ["aria-label", "title", "placeholder"]) {
      const word = words[node.getAttribute(name)];
      if (word) node.setAttribute(name, word);
    }
    node.childNodes.forEach(translate);
  };
  translate(page.body);
  root.innspectWords = new root.MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === "childList") change.addedNodes.forEach(translate);
      else translate(change.target);
    }
  });
  root.innspectWords.observe(page.body, {
    childList: true, subtree: true, characterData: true, attributes: true,
    attributeFilter: ["aria-label", "title", "placeholder"],
  });
})();
</script>"""


def language_script(t: Translations) -> str:
    """A script that sets the language of the document and translates the words that Streamlit has in English only."""
    translated = {text: t(key) for key, text in en.TEXTS.items() if key.startswith(WORD_PREFIX) and t(key) != text}
    words = json.dumps(translated, ensure_ascii=False)
    return SCRIPT.replace("WORDS", words).replace("LANGUAGE", json.dumps(t.language))
