"""How an exported page looks: paper and ink, light or dark as the reader's system is."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #FBFAF7; --raised: #FFFFFF; --line: #E7E3DB; --ink: #1F1E1B; --ink-2: #5F5B53;
  --ink-3: #6C675E; --accent: #2C6B5E; --accent-soft: #E4EFEB; --amber: #8A5A0F;
  --amber-soft: #FBF2DF; --red: #A8362C;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #1A1B1A; --raised: #222423; --line: #323533; --ink: #ECEAE4; --ink-2: #ABA9A0;
    --ink-3: #9D9A93; --accent: #84C9B6; --accent-soft: #22352F; --amber: #E2B566;
    --amber-soft: #382E1A; --red: #F0968B;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 24px 18px; max-width: 720px; background: var(--paper);
  color: var(--ink); font: 15px/23px Inter, system-ui, sans-serif; overflow-wrap: break-word;
}
h1 { font-size: 18px; line-height: 27px; margin: 0; }
h2 { font-size: 15px; line-height: 23px; margin: 0; white-space: pre-wrap; }
h3 { font-size: 12px; line-height: 18px; font-weight: 500; color: var(--ink-3); margin: 18px 0 4px; }
.answer h1, .answer h2, .answer h3, .answer h4, .answer h5, .answer h6 {
  font-size: 15px; line-height: 23px; font-weight: 600; color: var(--ink); margin: 18px 0 4px;
}
article { border-top: 1px solid var(--line); margin-top: 24px; padding-top: 18px; }
.about, .host { color: var(--ink-3); font-size: 12px; line-height: 18px; margin: 0; }
a { color: var(--accent); }
.quoted {
  margin: 8px 0; padding-left: 12px; border-left: 2px solid var(--line); color: var(--ink-2);
  white-space: pre-wrap;
}
.cite {
  font-size: 11px; font-weight: 600; text-decoration: none; border-radius: 4px; padding: 0 4px;
  background: var(--accent-soft);
}
.cite.weak, .cite.unsupported { background: var(--amber-soft); }
span.weak { text-decoration: underline dashed var(--amber); text-underline-offset: 4px; }
span.unsupported { text-decoration: underline dotted var(--red); text-underline-offset: 4px; }
.legend, .sources { font-size: 13px; line-height: 20px; color: var(--ink-2); }
.sources ol { margin: 0; padding-left: 24px; }
.sources q { display: block; margin: 4px 0; }
.note, .failure {
  font-size: 13px; line-height: 20px; margin: 8px 0; padding: 8px 12px; border-radius: 8px;
  background: var(--amber-soft); color: var(--amber);
}
.failure { background: var(--raised); border: 1px solid var(--line); color: var(--red); }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 2px solid var(--line); }
pre, code { font: 13px/20px "JetBrains Mono", ui-monospace, monospace; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: 12px; }
pre, table { overflow-x: auto; }
table { display: block; border-collapse: collapse; }
th, td { border-bottom: 1px solid var(--line); padding: 4px 12px 4px 0; text-align: left; }
@media print { body { max-width: none; } article { break-inside: avoid-page; } }
"""
