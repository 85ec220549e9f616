/** Every relative link in the Markdown files of the repository leads to a file that exists, and to a heading in it. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
/** Folders of others, and those that are generated. */
const NOT_OURS = new Set(['.git', '.data', 'node_modules', 'dist', 'coverage']);

interface Link {
  readonly line: number;
  readonly target: string;
}

describe('Markdown files', () => {
  const pages = filesBelow(REPOSITORY).filter((path) => path.endsWith('.md'));

  it('link to files and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      linksOf(readFileSync(page, 'utf8')).flatMap(({ line, target }) => {
        const problem = problemOf(page, target);
        return problem === null ? [] : [`${relative(REPOSITORY, page)}:${line}: ${target} ${problem}`];
      }),
    );
    assert.deepEqual(broken, []);
  });

  it('are all reachable from the README, or are the README of a folder', () => {
    const seen = new Set([join(REPOSITORY, 'README.md')]);
    // A set also visits what is added while it is being visited.
    for (const page of seen) {
      for (const { target } of linksOf(readFileSync(page, 'utf8'))) {
        const linked = fileOf(page, target);
        if (linked?.endsWith('.md') && existsSync(linked)) seen.add(linked);
      }
    }
    const unreachable = pages.filter((page) => !seen.has(page) && !page.endsWith('README.md'));
    assert.deepEqual(
      unreachable.map((page) => relative(REPOSITORY, page)),
      [],
    );
  });

  it('are found under the names that the code gives them', () => {
    const folders = ['src', 'db', 'test', 'bench', 'scripts'].flatMap((folder) => filesBelow(join(REPOSITORY, folder)));
    const sources = [...folders, join(REPOSITORY, 'biome.json'), join(REPOSITORY, 'package.json')];
    const named = sources.flatMap((source) => {
      const names = readFileSync(source, 'utf8').matchAll(/\bdocs\/[a-z0-9/-]+\.md\b/g);
      return Array.from(names, ([name]) => ({ source: relative(REPOSITORY, source), name }));
    });
    assert.notEqual(named.length, 0);
    assert.deepEqual(
      named.filter(({ name }) => !existsSync(join(REPOSITORY, name))),
      [],
    );
  });
});

describe('the test of links', () => {
  it('finds links in prose and in tables, and none in code', () => {
    const text = ['[a](a.md) and [b](<b c.md>)', '```', '[no](no.md)', '```', '| `[no](no.md)` | [c](#d "e") |'].join(
      '\n',
    );
    assert.deepEqual(
      linksOf(text).map(({ target }) => target),
      ['a.md', 'b c.md', '#d'],
    );
  });

  it('makes anchors of headings as GitHub does', () => {
    const text = '# A `code` page\n## Who is *asking*?\n## Twice\n## Twice\n```\n# no heading\n```';
    assert.deepEqual([...anchorsOf(text)], ['a-code-page', 'who-is-asking', 'twice', 'twice-1']);
  });

  it('reports a file and a heading that do not exist', () => {
    const page = join(REPOSITORY, 'README.md');
    assert.equal(problemOf(page, 'no-such-page.md'), 'does not exist');
    assert.equal(problemOf(page, 'README.md#no-such-heading'), 'has no such heading');
    assert.equal(problemOf(page, 'README.md#longshore'), null);
    assert.equal(problemOf(page, 'docs/'), null);
    assert.equal(problemOf(page, 'https://example.com/no-such-page'), null);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** The lines that are no code; those of code are empty. */
function proseLines(text: string): string[] {
  let inFence = false;
  return text.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) inFence = !inFence;
    return isFence || inFence ? '' : line;
  });
}

function linksOf(text: string): Link[] {
  return proseLines(text).flatMap((line, index) => {
    const links = line.replace(/`[^`]*`/g, '').matchAll(/\]\((?:<([^>]*)>|([^\s)]*))(?:\s+"[^"]*")?\)/g);
    return Array.from(links, ([, bracketed, plain]) => ({ line: index + 1, target: bracketed ?? plain ?? '' }));
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const line of proseLines(text)) {
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The file that a link leads to; null: it leads out of the repository. */
function fileOf(page: string, target: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return null;
  const [path = ''] = target.split('#');
  return path === '' ? page : resolve(dirname(page), decodeURIComponent(path));
}

/** What is wrong with a link; null: nothing. */
function problemOf(page: string, target: string): string | null {
  const file = fileOf(page, target);
  if (file === null) return null;
  if (!existsSync(file)) return 'does not exist';
  const anchor = target.split('#')[1];
  if (anchor === undefined) return null;
  if (!statSync(file).isFile() || !anchorsOf(readFileSync(file, 'utf8')).has(anchor)) return 'has no such heading';
  return null;
}
