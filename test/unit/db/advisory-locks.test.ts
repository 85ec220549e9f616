/** No advisory lock is taken but by a key of the registry, and no two of its keys are the same. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const TAKES_LOCK = /pg_(?:try_)?advisory_\w*lock/;
const REGISTRY = /\bADVISORY_LOCKS\.\w+/;
/** A key in the place of the registry's: a number in the call, or a constant of the file's own. */
const OWN_KEY = /pg_(?:try_)?advisory_\w*lock\w*\(\s*\d|\b\w*LOCK\w*\s*=\s*(?:0x)?\d/;

describe('advisory locks', () => {
  it('have keys of their own', () => {
    const keys = Object.values(ADVISORY_LOCKS);
    assert.equal(new Set(keys).size, keys.length);
  });

  it('are taken by keys of the registry alone', async () => {
    const strays: string[] = [];
    let taking = 0;
    for (const [path, text] of await sources()) {
      if (!TAKES_LOCK.test(text)) continue;
      taking++;
      if (isStray(text)) strays.push(path);
    }
    assert.deepEqual(strays, []);
    assert.ok(taking >= 6, 'the files that take locks were found');
  });

  it('would be found if they were taken by another', () => {
    assert.ok(isStray("trx.raw('SELECT pg_advisory_xact_lock(7, ?)', [ADVISORY_LOCKS.begin])"));
    assert.ok(
      isStray("const MY_LOCK = 0x77;\ntrx.raw('SELECT pg_try_advisory_lock(?)', [MY_LOCK, ADVISORY_LOCKS.begin])"),
    );
    assert.ok(isStray("trx.raw('SELECT pg_advisory_xact_lock_shared(?)', [key])"));
    assert.ok(!isStray("trx.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.begin, siteId])"));
  });
});

function isStray(text: string): boolean {
  return OWN_KEY.test(text) || !REGISTRY.test(text);
}

async function sources(): Promise<(readonly [path: string, text: string])[]> {
  const found: (readonly [string, string])[] = [];
  for (const folder of ['src', 'db']) {
    for (const file of await readdir(join(REPOSITORY, folder), { recursive: true })) {
      if (file.endsWith('.ts'))
        found.push([join(folder, file), await readFile(join(REPOSITORY, folder, file), 'utf8')]);
    }
  }
  return found;
}
