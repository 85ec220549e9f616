/** The page that walks the way of a row names files that exist, in an order in which each is reached from those before. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const MOST_FILES = 55;
const MOST_TURNS = 7;

describe('the way of a row', () => {
  const page = readFileSync(join(REPOSITORY, 'docs', 'build', 'way-of-a-row.md'), 'utf8');
  const turns = page
    .split(/^## /m)
    .slice(1)
    .map((turn) => [...turn.matchAll(/^- `(.+?)`/gm)].map(([, file = '']) => file));

  it('is short', () => {
    assert.ok(turns.length <= MOST_TURNS, `${turns.length} turns`);
    const files = turns.flat();
    assert.ok(files.length > 0 && files.length <= MOST_FILES, `${files.length} files`);
    assert.deepEqual(files, [...new Set(files)], 'no file is entered twice');
  });

  it('names files that exist', () => {
    assert.deepEqual(
      turns.flat().filter((file) => !existsSync(join(REPOSITORY, file))),
      [],
    );
  });

  it('reaches each file from one before it, but for the first of a turn and what hands over within it', () => {
    const reached = new Set<string>();
    const unreached: string[] = [];
    for (const turn of turns) {
      for (const [index, file] of turn.entries()) {
        if (index > 0 && !reached.has(file)) unreached.push(file);
        for (const imported of importsOf(file)) reached.add(imported);
      }
    }
    assert.deepEqual(unreached, HANDED_OVER);
  });
});

/** The tables of routes and of handlers are given to the programs: nothing on the way imports them. */
const HANDED_OVER = ['src/api/routes/index.ts', 'src/workers/index.ts'];

function importsOf(file: string): string[] {
  const text = readFileSync(join(REPOSITORY, file), 'utf8');
  return [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(
    ([, path = '']) => `${normalize(join(dirname(file), path))}.ts`,
  );
}
