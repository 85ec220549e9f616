/** The style of the operators' pages: light and dark, without anything from another host. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #f4f6f8; --card: #ffffff; --ink: #16202b; --dim: #51606f; --line: #d5dce3; --link: #0b57a4;
  --bar: #12263a; --bar-ink: #ffffff; --good: #0f6b3a; --good-ground: #dcf3e5; --busy: #7a4b00; --busy-ground: #ffedcc;
  --bad: #a11616; --bad-ground: #fde2e1; --plain-ground: #e6ebf0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f161d; --card: #18222c; --ink: #e8eef4; --dim: #a9b7c5; --line: #2f3d4a; --link: #86bdf7;
    --bar: #0a1219; --bar-ink: #f2f6fa; --good: #8be0ae; --good-ground: #12351f; --busy: #ffcf85; --busy-ground: #402c07;
    --bad: #ffaba6; --bad-ground: #481717; --plain-ground: #263340;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "Noto Sans", sans-serif; }
a { color: var(--link); text-underline-offset: 2px; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, .scroll:focus-visible, summary:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px;
}
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--card); padding: 6px 10px; z-index: 1; }
header { background: var(--bar); display: flex; flex-wrap: wrap; align-items: center; gap: 4px 28px; padding: 10px 24px; }
header a { color: var(--bar-ink); }
.brand { margin: 0; font-weight: 700; font-size: 17px; letter-spacing: 0.01em; }
.brand a { text-decoration: none; }
nav ul { display: flex; flex-wrap: wrap; gap: 4px; margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: 6px 12px; border-radius: 6px; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { background: #ffffff26; font-weight: 600; }
main { max-width: 1280px; margin: 0 auto; padding: 20px 24px 8px; }
h1 { font-size: 24px; margin: 4px 0 16px; }
h2 { font-size: 16px; margin: 0 0 8px; }
h3 { font-size: 14px; margin: 14px 0 6px; }
p { margin: 0 0 8px; }
section, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; margin: 0 0 16px; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); gap: 16px; margin-bottom: 16px; }
.grid section { margin: 0; min-width: 0; }
.answer { font-size: 17px; font-weight: 600; }
.dim, .none, footer { color: var(--dim); }
td .dim, .id { overflow-wrap: anywhere; }
.id { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-size: 13px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th { text-align: left; font-weight: 600; color: var(--dim); font-size: 13px; white-space: nowrap; }
th, td { padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: break-word; min-width: 48px; }
.grid th { white-space: normal; }
.grid th, .grid td { padding-right: 10px; }
@media (max-width: 640px) { section:not(.grid section) > .scroll > table { min-width: 580px; } }
code { overflow-wrap: anywhere; font-size: 13px; }
tbody tr:last-child td { border-bottom: 0; }
.trend { display: block; width: 100%; height: auto; margin: 8px 0 4px; }
.trend rect { fill: var(--link); }
.trend text { fill: var(--dim); font-size: 18px; }
.trend .base { stroke: var(--line); }
.trend .deploy { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 4 3; }
.pill { display: inline-block; padding: 0 9px; border-radius: 999px; font-size: 13px; font-weight: 600; white-space: nowrap; background: var(--plain-ground); color: var(--ink); }
.pill.good { background: var(--good-ground); color: var(--good); }
.pill.busy { background: var(--busy-ground); color: var(--busy); }
.pill.bad { background: var(--bad-ground); color: var(--bad); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 10px 20px; margin: 0; }
.facts dt { color: var(--dim); font-size: 13px; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
form.search { display: flex; flex-wrap: wrap; gap: 12px; align-items: end; }
form.search label { display: grid; gap: 2px; font-size: 13px; color: var(--dim); }
input, select { font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--dim); border-radius: 6px; padding: 6px 8px; }
button { font: inherit; font-weight: 600; border: 1px solid var(--link); border-radius: 6px; padding: 6px 14px; background: var(--link); color: var(--card); cursor: pointer; }
button.quiet { background: transparent; color: var(--link); }
button.danger { background: transparent; border-color: var(--bad); color: var(--bad); }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 12px; }
ul.plain { list-style: none; margin: 0; padding: 0; }
ul.plain li { padding: 4px 0; }
footer { max-width: 1280px; margin: 0 auto; padding: 4px 24px 24px; font-size: 13px; }
`;
