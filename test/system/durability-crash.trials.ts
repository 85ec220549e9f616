/** Declares what an installation must come through: everything killed at once, at the moment a request was accepted. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Credentials } from '../../src/launcher/credentials.js';
import { prepareStroke } from '../support/faults/kill-everything.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { Shop } from '../support/http/shop.js';
import { runStart, type StartProcess } from '../support/worlds/launcher-process.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { reservePort } from '../support/worlds/reserved-port.js';
import { SHORT_LOCKS } from '../support/worlds/system-world.js';

/** Rows of a request. */
const ROWS = 2_000;
const REQUESTS = 4;

/** @param strokes how often everything is killed, on each backend @param rowCount of each request */
export function runCrashTrials(strokes: number, rowCount = ROWS): void {
  forEachBackend((backend) => {
    let folder: OpenFolder;
    let environment: Record<string, string>;
    let running: StartProcess;
    let shop: Shop;

    before(async () => {
      folder = makeOpenFolder();
      const dataDir = join(folder.path, 'data');
      const queue = backend.redisUrl === undefined ? {} : { REDIS_URL: backend.redisUrl };
      environment = { DATA_DIR: dataDir, PORT: String(await reservePort()), ...SHORT_LOCKS, ...queue };
      running = runStart(environment);
      const url = await running.ready;
      const { account, token } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
      const api = { fetch: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init) };
      shop = await new Shop(api, account, token, 0).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    });
    after(async () => {
      await running.stop('SIGTERM');
      folder.remove();
    });

    it('makes one job of 50 parallel requests with one Idempotency-Key', async () => {
      const before = await jobCount();
      const headers = { 'idempotency-key': 'fifty' };
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => shop.call('POST', BULK, { body: rows('once', 10), headers })),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
      const [jobId, ...others] = new Set(answers.map(({ body }) => body.jobId as string));
      assert.deepEqual(others, []);
      assert.equal((await shop.outcome(jobId ?? '')).created, 10);
      assert.equal(await jobCount(), before + 1);
    });

    it(`carries out every bulk request that was answered 202, although everything is killed at that moment${
      strokes > 1 ? `, ${strokes} times` : ''
    }`, async () => {
      for (let number = 0; number < strokes; number++) {
        const stroke = prepareStroke(running);
        const accepted = new Map<string, string>();
        const requests = Array.from({ length: REQUESTS }, (_, index) => `k${number}-${index}`).map(async (prefix) => {
          const { status, body } = await shop.call('POST', BULK, { body: rows(prefix, rowCount) });
          if (status === 202) accepted.set(body.jobId, prefix);
        });
        await Promise.any(requests);
        await Promise.all([stroke.fall(), backend.name === 'redis' ? backend.requireRedis().restart() : undefined]);
        await Promise.allSettled(requests);
        assert.ok(accepted.size > 0);
        running = runStart(environment);
        await running.ready;
        for (const [jobId, prefix] of accepted) {
          const { status, created, total } = await shop.outcome(jobId);
          assert.deepEqual([status, created, total], ['COMPLETED', rowCount, rowCount]);
          assert.notEqual(await shop.item(`${prefix}-${rowCount - 1}`), undefined);
        }
      }
    });

    async function jobCount(): Promise<number> {
      return (await shop.ask('GET', '/jobs/product?limit=1')).count;
    }
  });
}

const BULK = '/api-product/v1/product/bulk/insert';

function rows(prefix: string, count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => ({
    sku: `${prefix}-${index}`,
    nodeName: 'Disk',
    attributes: { Title: `Disk ${index}` },
  }));
}
