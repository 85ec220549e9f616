/** A drill on the embedded database: a running system is backed up, and restored to another folder, where it goes on. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectDb } from '../../db/connection.js';
import { resolveSite } from '../../src/domain/access/resolve-site.js';
import { type RunningSystem, startSystem } from '../../src/launcher/system.js';
import { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { makeOpenFolder } from '../support/worlds/open-folder.js';
import { queryOnce } from '../support/worlds/query-once.js';
import { runProgram } from '../support/worlds/run-program.js';

const ROWS = 20_000;

describe('the backup of an embedded system', function () {
  this.timeout(300_000);

  it('is made while it works, and restored to another folder, where the work goes on', async () => {
    const folder = makeOpenFolder();
    const [first, second, backup] = ['first', 'second', 'backup'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    const running: RunningSystem[] = [];
    const start = async (dataDir: string) => {
      const system = await startSystem({ dataDir, env: { LOG_LEVEL: 'warn', WORKER_CHUNK_ROWS: '500' } });
      running.push(system);
      return system;
    };
    const admin = (args: readonly string[], dataDir: string) =>
      runProgram('app/admin/main.js', [...args, '--json'], { DATA_DIR: dataDir }).end;
    try {
      const system = await start(first);
      const db = connectDb({ url: system.databaseUrl, poolMax: 1, name: 'longshore-test' });
      const { account, token } = system.credentials;
      const siteId = await resolveSite(db, account, 'production');
      await db.destroy();
      const shopOn = ({ baseUrl }: RunningSystem) =>
        new Shop({ fetch: (path, init) => fetch(`${baseUrl}${path}`, init) }, account, token, siteId);
      const shop = shopOn(system);
      await shop.define({ attributes: ['Title'], categories: { Boats: ['Title'] } });
      const rows = Array.from({ length: ROWS }, (_, n) => ({ sku: `s${n}`, nodeName: 'Boats' }));
      const jobId = await shop.upload('many.json', JSON.stringify(rows));
      const items = async () =>
        Number((await queryOnce<{ n: string }>(system.databaseUrl, 'SELECT count(*) AS n FROM item'))[0]?.n);
      await until('the import has begun', async () => (await items()) > 0, 60_000);
      const made = await admin(['backup', backup], first);
      assert.equal(made.code, 0, made.stderr);
      const refused = await admin(['restore', backup, '--replace'], first);
      assert.match(refused.stderr, /is in use by another running Longshore/);
      assert.equal((await shop.outcome(jobId)).created, ROWS);
      await running.pop()?.stop();

      assert.match((await admin(['restore', backup], second)).stderr, /SECRETS_KEY is not set/);
      mkdirSync(second, { recursive: true, mode: 0o755 });
      copyFileSync(join(first, 'secrets.json'), join(second, 'secrets.json'));
      const restored = await admin(['restore', backup], second);
      assert.equal(restored.code, 0, restored.stderr);
      assert.equal(JSON.parse(restored.stdout).note, undefined);
      const again = shopOn(await start(second));
      const outcome = await again.outcome(jobId);
      assert.deepEqual([outcome.status, outcome.total, outcome.failed], ['COMPLETED', ROWS, 0]);
      assert.equal((await again.item(`s${ROWS - 1}`))?.sku, `s${ROWS - 1}`);
      assert.equal((await again.importFile('more.jsonl', JSON.stringify({ sku: 'z', nodeName: 'Boats' }))).created, 1);
    } finally {
      for (const system of running) await system.stop();
      folder.remove();
    }
  });
});
