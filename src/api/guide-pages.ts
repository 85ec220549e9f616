/** The Markdown pages of docs/guide and docs/use with their pictures, rendered as pages that load nothing from other hosts. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../platform/error-code.js';
import { pageOf } from './guide/page-of-markdown.js';
import { PARTS, PICTURES, type Source } from './guide/source.js';
import { type GuidePage, tagged } from './guide/tagged-page.js';

/** The root folder of the repository, as seen from the build and from a bundle. */
const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** The page of a part that has the address of the part itself. */
const INDEX = 'README.md';

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
  const pages = sources.map((source) => [source.address, pageOf(source, sources, Marked)] as const);
  return new Map([...pages, ...(await pictures())]);
}

/** The pictures by their addresses. */
async function pictures(): Promise<(readonly [string, GuidePage])[]> {
  const names = (await readdir(join(REPOSITORY, PICTURES.folder))).filter((name) => name.endsWith('.png'));
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(REPOSITORY, PICTURES.folder, name));
      return [`${PICTURES.address}/${name}`, tagged(bytes, 'image/png')] as const;
    }),
  );
}

/** An installation may have left the documentation out. @throws what else was wrong; the next request tries again */
function withoutPages(error: unknown): ReadonlyMap<string, GuidePage> {
  rendered = undefined;
  if (codeOf(error) === 'ENOENT') return new Map();
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
