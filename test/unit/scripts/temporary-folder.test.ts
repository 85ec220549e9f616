/** The folder for temporary files that a run of tests has in memory; in a process of its own, because it sets TMPDIR. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../../scripts/temporary-folder.mjs', import.meta.url));
const MEMORY = '/dev/shm';
/** No process has it: it is above the greatest that Linux gives. */
const NOBODY = 2 ** 22 + 1;
const HOUR_MS = 3_600_000;

interface Seen {
  readonly folder?: string;
  readonly existed: boolean;
  readonly result: string;
  readonly after?: string;
}

describe('the temporary folder of a run of tests', () => {
  it('is in memory where there is room, is named to the run by TMPDIR, and is gone afterwards', function () {
    if (!hasRoom()) this.skip();
    const { folder = '', existed, result, after } = seen({});
    assert.match(folder, /^\/dev\/shm\/longshore-tests-\d+-\w+$/);
    assert.deepEqual([existed, result, after], [true, 'the result', undefined]);
    assert.ok(!existsSync(folder));
  });

  it('is the one that TMPDIR names already', () => {
    assert.deepEqual(seen({ TMPDIR: '/' }), { folder: '/', existed: true, result: 'the result', after: '/' });
  });

  it('is removed later when its run was killed, and not when it may be used in another container', function () {
    if (!hasRoom()) this.skip();
    const [abandoned, used] = [1, 2].map((number) => `${MEMORY}/longshore-tests-${NOBODY}-${number}`) as [
      string,
      string,
    ];
    try {
      for (const folder of [abandoned, used]) mkdirSync(folder);
      const longAgo = (Date.now() - 4 * HOUR_MS) / 1_000;
      utimesSync(abandoned, longAgo, longAgo);
      seen({});
      assert.deepEqual([abandoned, used].map(existsSync), [false, true]);
    } finally {
      for (const folder of [abandoned, used]) rmSync(folder, { recursive: true, force: true });
    }
  });

  function hasRoom(): boolean {
    return seen({}).folder !== undefined;
  }

  function seen(environment: Record<string, string>): Seen {
    const { TMPDIR: _, ...inherited } = process.env;
    const program = `
      import { existsSync } from 'node:fs';
      import { withTemporaryFolder } from ${JSON.stringify(SCRIPT)};
      let folder, existed;
      const result = await withTemporaryFolder(async () => {
        folder = process.env.TMPDIR;
        existed = existsSync(folder ?? '');
        return 'the result';
      });
      console.log(JSON.stringify({ folder, existed, result, after: process.env.TMPDIR }));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...inherited, ...environment },
      encoding: 'utf8',
    });
    return JSON.parse(output);
  }
});
