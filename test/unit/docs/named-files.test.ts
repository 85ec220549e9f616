/** Files and folders that comments and pages name exist: `api/app.ts`, `src/queues`, docs/README.md. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
/** Folders of others, and those that are generated. */
const NOT_OURS = new Set(['.git', '.data', 'node_modules', 'dist', 'coverage']);
/** The folders whose comments are read; those of tests name planted files as well. */
const COMMENTED = ['src', 'db', 'packages', 'bench', 'scripts', 'test/support'];
/** The changelog names what there was; users of the guide and of the API write files of their own. */
const PAGES = filesBelow('.').filter(
  (path) => path.endsWith('.md') && !/^(CHANGELOG|docs\/(guide|use)|examples)/.test(path),
);
/** What is written by the programs that the comments are about. */
const WRITTEN = ['test/unit/x.test.ts'];

const everything = filesBelow('.').map((path) => `/${path}`);
const folders = new Set(everything.flatMap((path) => foldersAbove(path)));
const roots = readdirSync(REPOSITORY, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !NOT_OURS.has(entry.name))
  .map(({ name }) => name);

/** Names of files by their endings, and paths in backticks that begin with a folder of the repository or with `…/`. */
function namesIn(text: string): string[] {
  const files = text.matchAll(
    /(?<![\w*{}$./<>-])((?:\.{1,2}\/|[\w.@-]+\/)*[\w.-]+\.(?:ts|mjs|md|svg|yaml))\b(?![\w*/-])/g,
  );
  const paths = text.matchAll(new RegExp(`\`((?:${roots.join('|')})/[\\w./-]*)\``, 'g'));
  const shortened = text.matchAll(/`…\/([\w./-]+)`/g);
  return [...new Set([...files, ...paths, ...shortened].map(([, name = '']) => name.replace(/\/$/, '')))];
}

/**
 * Whether a file or folder of the repository has this name, from its root or from any folder
 * (where the ending may be left out), or beside the naming one.
 */
function exists(name: string, namedIn: string): boolean {
  if (/^\.{1,2}\//.test(name)) return existsSync(join(REPOSITORY, dirname(namedIn), name));
  if (folders.has(`/${name}`) || existsSync(join(REPOSITORY, dirname(namedIn), name))) return true;
  const isNamed = (path: string) => path.endsWith(`/${name}`) || path.includes(`/${name}.`);
  return everything.some(isNamed);
}

/** Block comments and those at the end of a line, one after another. */
function commentsOf(text: string): string {
  return (text.match(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*/g) ?? []).join('\n');
}

describe('what is named', () => {
  it('in a comment exists', () => {
    const sources = COMMENTED.flatMap(filesBelow).filter((path) => /\.(ts|mjs)$/.test(path));
    const named = sources.flatMap((path) => namesIn(commentsOf(textOf(path))).map((name) => ({ path, name })));
    assert.ok(named.length > 20, `${named.length}`);
    assert.deepEqual(
      named.filter(({ path, name }) => !exists(name, path) && !WRITTEN.includes(name)),
      [],
    );
  });

  it('in a page about the code exists', () => {
    const named = PAGES.flatMap((path) => namesIn(textOf(path)).map((name) => ({ path, name })));
    assert.ok(named.length > 50);
    assert.deepEqual(
      named.filter(({ path, name }) => !exists(name, path)),
      [],
    );
  });

  it('is found, and its absence is noticed', () => {
    const text =
      '/** See api/app.ts and `src/no-such/`, not **/*.ts. */ call(); // as in no-such.ts\nconst a = "b.ts";';
    const names = namesIn(commentsOf(text));
    assert.deepEqual(names, ['api/app.ts', 'no-such.ts', 'src/no-such']);
    assert.deepEqual(
      names.map((name) => exists(name, 'src/x.ts')),
      [true, false, false],
    );
  });
});

function textOf(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8');
}

/** The files below a folder, by their paths from the root of the repository. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = relative(REPOSITORY, join(REPOSITORY, folder, entry.name));
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === '/' ? [] : [folder, ...foldersAbove(folder)];
}
