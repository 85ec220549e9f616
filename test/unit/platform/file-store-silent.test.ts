/** A store that hangs: opening a named pipe that nobody writes to blocks its thread, as a lost network file system does. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { FileStore } from '../../../src/platform/file-store.js';
import { createLocalFileStore } from '../../../src/platform/local-file-store.js';
import { outageOf } from '../../../src/platform/outage.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300;
/** As many as a store may have under way, and more. */
const PIPES = ['a', 'b', 'c', 'd', 'e'] as const;

describe('a file store that hangs', () => {
  let folder: string;
  let store: FileStore;
  const opened: number[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-store-'));
    for (const name of PIPES) execFileSync('mkfifo', [join(folder, name)]);
    await writeFile(join(folder, 'file'), 'bytes');
    store = createLocalFileStore(folder, LIMIT_MS);
  });
  afterEach(async () => {
    release();
    for (const fd of opened.splice(0)) closeSync(fd);
    await rm(folder, { recursive: true });
  });

  /** Somebody opens the pipes, so whoever waits for that goes on. */
  function release(): void {
    for (const name of PIPES) opened.push(openSync(join(folder, name), constants.O_RDWR | constants.O_NONBLOCK));
  }

  it('fails in time, as an outage of the store', async () => {
    const startedAt = performance.now();
    const error = await store.readRange('a', 0, 1).catch((reason: unknown) => reason);
    assert.ok(error instanceof Error);
    assert.equal(outageOf(error), 'file store');
    assert.match(error.message, /does not answer: opening a file has waited for 300 ms/);
    assert.ok(performance.now() - startedAt < 10 * LIMIT_MS);
    assert.equal((await store.readRange('file', 0, 5)).toString(), 'bytes', 'others are served');
  });

  it('leaves a thread to everything else, fails those at once that come later, and works when it is back', async () => {
    const hanging = PIPES.map((name) => store.readRange(name, 0, 1).catch((error: { code?: string }) => error.code));
    assert.equal((await lookup('localhost')).address.length > 0, true, 'names are still looked up');
    assert.deepEqual(
      await Promise.all(hanging),
      PIPES.map(() => 'STORE_TIMEOUT'),
    );
    const startedAt = performance.now();
    await assert.rejects(store.size('file'), { code: 'STORE_TIMEOUT' });
    assert.ok(performance.now() - startedAt < LIMIT_MS, 'it does not wait again');
    release();
    await until('the store works', async () => (await store.size('file').catch(() => 0)) === 5, 10_000);
    await store.ping();
  });

  it('takes for a large piece as long as it may take', async () => {
    const pending = await store.create('large');
    pending.stream.end(Buffer.alloc(32 * 1024 * 1024));
    await finished(pending.stream);
    await pending.commit();
    assert.equal(await store.size('large'), 32 * 1024 * 1024);
  });
});
