/** Declares what a worker that is killed at a message to the database must leave behind: a job that others end alike. */
import assert from 'node:assert/strict';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import type { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { changesOfJob, digestItems, digestJob } from '../../support/models/site-digest.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

/** Whether the last message is lost, or its answer. */
const ONE_WAY_AFTER_THE_OTHER = [
  ['unsent', ['unsent']],
  ['unanswered', ['unanswered']],
] as const;
const IN_TURN = [['unsent or unanswered', ['unsent', 'unanswered']]] as const;
const NEVER = { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' } as const;

/** Ten rows in four chunks: rows that fail, a key that comes twice, a variant before its parent, and warnings. */
const CSV = `SKU,Category Node,Parent SKU,Title,Price
a,Disk,,A,1
b,Disk,z,B,2
c,Disk,,C,"12,50"
d ,Disk,,DÃ¼,4.125
a,Disk,,A again,5
e,Disk
f,Tape,,F,7
g,Disk,nobody,G,8
h,Disk,,H,9.250
z ,Disk,,Z,10
`;
const ROWS = [
  { sku: 'a', nodeName: 'Disk', attributes: { Title: 'A', Price: '1' } },
  { sku: 'b', nodeName: 'Disk', parentSku: 'z', attributes: { Title: 'B' } },
  { sku: 'c', nodeName: 'Disk', attributes: { Price: 'cheap' } },
  { sku: 'z', nodeName: 'Disk', attributes: { Title: 'Z' } },
];

const WHOLE = 'a file that is all or nothing';
const ABORT = { onError: 'abort' } as const;
/** Rows that are all applied, a variant before its parent among them. */
const GOOD_CSV = CSV.split('\n')
  .filter((line) => !/^[cefg]|again/.test(line))
  .join('\n');

/** Rows that wait for each other: three waves, and one that says what never comes. */
const LINKED_ROWS = [
  { sku: 'm', nodeName: 'Disk', bundleItems: [{ sku: 'n', quantity: 1 }] },
  { sku: 'n', nodeName: 'Disk', bundleItems: [{ sku: 'b', quantity: 2 }] },
  { sku: 'o', nodeName: 'Disk', bundleItems: [{ sku: 'o2', quantity: 1 }] },
  { sku: 'o2', nodeName: 'Disk', bundleItems: [{ sku: 'o', quantity: 1 }] },
  { sku: 'b', nodeName: 'Disk', parentSku: 'z' },
  { sku: 'z ', nodeName: 'Disk' },
];

/**
 * @param step every so many messages one is the last, lost and unanswered in turn; 1: all are tried, in both ways
 * @param onEngines on which of the queues' engines
 */
export function runCrashPointTrials(step: number, onEngines: typeof forEachBackend): void {
  onEngines((backend) => {
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      shop = await world.newShop();
      await world.startWorkers({}, BULK_ONLY);
      await shop.define({
        attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
        categories: { Disk: ['Title', 'Price'] },
      });
    });
    after(() => world.stop());

    const inputs = {
      'a file': () => world.acceptFile(shop, 'disks.csv', CSV),
      'a compressed array': () => world.acceptFile(shop, 'disks.json', JSON.stringify(ROWS)),
      'a bulk request': () => world.acceptRows(shop, 'upsert', ROWS),
      'a file of bundles': () =>
        world.acceptFile(shop, 'kits.jsonl', LINKED_ROWS.map((row) => JSON.stringify(row)).join('\n')),
      [WHOLE]: () => world.acceptFile(shop, 'disks.csv', GOOD_CSV, 'upsert', ABORT),
      [`${WHOLE}, and has bad rows`]: () => world.acceptFile(shop, 'disks.csv', CSV, 'upsert', ABORT),
      'a dry run': () => world.acceptFile(shop, 'disks.csv', CSV, 'upsert', { validateOnly: true }),
    };
    for (const [name, accept] of Object.entries(inputs)) {
      for (const [losing, ways] of step === 1 ? ONE_WAY_AFTER_THE_OTHER : IN_TURN) {
        it(`leaves ${name} to others, which end it alike (message ${losing})`, async () => {
          const expected = await outcomeOf(await undisturbed(accept));
          const { messages } = await undisturbed(accept);
          assert.ok(messages > 20);
          const isChanging = !name.endsWith('bad rows');
          assert.equal(expected.changes.length > 0, isChanging, 'what is compared after each kill is not nothing');
          const warned = name !== 'a compressed array' && name !== 'a bulk request' && !name.endsWith('bad rows');
          assert.equal(expected.job.warnings.includes('VALUE_TRIMMED'), warned, expected.job.warnings);
          const stride = name === 'a file of bundles' ? (step === 1 ? 1 : step * 3) : step;
          for (let at = 1, kills = 0; at <= messages; at += stride, kills++) {
            const lose = ways[kills % ways.length] ?? 'unsent';
            await empty();
            const { jobId, outboxEntries } = await accept();
            const { cut } = await runDoomed(world.services, outboxEntries, { at, lose });
            assert.ok(cut, `message ${at} was never sent`);
            await untilDoomedIsGone(world.db);
            if (name.startsWith(WHOLE)) await assertAllOrNone(expected.items.items);
            await reconcile(impatient());
            assert.deepEqual(await outcomeOf({ jobId }), expected, `killed at message ${at} of ${messages}`);
          }
        });
      }
    }

    async function empty(): Promise<void> {
      for (const table of ['item', 'bundle_item', 'item_change', 'change_set']) {
        await world.db(table).where({ site_id: shop.siteId }).delete();
      }
    }

    async function undisturbed(accept: (typeof inputs)['a file']): Promise<{ jobId: string; messages: number }> {
      await empty();
      const { jobId, outboxEntries } = await accept();
      const { cut, messages } = await runDoomed(world.services, outboxEntries, NEVER);
      assert.equal(cut, false);
      return { jobId, messages };
    }

    async function outcomeOf({ jobId }: { jobId: string }) {
      const { errorFile } = await shop.outcome(jobId);
      const file =
        errorFile === null ? null : (await shop.download(errorFile)).bytes.toString().replaceAll(jobId, 'the job');
      await assertChangesAddUp(world.db, shop.siteId);
      return {
        items: await digestItems(world.db, shop.siteId),
        job: await digestJob(world.db, jobId),
        changes: await changesOfJob(world.db, jobId),
        file,
      };
    }

    async function assertAllOrNone(all: number): Promise<void> {
      const { items } = await digestItems(world.db, shop.siteId);
      assert.ok(items === 0 || items === all, `${items} of ${all}`);
    }

    /** What was committed a moment ago counts as overdue. */
    function impatient() {
      return { ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } };
    }
  });
}
