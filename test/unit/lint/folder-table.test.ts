/** The table of folders in CONTRIBUTING.md says what the linter allows: which folders, and which packages, it refuses. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { complained, RESTRICTED } from '../../support/lint-planted.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
/** The folders that import each other, from the lowest to the programs, as their names are in the table. */
const FOLDERS = [
  'src/config',
  'src/platform',
  'src/queues/contracts',
  'src/queues',
  'db',
  'src/domain',
  'src/operator',
  'src/api',
  'src/workers',
  'src/launcher',
  'src/admin',
  'src/release',
  'src/demo',
];
/** The packages that not every folder may import. */
const PACKAGES = ['koa', '@koa/router', 'koa-body', 'bullmq', 'ioredis'];
const EVERYTHING = 'all others';

/** One row of the table: the folders and packages that a folder may import. */
interface Row {
  readonly folders: readonly string[];
  readonly refusedPackages: readonly string[];
}

describe('the table of folders', () => {
  it('says which folders and packages the linter lets each folder import', async () => {
    const planted = new Map<string, string | null>(FOLDERS.map((folder) => [`${folder}/here.ts`, null]));
    const importing = (folder: string, other: string) => `${folder}/uses-${other.replace(/\W+/g, '-')}.ts`;
    for (const folder of FOLDERS) {
      for (const other of others(folder)) planted.set(importing(folder, other), `${other}/here`);
      for (const name of PACKAGES) planted.set(importing(folder, name), `npm:${name}`);
    }
    const refused = new Set(await complained(planted, RESTRICTED));
    const allowed = FOLDERS.map((folder): [string, Row] => {
      const folders = others(folder).filter((other) => !refused.has(importing(folder, other)));
      return [folder, { folders, refusedPackages: PACKAGES.filter((name) => refused.has(importing(folder, name))) }];
    });
    assert.deepEqual(Object.fromEntries(tableOf('CONTRIBUTING.md')), Object.fromEntries(allowed));
  });

  it('has a row for every folder of src', () => {
    const folders = readdirSync(join(REPOSITORY, 'src')).map((folder) => `src/${folder}`);
    const documented = [...tableOf('CONTRIBUTING.md').keys()].filter((folder) => /^src\/\w+$/.test(folder));
    assert.deepEqual(documented.sort(), folders.sort());
  });
});

describe('the folders of unit tests', () => {
  it('are those of what they test, but for the tests of the linter', () => {
    const entries = readdirSync(join(REPOSITORY, 'test', 'unit'), { recursive: true, withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => relative(join(REPOSITORY, 'test', 'unit'), join(parentPath, name)));
    const places = ['src', '', 'test'];
    assert.ok(folders.length > 10);
    assert.deepEqual(
      folders.filter((folder) => !places.some((place) => existsSync(join(REPOSITORY, place, folder)))),
      ['lint'],
    );
  });
});

describe('the table of the domain', () => {
  const page = readFileSync(join(REPOSITORY, 'CONTRIBUTING.md'), 'utf8');

  it('names the sub-folders that there are', () => {
    const rows = [...page.matchAll(/^\| `domain\/([\w-]+)` .*\|([^|]*)\|$/gm)];
    const named = rows.map(([, folder, cell = '']) => [folder, namesIn(cell).sort()]);
    const there = rows.map(([, folder = '']) => {
      const entries = readdirSync(join(REPOSITORY, 'src', 'domain', folder), { withFileTypes: true });
      return [folder, entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()];
    });
    assert.equal(rows.length, 20);
    assert.deepEqual(named, there);
  });

  it('is followed by the names of the sub-folders that others may import from', () => {
    const allowed = readFileSync(join(REPOSITORY, 'biome.json'), 'utf8').matchAll(/"!\*\*\/domain\/(\w+\/\w+)\/\*"/g);
    const doors = new Set([...allowed].map(([, folder = '']) => folder));
    assert.ok(doors.size > 0);
    assert.deepEqual(
      [...doors].filter((folder) => !page.includes(`\`${folder}\``)),
      [],
    );
  });
});

describe('a file that exports what another declares', () => {
  it('is refused in src and db', async () => {
    const planted = new Map([
      ['src/domain/jobs/barrel.ts', 'again:src/domain/jobs/here'],
      ['db/barrel.ts', 'again:db/here'],
      ['packages/client/src/index.ts', 'again:packages/client/src/here'],
    ]);
    const refused = await complained(planted, 'lint/performance/noBarrelFile');
    assert.deepEqual(refused, ['db/barrel.ts', 'src/domain/jobs/barrel.ts']);
  });
});

function others(folder: string): string[] {
  return FOLDERS.filter((other) => other !== folder);
}

/** The rows about FOLDERS; a row may be about several. */
function tableOf(page: string): Map<string, Row> {
  const text = readFileSync(join(REPOSITORY, page), 'utf8');
  const rows = new Map<string, Row>();
  for (const line of text.split('\n').filter((each) => /^\| `(src|db)/.test(each))) {
    const [, about = '', , may = '', not = ''] = line.split('|');
    for (const folder of namesIn(about)) {
      const folders = may.trim() === EVERYTHING ? others(folder) : namesIn(may);
      rows.set(folder, { folders, refusedPackages: namesIn(not) });
    }
  }
  return rows;
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}
