/** The Markdown pages of docs/guide and docs/use, rendered as pages that load nothing from other hosts. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import type { Marked, Token, Tokens } from 'marked';

/** The root folder of the repository, as seen from the build and from a bundle. */
const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder with the pages of a part of the guide, and the address of the part. */
const PARTS = [
  { folder: 'docs/guide', address: 'guide', title: 'Guide' },
  { folder: 'docs/use', address: 'guide/use', title: 'Reference' },
] as const;

/** The page of a part that has the address of the part itself. */
const INDEX = 'README.md';

interface Source {
  /** The path of the Markdown file in the repository. */
  readonly file: string;
  /** Without a slash at its beginning: `guide/your-first-import`. */
  readonly address: string;
  readonly part: string;
  readonly title: string;
  readonly markdown: string;
}

export interface GuidePage {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** All pages by their address, rendered at the first request; a restart shows what has changed. */
let rendered: Promise<ReadonlyMap<string, GuidePage>> | undefined;

/** The page at an address without its first slash, such as `guide/stages`; undefined: there is none. */
export async function guidePageAt(address: string): Promise<GuidePage | undefined> {
  rendered ??= renderAll();
  return (await rendered.catch(withoutPages)).get(address);
}

async function renderAll(): Promise<ReadonlyMap<string, GuidePage>> {
  const sources = (await Promise.all(PARTS.map(sourcesOf))).flat();
  // Loaded with the first request: it makes its regular expressions at once, which the start need not wait for.
  const { Marked } = await import('marked');
  return new Map(sources.map((source) => [source.address, pageOf(source, sources, Marked)]));
}

/** An installation may have left the documentation out. @throws what else was wrong; the next request tries again */
function withoutPages(error: unknown): ReadonlyMap<string, GuidePage> {
  rendered = undefined;
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
  throw error;
}

async function sourcesOf({ folder, address, title: part }: (typeof PARTS)[number]): Promise<Source[]> {
  const names = (await readdir(join(REPOSITORY, folder))).filter((name) => name.endsWith('.md'));
  const sources = await Promise.all(
    names.map(async (name) => {
      const markdown = await readFile(join(REPOSITORY, folder, name), 'utf8');
      const title = /^# (.+)$/m.exec(markdown)?.[1] ?? name;
      const own = name === INDEX ? address : `${address}/${name.replace(/\.md$/, '')}`;
      return { file: join(folder, name), address: own, part, title, markdown };
    }),
  );
  return inOrderOfIndex(sources);
}

/** The pages in the order in which the index of their part links them; the others follow by their title. */
function inOrderOfIndex(sources: readonly Source[]): Source[] {
  const index = sources.find(({ file }) => file.endsWith(`/${INDEX}`))?.markdown ?? '';
  const rankOf = ({ file }: Source) => {
    if (file.endsWith(`/${INDEX}`)) return -1;
    const at = index.indexOf(`](${file.split('/').at(-1)}`);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  };
  return sources.toSorted((a, b) => {
    const [first, second] = [rankOf(a), rankOf(b)];
    return first === second ? a.title.localeCompare(b.title) : first - second;
  });
}

// From Markdown to a page

function pageOf(source: Source, sources: readonly Source[], parser: typeof Marked): GuidePage {
  return tagged(htmlOf(source, sources, parser));
}

function htmlOf(source: Source, sources: readonly Source[], parser: typeof Marked): string {
  const to = (address: string) => relativeAddress(source.address, address);
  const navigation = PARTS.map(({ title: part }) => {
    const links = sources
      .filter((other) => other.part === part)
      .map(({ address, title }) => {
        const current = address === source.address ? ' aria-current="page"' : '';
        return `<li><a href="${to(address)}"${current}>${escaped(title)}</a></li>`;
      });
    return `<h2>${part}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
  });
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(source.title)} · Longshore</title>
<link rel="icon" type="image/png" href="${to('docs/favicon-32x32.png')}">
<link rel="stylesheet" href="${to('guide/style.css')}">
</head>
<body>
<nav>
<p><a href="${to('guide')}">Longshore</a></p>
${navigation.join('\n')}
<h2>API</h2>
<ul>
<li><a href="${to('docs')}">All operations</a></li>
</ul>
</nav>
<main>
${bodyOf(source, sources, parser)}</main>
</body>
</html>
`;
}

function bodyOf(source: Source, sources: readonly Source[], parser: typeof Marked): string {
  const anchors = new Map<string, number>();
  const marked = new parser({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        return `<h${depth} id="${anchorOf(textOf(tokens), anchors)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const text = this.parser.parseInline(tokens);
        const address = addressOf(href, source, sources);
        return address === null ? text : `<a href="${escaped(address)}">${text}</a>`;
      },
      // Wide tables scroll by themselves, so that the page does not.
      table(token: Tokens.Table): string | false {
        const cells = (row: readonly Tokens.TableCell[], tag: string) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="table"><table>\n<thead><tr>${cells(token.header, 'th')}</tr></thead>\n<tbody>\n${rows}\n</tbody>\n</table></div>\n`;
      },
    },
  });
  return marked.parse(source.markdown, { async: false });
}

/** Where a link of a page leads; null: to a file of the repository that is not served. */
function addressOf(href: string, source: Source, sources: readonly Source[]): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const file = join(dirname(source.file), decodeURIComponent(path));
  const target = sources.find((other) => other.file === file);
  if (target === undefined) return null;
  return `${relativeAddress(source.address, target.address)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Relative, so that the pages also work behind a path prefix. */
function relativeAddress(from: string, to: string): string {
  // Through the folder of the target: `..` alone would be the address with a slash at its end.
  return join(relative(dirname(`/${from}`), dirname(`/${to}`)), basename(to));
}

/** The anchor of a heading, as GitHub makes it: the links of the pages are written for both. */
function anchorOf(heading: string, taken: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  const times = taken.get(anchor) ?? 0;
  taken.set(anchor, times + 1);
  return times === 0 ? anchor : `${anchor}-${times}`;
}

/** The text of a heading without its formatting. */
function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return textOf(token.tokens);
      return 'text' in token ? String(token.text) : '';
    })
    .join('');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function tagged(text: string): GuidePage {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

// The style: that of /docs, where it has one

export const GUIDE_STYLE: GuidePage =
  tagged(`body { margin: 0; color: #3b4151; background: #fff; font: 16px/1.55 sans-serif; display: flex; }
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
blockquote { margin: 1rem 0; padding: .1rem 1rem; border-left: 4px solid #61affe; background: #f5f9ff; }
@media (max-width: 50rem) { body { display: block; } nav { min-height: 0; border-right: 0; } main { padding: 1rem; } }
`);
