/** The repository's own lint configuration, run on planted files: imports go one way, through doors, and in no circle. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { complained, RESTRICTED } from '../../support/lint-planted.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

/** The folders of src/domain as CONTRIBUTING.md lists them: each imports only from those above it. */
const DOMAIN = [
  'kernel',
  'formats',
  'inspection',
  'access',
  'changes',
  'webhooks',
  'documents',
  'notifications',
  'outcomes',
  'job-model',
  'jobs',
  'replays',
  'catalog',
  'profiles',
  'settings',
  'files',
  'proposals',
  'imports',
  'exports',
  'feeds',
];
/**
 * Of these, only the files may be imported from outside that lie directly in the folder, or directly in its `model`: the
 * types that the inner folders need as well.
 */
const WITH_DOORS = ['changes', 'webhooks', 'outcomes', 'jobs', 'profiles', 'proposals', 'imports', 'exports'];
/** The folders of the catalog whose direct files may be imported from outside, besides those of the catalog itself. */
const PARTS_OF_CATALOG = ['model', 'attributes', 'categories', 'items', 'templates'];
/** Who else uses the domain. */
const PROGRAMS = [
  'src/api/routes',
  'src/workers/handlers',
  'src/operator/read',
  'src/admin',
  'src/launcher',
  'src/demo',
  'src/release',
  'bench/world',
];
const LAYERS: readonly (readonly [importing: string, imported: string, isAllowed: boolean])[] = [
  ['db', 'src/platform', false],
  ['src/config', 'src/platform', false],
  ['src/platform', 'src/config', true],
  ['src/platform', 'db', false],
  ['src/platform', 'src/queues', false],
  ['src/queues', 'src/platform', true],
  ['src/queues', 'db', false],
  ['src/queues', 'src/domain/jobs', false],
  ['src/domain/kernel', 'src/platform', true],
  ['src/domain/kernel', 'db', false],
  ['src/domain/formats', 'src/platform', true],
  ['src/domain/formats', 'db', false],
  ['src/domain/formats', 'src/queues', false],
  ['src/domain/inspection', 'src/platform', true],
  ['src/domain/inspection', 'db', false],
  ['src/domain/inspection', 'src/queues', false],
  ['src/domain/access', 'db', true],
  ['src/domain/jobs', 'src/queues', true],
  ['src/domain/exports', 'src/api', false],
  ['src/domain/exports', 'src/workers', false],
  ['src/domain/exports', 'src/operator', false],
  ['src/queues', 'src/operator', false],
  ['src/operator', 'src/domain/exports', true],
  ['src/operator', 'src/api', false],
  ['src/operator', 'src/workers', false],
  ['src/api', 'src/operator', true],
  ['src/workers', 'src/operator', true],
  ['src/api', 'src/operator/read', false],
  ['src/workers', 'src/operator/read', false],
  ['src/api', 'src/domain/exports', true],
  ['src/api', 'src/workers', false],
  ['src/workers', 'src/domain/exports', true],
  ['src/workers', 'src/api', false],
  ['packages/client/src', 'src/platform', false],
  ['packages/mcp/src', 'packages/client/src', false],
  ['packages/mcp/src', 'src/launcher', false],
  ['packages/cli/src', 'packages/client/src', false],
  ['packages/cli/src', 'src/launcher', false],
];

const CYCLE = 'lint/suspicious/noImportCycles';

describe('walls between folders', () => {
  it('are known of every folder of the domain', async () => {
    const files = await readdir(join(REPOSITORY, 'src', 'domain'), { recursive: true });
    const folders = new Set(
      files.filter((file) => file.endsWith('.ts') && file.includes(sep)).map((file) => file.split(sep)[0]),
    );
    assert.deepEqual([...folders].sort(), [...DOMAIN].sort());
  });

  it('stand in the order that CONTRIBUTING.md gives', async () => {
    const page = await readFile(join(REPOSITORY, 'CONTRIBUTING.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `domain\/([a-z-]+)`/gm)].map(([, folder]) => folder);
    assert.deepEqual(listed, DOMAIN);
  });

  it('let a folder of the domain import from those above it, and from no other', async () => {
    const planted = new Map<string, string | null>(DOMAIN.map((folder) => [`src/domain/${folder}/here.ts`, null]));
    const uphill: string[] = [];
    for (const [place, folder] of DOMAIN.entries()) {
      for (const [other, imported] of DOMAIN.entries()) {
        if (imported === folder) continue;
        const files = [`src/domain/${folder}/uses-${imported}.ts`, `src/domain/${folder}/inner/uses-${imported}.ts`];
        for (const file of files) planted.set(file, `src/domain/${imported}/here`);
        if (other > place) uphill.push(...files);
      }
    }
    assert.deepEqual(await complained(planted, RESTRICTED), uphill.sort());
  });

  it('keep the table of all types of jobs from the folders that it lists', async () => {
    const table = 'src/domain/job-types';
    const planted = new Map<string, string | null>([
      [`${table}.ts`, null],
      ['src/api/routes/uses-table.ts', table],
      ['src/workers/uses-table.ts', table],
    ]);
    const refused = DOMAIN.map((folder) => `src/domain/${folder}/inner/uses-table.ts`);
    for (const file of refused) planted.set(file, table);
    assert.deepEqual(await complained(planted, RESTRICTED), refused.sort());
  });

  it('stand between the layers', async () => {
    const planted = new Map<string, string | null>();
    const refused: string[] = [];
    for (const [importing, imported, isAllowed] of LAYERS) {
      const file = `${importing}/uses-${imported.replaceAll('/', '-')}.ts`;
      planted.set(`${imported}/here.ts`, null).set(file, `${imported}/here`);
      if (!isAllowed) refused.push(file);
    }
    assert.deepEqual(await complained(planted, RESTRICTED), refused.sort());
  });

  it('have doors, past which nobody imports', async () => {
    const planted = new Map<string, string | null>();
    const past: string[] = [];
    for (const folder of WITH_DOORS) {
      const door = `src/domain/${folder}/here`;
      const inner = `src/domain/${folder}/items/read/here`;
      planted.set(`${door}.ts`, null).set(`${inner}.ts`, null);
      planted.set(`src/domain/${folder}/uses-own.ts`, inner).set(`src/domain/${folder}/other/uses-own.ts`, inner);
      const below = [...PROGRAMS, ...domainBelow(folder)];
      for (const importing of below) {
        planted
          .set(`${importing}/uses-door-of-${folder}.ts`, door)
          .set(`${importing}/past-door-of-${folder}.ts`, inner);
        past.push(`${importing}/past-door-of-${folder}.ts`);
      }
      const model = `src/domain/${folder}/model/here`;
      planted.set(`${model}.ts`, null);
      for (const importing of below) planted.set(`${importing}/uses-model-of-${folder}.ts`, model);
    }
    assert.deepEqual(await complained(planted, RESTRICTED), past.sort());
  });

  it('have a door for each part of the catalog, and keep the rest of it private', async () => {
    const catalog = 'src/domain/catalog';
    const doors = [catalog, ...PARTS_OF_CATALOG.map((part) => `${catalog}/${part}`)].map((folder) => `${folder}/here`);
    const inner = [`${catalog}/types/here`, ...PARTS_OF_CATALOG.map((part) => `${catalog}/${part}/inner/here`)];
    const planted = new Map<string, string | null>([...doors, ...inner].map((file) => [`${file}.ts`, null]));
    const past: string[] = [];
    const outside = [...PROGRAMS, ...domainBelow('catalog')];
    outside.push('src/domain/imports/items');
    for (const [index, importing] of outside.entries()) {
      doors.forEach((door, place) => {
        planted.set(`${importing}/uses-door-${index}-${place}.ts`, door);
      });
      inner.forEach((file, place) => {
        planted.set(`${importing}/past-door-${index}-${place}.ts`, file);
        past.push(`${importing}/past-door-${index}-${place}.ts`);
      });
    }
    planted.set(`${catalog}/items/uses-own.ts`, `${catalog}/types/here`);
    // This file has rules of its own, because it alone imports the readers of bytes.
    planted.set('src/domain/imports/items/row-readers.ts', `${catalog}/types/here`);
    past.push('src/domain/imports/items/row-readers.ts');
    assert.deepEqual(await complained(planted, RESTRICTED), past.sort());
  });

  it('leave one way to the readers of bytes: the file that opens readers', async () => {
    const items = 'src/domain/imports/items';
    const fast = `${items}/fast/csv-reader`;
    const past = [`${items}/read/uses.ts`, `${items}/uses.ts`, 'src/domain/imports/uses.ts'];
    const planted = new Map<string, string | null>([[`${fast}.ts`, null]]);
    for (const file of past) planted.set(file, fast);
    planted.set(`${items}/row-readers.ts`, fast).set(`${items}/fast/uses-own.ts`, fast);
    assert.deepEqual(await complained(planted, RESTRICTED), past.sort());
  });
});

describe('import cycles', () => {
  it('are refused, though only of types', async () => {
    const planted = new Map([
      ['src/domain/jobs/one.ts', 'src/domain/jobs/steps/two'],
      ['src/domain/jobs/steps/two.ts', 'src/domain/jobs/three'],
      ['src/domain/jobs/three.ts', 'src/domain/jobs/one'],
      ['src/domain/jobs/four.ts', 'src/domain/jobs/one'],
    ]);
    const inCycle = ['src/domain/jobs/one.ts', 'src/domain/jobs/steps/two.ts', 'src/domain/jobs/three.ts'];
    assert.deepEqual(await complained(planted, CYCLE), inCycle.sort());
  });
});

function domainBelow(folder: string): string[] {
  return DOMAIN.slice(DOMAIN.indexOf(folder) + 1).map((below) => `src/domain/${below}`);
}
