/** What a system reads that has a long history and nothing to do, on tables that were never analyzed. */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { querySql } from '../../../db/sql.js';
import { loadConfig } from '../../../src/config/config.js';
import { listItems } from '../../../src/domain/catalog/items/list-items.js';
import { changesByItem, jobsWithChanges } from '../../../src/domain/changes/changes-by-item.js';
import { END_OF_SET } from '../../../src/domain/changes/feed-cursor.js';
import { summarizeChanges } from '../../../src/domain/changes/summarize-changes.js';
import { changedSkus, goneSkus } from '../../../src/domain/exports/items/changed-skus.js';
import { listRuns } from '../../../src/domain/feeds/list-runs.js';
import { releaseHeld } from '../../../src/domain/jobs/single-step/site-window.js';
import { deliveryStatistics } from '../../../src/domain/webhooks/delivery-statistics.js';
import { createLocalFileStore } from '../../../src/platform/local-file-store.js';
import { createLogger } from '../../../src/platform/logger.js';
import type { WorkerServices } from '../../../src/workers/context.js';
import { housekeep } from '../../../src/workers/maintenance/housekeep.js';
import { countWork } from '../../../src/workers/maintenance/measure/count-work.js';
import { type Laid, laidId } from '../../support/worlds/plans/laid-ids.js';
import { FEW, layRows } from '../../support/worlds/plans/laid-rows.js';
import { canMeasure, sentBy } from '../../support/worlds/plans/sent-statements.js';
import { newTables, type Tables } from '../../support/worlds/plans/table-states.js';
import { EMITTING_SITE } from './hot-work.js';

/** Ended jobs and deliveries. */
const AMOUNTS = { ...FEW, ended: 30_000, events: 1_000, batches: 0 };
/** Of other jobs than the one that is looked at, which has as many in its set as one statement writes of a small request. */
const CHANGES = 60_000;
const OWN_CHANGES = 10;

interface Work {
  readonly does: string;
  /** Buffers that each statement touches at most. */
  readonly within: number;
  readonly run: (trx: Knex.Transaction, laid: Laid) => Promise<unknown>;
}

const WORK: readonly Work[] = [
  { does: 'keeps house', within: 700, run: (trx) => housekeep(servicesOf(trx)) },
  { does: 'counts what waits', within: 200, run: (trx) => countWork(trx) },
  ...(['export', 'replay', 'inspect'] as const).map((step) => ({
    does: `looks for jobs to begin with ${step}`,
    within: 60,
    run: (trx: Knex.Transaction) => releaseHeld(trx, { steps: [step], siteWindow: 2 }, null),
  })),
  {
    does: 'looks for feeds to run',
    within: 60,
    run: (trx) => releaseHeld(trx, { steps: ['feed'], accountWindow: 2 }, null),
  },
  {
    // Of each of its 143 events 20 deliveries.
    does: 'sums up the deliveries of a site',
    within: 10_000,
    run: (trx) => deliveryStatistics(trx, EMITTING_SITE, { days: 14, timeZone: 'UTC' }),
  },
  {
    does: 'sums up the changes of a job',
    within: 200,
    run: (trx, laid) => summarizeChanges(trx, laidId(laid, 'ended', 1), ['price']),
  },
  {
    does: 'reads the changes of a job, to take them back',
    within: 200,
    run: async (trx, laid) => {
      const jobs = [laidId(laid, 'ended', 1)];
      await jobsWithChanges(trx, jobs);
      let found = 0;
      for await (const _ of changesByItem(trx, jobs)) found++;
      assert.equal(found, OWN_CHANGES);
    },
  },
  {
    // The number of all runs is told with each page.
    does: 'lists runs of a feed behind thousands of others, without looking for what these have imported,',
    within: 1_500,
    run: async (trx) => {
      const { rows } = await listRuns(trx, 'feed', { offset: 5_000, limit: 10 });
      assert.deepEqual(
        rows.map(({ imports: { jobs } }) => jobs),
        new Array(10).fill(1),
      );
    },
  },
  {
    does: 'finds what has changed since a place of the log',
    within: 200,
    run: async (trx) => {
      const since = { position: 60, n: END_OF_SET };
      assert.equal((await querySql(trx, changedSkus(1, since))).length, OWN_CHANGES);
      await querySql(trx, goneSkus(1, since, ['I']));
    },
  },
];

/** Of a category of site 1. */
const LEAVES = 200;
const ITEMS = 5_000;

describe('a system at rest, whose tables were never analyzed,', function () {
  this.timeout(120_000);
  let tables: Tables;
  before(async function () {
    tables = await newTables({ amounts: AMOUNTS, states: [] });
    if (!(await canMeasure(tables.db))) this.skip();
    await layRows(tables.db, tables.laid);
    await layHistory(tables.db, tables.laid);
  });
  after(() => tables.drop());

  for (const { does, within, run } of WORK) {
    it(`${does} within ${within} buffers a statement`, async () => {
      const sent = await sentBy(tables.db, (trx) => run(trx, tables.laid));
      const dear = sent.filter(({ buffers }) => buffers > within);
      const shown = dear.map(({ text, buffers, plan }) => `${buffers} buffers: ${text}\n${plan}`).join('\n\n');
      assert.ok(sent.length > 0 && dear.length === 0, `more than ${within} buffers:\n${shown}`);
    });
  }

  it('lists the items of a category without comparing each with each of the categories below it', async () => {
    const { prefix } = tables.laid;
    const site = { siteId: 1, accountId: `${prefix}a0000001`, stage: 'production', channel: null, date: null };
    const sent = await sentBy(tables.db, async (trx) => {
      const { count } = await listItems(trx, site, { category: { nodeId: 1 } }, { offset: 0, limit: 10 });
      assert.equal(count, ITEMS);
    });
    for (const { text, mismatches, plan } of sent)
      assert.ok(mismatches <= ITEMS, `${mismatches} comparisons: ${text}\n${plan}`);
  });
});

function servicesOf(db: Knex.Transaction): WorkerServices {
  const config = loadConfig({ DATABASE_URL: 'postgres://127.0.0.1/none', SECRETS_KEY: 'test'.repeat(8) });
  const fileStore = createLocalFileStore('/nonexistent');
  return { db, config, fileStore, logger: createLogger('test', 'silent') } as never;
}

/** What ended jobs leave behind: files, runs of feeds, deleted items, the change log. */
async function layHistory(db: Db, { prefix, ended }: Laid): Promise<void> {
  const of = (kind: string) => `('${prefix}${kind}' || lpad(to_hex(n), 6, '0'))`;
  const began = "(now() - interval '2 days' - n * interval '2 seconds')";
  await db.raw(`
    INSERT INTO file (id, site_id, type, name, status, job_id, expires_at)
      SELECT ${of('c1')}, 1, 'ITEM_IMPORT', 'items.csv', 'UPLOADED', ${of('d0')}, CASE WHEN n % 2 = 0 THEN now() + interval '1 day' END
      FROM generate_series(1, ${ended}) AS n;
    INSERT INTO feed (id, site_id, account_id, direction, name, name_key, connection, state, saved_by, scopes, version)
      SELECT 'feed', 1, account_id, 'SOURCE', 'ERP', 'erp', '{}', 'ACTIVE', 'test', '{}', 1 FROM site WHERE id = 1;
    INSERT INTO feed_run (job_id, feed_id, cause, late_by_minutes, created_at, ended_at)
      SELECT ${of('d0')}, 'feed', 'SCHEDULE', 0, ${began}, ${began} + interval '1 second' FROM generate_series(1, ${ended}) AS n;
    INSERT INTO feed_file (feed_id, name, checksum, version, bytes, job_id, run_id, taken_at)
      SELECT 'feed', n || '.csv', n, '1', 1, ${of('d0')}, ${of('d0')}, ${began} + interval '1 second' FROM generate_series(1, ${ended}) AS n;
    INSERT INTO feed_output (run_id, feed_id, name, content, row_count, bytes, read_at, state)
      SELECT ${of('d0')}, 'feed', n || '.csv', 'WHOLE', 1, 1, ${began}, 'SENT' FROM generate_series(1, ${ended}) AS n;
    INSERT INTO surrounding_change (id, site_id, job_id, at, kind, key, after)
      SELECT ${of('5c')}, 1, ${of('d0')}, ${began}, 'profile', n, jsonb_build_object('document', repeat('x', 250)) FROM generate_series(1, ${ended}) AS n;
    UPDATE delivery SET status = 'PENDING', next_attempt_at = now() + interval '1 day' WHERE right(id, 1) = '0';
    INSERT INTO category (id, site_id, node_id, parent_id, tree, name, name_key, path, depth)
      SELECT ${of('b2')}, 1, n + 10, (SELECT id FROM category WHERE site_id = 1 AND node_id = 1), 'PRIMARY', 'Leaf ' || n, 'leaf ' || n, '/1/' || n + 10 || '/', 1 FROM generate_series(1, ${LEAVES}) AS n;
    INSERT INTO filled_category (site_id, node_id) SELECT 1, 10 + n FROM generate_series(1, ${LEAVES}) AS n, generate_series(1, 3);
    INSERT INTO item (site_id, sku, node_id, attributes) SELECT 1, 'of ' || n, 11 + n % ${LEAVES}, '{}' FROM generate_series(1, ${ITEMS}) AS n;
    INSERT INTO deleted_item (site_id, sku, deleted_at) SELECT 1, 'gone ' || n, now() FROM generate_series(1, ${ended}) AS n;
    INSERT INTO change_set (id, site_id, position, numbered_at, job_id)
      SELECT 1000 + n, 1, n, now(), CASE WHEN n = 61 THEN '${prefix}d0000001' ELSE 'other' END FROM generate_series(1, 61) AS n;
    INSERT INTO item_change (set_id, n, site_id, operation, sku, changed)
      SELECT 1001 + n / ${CHANGES / 60}, n % ${CHANGES / 60}, 1, 'U', 'sku ' || n, '{"price":{"b":1,"a":2}}'
      FROM generate_series(0, ${CHANGES + OWN_CHANGES - 1}) AS n;
  `);
}
