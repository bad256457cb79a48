/** The look of an HTML export. Two columns of colour, light and dark; everything else follows. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --paper: #fbfaf8; --ink: #1f2328; --soft: #6b7280; --line: #e5e2dc; --card: #fff;
  --you: #e8f0fe; --you-line: #c6d8f8; --code: #f4f2ee; --accent: #9a5b13; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181c; --ink: #e6e6e3; --soft: #9aa0a8; --line: #2c3036;
  --card: #1d2025; --you: #1c2a40; --you-line: #2b4266; --code: #121417; --accent: #e0a458; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
main + main { border-top: 1px solid var(--line); }
header { margin-bottom: 2rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
dl { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: 0; font-size: .85rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
dl div { display: flex; gap: .45rem; max-width: 100%; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .85rem 1.1rem; margin: 0 0 .9rem; }
article.user { background: var(--you); border-color: var(--you-line); margin-left: 3rem; }
article.tool, article.note, article.system { background: none; border-style: dashed; margin-left: 1.5rem; padding: .5rem 1rem; font-size: .92rem; }
article.carried { opacity: .65; } article.undone { opacity: .55; } article.undone p { text-decoration: line-through; }
h2 { display: flex; align-items: baseline; gap: .5rem; font-size: .85rem; margin: 0 0 .35rem; overflow-wrap: anywhere; }
h2 small { font-weight: 500; color: var(--accent); } h2 time { margin-left: auto; font-weight: 400; color: var(--soft); white-space: nowrap; }
p { margin: .35rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .85rem; margin: .5rem 0; overflow-x: auto;
  font: .83rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--soft); font-size: .88rem; overflow-wrap: anywhere; }
details.call summary { color: var(--accent); font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .83rem; }
.attachment { font-size: .88rem; color: var(--soft); }
hr { border: 0; border-top: 1px dashed var(--soft); margin: 2rem 0; text-align: center; overflow: visible; }
hr::after { content: attr(data-label); position: relative; top: -.8rem; background: var(--paper); color: var(--soft); padding: 0 .75rem; font-size: .8rem; }
@media (max-width: 34rem) { article.user, article.tool, article.note, article.system { margin-left: 0; } }
@media print { :root { --paper: #fff; --ink: #000; --card: #fff; --you: #f3f3f3; --you-line: #ccc; --code: #f7f7f7; --soft: #555; --line: #ccc; --accent: #333; }
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; } main + main { break-before: page; border: 0; }
  article { break-inside: auto; } h2 { break-after: avoid; } pre { overflow: visible; } details::details-content { content-visibility: visible; display: block; } }
`;
