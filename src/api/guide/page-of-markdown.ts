/** Renders a Markdown page, with the navigation of the guide beside it. */
import { basename, dirname, join, relative } from 'node:path/posix';
import type { Marked, Token, Tokens } from 'marked';
import { PARTS, PICTURES, type Source } from './source.js';
import { type GuidePage, tagged } from './tagged-page.js';

export function pageOf(source: Source, sources: readonly Source[], parser: typeof Marked): GuidePage {
  return tagged(htmlOf(source, sources, parser), 'text/html');
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
      image({ href, text }: Tokens.Image): string {
        const picture = relative(PICTURES.folder, join(dirname(source.file), href));
        const address = relativeAddress(source.address, `${PICTURES.address}/${picture}`);
        return `<img src="${escaped(address)}" alt="${escaped(text)}">`;
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
