/** Durations are measured on a clock that is never set: the time of day may jump, and what was revoked would be valid again. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const READ = ['src', 'db', 'packages/client/src', 'packages/mcp/src', 'packages/cli/src'];

/** The time of day in milliseconds, with which one can calculate. A `new Date()` alone is a timestamp. */
const CALCULATES =
  /\bDate\.now\b|\bnew Date\(\)\.(?:getTime|valueOf)\b|[-+] ?new Date\(\)|\bnew Date\(\) [-+<>]|\bDate\(\)\[/g;

/** Where the time of day is meant: file → how often, and why. */
const TIMES_OF_DAY: Readonly<Record<string, readonly [number, string]>> = {
  'packages/cli/src/import/attempt.ts': [2, 'a note in a file is read by a later process'],
  'src/admin/commands/token.ts': [1, 'the expiry of a token is stored'],
  'src/admin/doctor.ts': [1, 'compares the clocks of the servers'],
  'src/admin/doctor/redis.ts': [1, 'compares the clocks of the servers'],
  'src/api/routes/files/signed-locations.ts': [1, 'the expiry of an upload is stored'],
  'src/api/routes/receiver/open.ts': [1, 'the expiry of a link is stored'],
  'src/api/presenters/present-webhook.ts': [2, 'compares with stored times'],
  'src/domain/access/authenticate.ts': [1, 'the expiry of a token is stored; what is cached ages on the other clock'],
  'src/domain/access/callback-secret.ts': [1, 'the end of a secret is stored'],
  'src/domain/access/receiver-links.ts': [1, 'the expiry of a link is stored'],
  'src/domain/files/begin-upload.ts': [1, 'the end of an upload is stored'],
  'src/domain/files/direct-uploads.ts': [1, 'when to look for an upload is stored'],
  'src/domain/jobs/reconcile/reconcile-order.ts': [1, 'compares with the times at which steps were enqueued'],
  'src/domain/jobs/reconcile/unreferred-jobs.ts': [1, 'ids of jobs begin with their second'],
  'src/domain/kernel/identifier.ts': [1, 'an id begins with the second in which it was made'],
  'src/domain/webhooks/delivery-engine.ts': [
    1,
    'the health of endpoints is stored; slots and rates have the other clock',
  ],
  'src/domain/webhooks/prune-events.ts': [1, 'ids of events begin with their second'],
  'src/operator/actions/perform.ts': [1, 'a range of stored times'],
  'src/platform/local-file-store.ts': [1, 'compares with the times of files'],
  'src/platform/queue-clock.ts': [2, 'compares the clock of the database with that of this machine'],
  'src/platform/redis.ts': [2, 'compares the clock of Redis with that of this machine'],
  'src/platform/s3-store.ts': [2, 'compares with the times of objects'],
  'src/platform/s3/direct-transfers.ts': [1, 'signs URLs'],
  'src/queues/queued-work.ts': [1, 'compares with the times of queue jobs'],
  'src/workers/plan/run-batch.ts': [1, 'compares with the time at which a job was accepted'],
  'src/workers/maintenance/measure-system.ts': [1, 'a later leader reads when it was measured'],
  'src/workers/run-queue/return-job.ts': [1, 'the queue wants the time at which a job is due'],
};

describe('the clocks of the code', () => {
  it('are performance.now() for durations, and the time of day only where another process reads or wrote it', async () => {
    const found: Record<string, number> = {};
    for (const path of await sources()) {
      const text = await readFile(join(REPOSITORY, path), 'utf8');
      const count = text
        .split('\n')
        .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
        .join('\n')
        .match(CALCULATES)?.length;
      if (count !== undefined) found[path] = count;
    }
    const expected = Object.fromEntries(Object.entries(TIMES_OF_DAY).map(([path, [count]]) => [path, count]));
    assert.deepEqual(
      found,
      expected,
      'measure durations with performance.now(), or say here why it is the time of day',
    );
  });

  it('are found by what this test looks for', () => {
    const wrong = ['Date.now() - since', 'clock = Date.now', 'new Date().getTime()', '+new Date()', 'end - new Date()'];
    for (const text of wrong) assert.match(text, new RegExp(CALCULATES.source), text);
    for (const text of ['created_at: new Date()', 'performance.now() - since']) {
      assert.doesNotMatch(text, new RegExp(CALCULATES.source), text);
    }
  });
});

async function sources(): Promise<string[]> {
  const all = await Promise.all(
    READ.map(async (folder) =>
      (await readdir(join(REPOSITORY, folder), { recursive: true })).map((path) => `${folder}/${path}`),
    ),
  );
  return all.flat().filter((path) => path.endsWith('.ts') && !path.includes('/generated/'));
}
