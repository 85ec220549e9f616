/** Declares what a process does with more at once than it can hold: what it cannot take it refuses, and it stays well. */
import assert from 'node:assert/strict';
import type { Backend } from '../support/for-each-backend.js';
import { startHealthProber } from '../support/http/health-prober.js';
import type { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { peakMemoryMB, processorTime } from '../support/worlds/processes.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

const REQUESTS = 48;
const ITEMS = 10_000;
const MAX_API_MB = 400;
const HEALTHY_WITHIN_MS = 2_000;

/** @param forBackends `forEachBackend`, or `onOneBackend` */
export function runOverloadTrials(forBackends: (declareSuite: (backend: Backend) => void) => void): void {
  describe(`${REQUESTS} bulk requests of 10,000 items at once`, function () {
    this.timeout(120_000);

    forBackends((backend) => {
      let world: SystemWorld;
      let shop: Shop;
      before(async () => {
        world = await startSystemWorld({ redisUrl: backend.redisUrl });
        shop = await (await world.newShop()).define({
          attributes: ['Title', 'Description', { name: 'Price', type: 'DECIMAL' }, { name: 'Stock', type: 'INTEGER' }],
          categories: { 'Storage->Disk': ['Title', 'Description', 'Price', 'Stock'] },
        });
      });
      after(() => world.stop());

      it('are each accepted or told when to come again, while the API stays small and alive', async () => {
        const body = Buffer.from(JSON.stringify(Array.from({ length: ITEMS }, (_, index) => item(index))));
        const before = processorTime(world.pidOf('web'));
        const prober = await startHealthProber(world.system.baseUrl);
        const answers = await Promise.all(Array.from({ length: REQUESTS }, () => send(body)));
        const { longestMs, answers: healthy } = await prober.stop();

        const statuses = new Map<number, number>();
        for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        for (const { status, headers } of answers) {
          if (status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
          else assert.equal(status, 202);
        }
        assert.ok((statuses.get(202) ?? 0) > 0, 'some are accepted');
        const within = HEALTHY_WITHIN_MS * slowdown(before, processorTime(world.pidOf('web')));
        const took = `/healthz took ${Math.round(longestMs)} ms (limit ${Math.round(within)} ms)`;
        assert.ok(healthy > 5 && longestMs < within, took);
        const peak = peakMemoryMB(world.pidOf('web'));
        assert.ok(peak < MAX_API_MB, `the API needed ${Math.round(peak)} MB`);

        for (const { status, body: accepted } of answers) {
          if (status === 202) assert.equal((await untilEnded(shop, accepted.jobId)).status, 'COMPLETED');
        }
      });

      function send(body: Buffer) {
        return shop.call('POST', '/api-product/v1/product/bulk/upsert', { body });
      }
    });
  });
}

type ProcessorTime = ReturnType<typeof processorTime>;

/** By how much others who used the same processors have slowed a process down. @returns 1 where it had one for itself */
function slowdown(before: ProcessorTime, after: ProcessorTime): number {
  const computed = after.computedMs - before.computedMs;
  return computed === 0 ? 1 : 1 + (after.waitedMs - before.waitedMs) / computed;
}

function item(index: number) {
  return {
    sku: `SKU-${index}`,
    nodeName: 'Storage->Disk',
    attributes: {
      Title: `Disk drive ${index}`,
      Description: `A disk drive of the ${index % 12}th generation, quiet, quick, with five years of warranty`,
      Price: `${index % 900}.50`,
      Stock: index % 70,
    },
  };
}
