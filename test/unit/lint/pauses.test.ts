/** Tests wait for signals: a pause of fixed length stands only where time itself is the subject. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('../../../../test/', import.meta.url));
const FOLDERS = ['unit', 'integration', 'system', 'long', 'types'];

/** File → what passes meanwhile. Nothing could be waited for in its place. */
const SUBJECT_IS_TIME: Readonly<Record<string, string>> = {
  'unit/chaos/load-watch.test.ts': 'the second over which the load is measured',
  'integration/api/files-download.test.ts': 'the millisecond by which times of creation differ',
  'integration/api/jobs-list.test.ts': 'the millisecond by which times of creation differ',
  'integration/api/files-receive.test.ts': 'the slowness of a store',
  'integration/feeds/exactly-once.test.ts': 'the random times at which files come',
  'integration/jobs/table-locks.trials.ts': 'how long locks are held, and when',
  'system/webhooks-lossless.trials.ts': 'how long Redis is away',
  'system/whole-jobs-crash.trials.ts': 'the pace at which a running job is watched',
  'long/feed-trial.test.ts': 'the random times at which files come',
  'long/rolling-restart.test.ts': 'the pace of requests, and between restarts',
  'long/store-outage.test.ts': 'how long the store is away',
};

/** `await delay(…)` by a timer of Node, or a promise that a timer keeps. */
function pauses(text: string): boolean {
  const imported = /import \{[^}]*\bsetTimeout(?: as (\w+))?[^}]*\} from 'node:timers\/promises'/.exec(text);
  const isKept = /new Promise[^;]*setTimeout\((?:resolve|done)\b/.test(text);
  return isKept || (imported !== null && new RegExp(`\\b${imported[1] ?? 'setTimeout'}\\(`).test(text));
}

describe('a pause of fixed length', () => {
  it('stands in those tests only whose subject is time', () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(`${TESTS}${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    );
    const found = files.filter((file) => file.endsWith('.ts') && pauses(readFileSync(TESTS + file, 'utf8')));
    const self = 'unit/lint/pauses.test.ts';
    assert.deepEqual(found.filter((file) => file !== self).sort(), Object.keys(SUBJECT_IS_TIME).sort());
  });

  it('is recognised', () => {
    const start = "import { setTimeout as delay } from 'node:timers/promises';\n";
    assert.ok(pauses(`${start}await delay(30);`));
    assert.ok(pauses('await new Promise((resolve) => setTimeout(resolve, 50));'));
    assert.ok(!pauses("import { setImmediate as turn } from 'node:timers/promises';\nawait turn();"));
    assert.ok(!pauses("const late = setTimeout(() => reject(new Error('late')), 50);"));
  });
});
