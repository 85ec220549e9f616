/** A whole system as tests, the demo and benchmarks run it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type RunningSystem, startSystem } from '../../src/launcher/system.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { until } from '../support/until.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { createTestDatabase } from '../support/worlds/test-database.js';

describe('a running system', function () {
  this.timeout(60_000);

  forEachBackend((backend) => {
    let folder: OpenFolder;
    let database: Awaited<ReturnType<typeof createTestDatabase>>;
    let system: RunningSystem | undefined;
    const lines: string[] = [];

    before(async () => {
      folder = makeOpenFolder();
      database = await createTestDatabase();
    });

    after(async () => {
      await system?.stop();
      await database.drop();
      folder.remove();
    });

    it('runs on a database of its caller with as many workers as asked for', async () => {
      system = await startSystem({
        dataDir: join(folder.path, 'data'),
        databaseUrl: database.url,
        redisUrl: backend.redisUrl,
        workers: 2,
        restart: false,
        env: { LOG_LEVEL: 'info' },
        logSink: (process, line) => lines.push(`${process} ${line}`),
      });
      assert.deepEqual(
        system.processes.map(({ name }) => name),
        ['web', 'worker-1', 'worker-2'],
      );
      const ready = await fetch(`${system.baseUrl}/readyz`);
      assert.equal(((await ready.json()) as { status: string }).status, 'ok');
      const tree = await fetch(`${system.baseUrl}/api-category/v1/category`, {
        headers: {
          authorization: `Bearer ${system.credentials.token}`,
          'x-site-context': JSON.stringify({ account: system.credentials.account }),
        },
      });
      assert.equal(tree.status, 200);
      await until('its output goes to the sink', () => lines.some((line) => line.startsWith('worker-2 ')), 10_000);
    });

    it('lets a process that was killed stay down when told to', async () => {
      const running = system;
      assert.ok(running !== undefined);
      running.kill('worker-1', 'SIGKILL');
      await until('it is down', () => running.processes[1]?.pid === undefined, 20_000);
      assert.throws(() => running.kill('worker-3', 'SIGKILL'), /there is no process "worker-3"/);
    });
  });
});
