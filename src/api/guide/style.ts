/** The style of the guide: that of /docs, where it has one. */
import { type GuidePage, tagged } from './tagged-page.js';

export const GUIDE_STYLE: GuidePage = tagged(
  `body { margin: 0; color: #3b4151; background: #fff; font: 16px/1.55 sans-serif; display: flex; }
nav { box-sizing: border-box; flex: 0 0 17rem; padding: 1.5rem; background: #fafafa; border-right: 1px solid #e3e4e6; min-height: 100vh; font-size: 14px; }
nav p { margin: 0; font-size: 1.3rem; font-weight: bold; }
nav h2 { margin: 1.5rem 0 .3rem; font-size: 14px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: .3rem 0; }
[aria-current] { font-weight: bold; color: #3b4151; text-decoration: none; }
main { box-sizing: border-box; flex: 1; min-width: 0; max-width: 56rem; padding: 1.5rem 2.5rem 5rem; }
h1, h2, h3 { line-height: 1.25; color: #1b1b1b; }
h2 { margin-top: 2.2rem; }
a { color: #2a5db0; }
code, pre { font-family: monospace; font-size: 14px; }
code { background: #f1f2f4; padding: .1em .3em; border-radius: 3px; }
pre { background: #333; color: #fff; padding: 1rem; border-radius: 4px; overflow-x: auto; }
pre code { background: none; padding: 0; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: .45rem .8rem .45rem 0; border-bottom: 1px solid #e3e4e6; }
img { max-width: 100%; border: 1px solid #e3e4e6; border-radius: 4px; }
blockquote { margin: 1rem 0; padding: .1rem 1rem; border-left: 4px solid #61affe; background: #f5f9ff; }
@media (max-width: 50rem) { body { display: block; } nav { min-height: 0; border-right: 0; } main { padding: 1rem; } }
`,
  'text/css',
);
