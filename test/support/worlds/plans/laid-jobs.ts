/** Jobs that have ended, wait, are on the queue, are being applied and are exports. */
import type { Db } from '../../../../db/connection.js';
import { sweep } from '../../../../src/domain/jobs/order/sweep.js';
import { idOf, type Laid, queuedSites } from './laid-ids.js';

const OPTIONS = `'{"mode":"upsert","onError":"skip","validateOnly":false}'`;
const PLAN = `'${JSON.stringify({
  source: 'upload',
  bodyFormat: 'CSV',
  delimiter: ',',
  headerCells: ['SKU', 'Category Node', 'Title'],
  keyColumn: 0,
  siteWasEmpty: false,
  reserved: {},
  lastRow: 1_000_000,
  ordered: false,
})}'`;
const COLUMNS =
  'id, site_id, account_id, type, kind, status, options, shared, step, dispatch, dispatched_at, line_no, total_count';

/** Of each job that is being applied half of the chunks are done, and four are on the queue; of the last one all are done. */
export async function layJobs(db: Db, laid: Laid): Promise<void> {
  const { ended, waiting, applying, chunks, exports } = laid;
  const queued = queuedSites(laid);
  const account = idOf(laid, 'account', 'site');
  const insert = "'ITEM_BULK_INSERT', 'item'";
  await db.raw(`
    INSERT INTO job (${COLUMNS}, started_at, completed_at)
      SELECT ${idOf(laid, 'ended', 'n')}, site, ${account}, ${insert}, 'COMPLETED', ${OPTIONS}, true, NULL, 1,
             now() - interval '1 day', nextval('job_line_no_seq'), 10, now() - interval '1 day', now() - interval '1 day'
      FROM generate_series(1, ${ended}) AS n,
      LATERAL (SELECT CASE WHEN n % 2 = 0 THEN 1 ELSE 1 + n % ${laid.sites} END AS site) AS owner;
    INSERT INTO job_chunk (job_id, idx, status, first_row, row_count, input, outcomes, created_count, done_at)
      SELECT ${idOf(laid, 'ended', 'n')}, 0, 'done', 1, 10, repeat('{"sku":"x"}', 50), repeat('c', 10), 10, now()
      FROM generate_series(1, ${ended}) AS n;
    INSERT INTO job (${COLUMNS})
      SELECT ${idOf(laid, 'waiting', 'n')}, site, ${account}, ${insert}, 'SCHEDULED', ${OPTIONS}, false, 'plan', 1,
             NULL, nextval('job_line_no_seq'), 10
      FROM generate_series(1, ${waiting}) AS n, LATERAL (SELECT 1 + n % 2 AS site) AS owner;
    INSERT INTO job (${COLUMNS})
      SELECT ${idOf(laid, 'queued', 'site')}, site, ${account}, ${insert}, 'SCHEDULED', ${OPTIONS}, true, 'plan', 1,
             now() - interval '1 hour', nextval('job_line_no_seq'), 10
      FROM generate_series(${queued.first}, ${queued.first + queued.count - 1}) AS site;
    INSERT INTO job_chunk (job_id, idx, first_row, row_count, input)
      SELECT id, 0, 1, 10, repeat('{"sku":"x"}', 50) FROM job WHERE step = 'plan';

    INSERT INTO file (id, site_id, type, name, status, storage_key)
      SELECT ${idOf(laid, 'file', 'site')}, site, 'ITEM_IMPORT', 'items.csv', 'UPLOADED', 'items' FROM generate_series(1, ${applying}) AS site;
    INSERT INTO job (${COLUMNS}, started_at, plan, definitions_version, input_file_id)
      SELECT ${idOf(laid, 'applying', 'site')}, site, ${account}, 'ITEM_IMPORT', 'item', 'IN_PROGRESS', ${OPTIONS}, true, 'apply', 1,
             NULL, nextval('job_line_no_seq'), ${chunks * 10}, now(), ${PLAN}, 1, ${idOf(laid, 'file', 'site')}
      FROM generate_series(1, ${applying}) AS site;
    INSERT INTO job_chunk (job_id, idx, status, dispatch, dispatched_at, first_row, row_count, outcomes, created_count, byte_start, byte_end)
      SELECT ${idOf(laid, 'applying', 'site')}, idx, status, 1,
             CASE WHEN status <> 'pending' THEN now() - interval '1 hour' + site * interval '1 second' END,
             idx * 10 + 2, 10, CASE WHEN status = 'done' THEN repeat('c', 10) END, CASE WHEN status = 'done' THEN 10 ELSE 0 END, 0, 140
      FROM generate_series(1, ${applying}) AS site, generate_series(0, ${chunks - 1}) AS idx,
      LATERAL (SELECT CASE WHEN idx < ${chunks / 2} OR site = ${applying} THEN 'done'
                           WHEN idx < ${chunks / 2 + 4} THEN 'dispatched' ELSE 'pending' END AS status) AS state ORDER BY site, idx;

    INSERT INTO job (${COLUMNS}, started_at)
      SELECT ${idOf(laid, 'export', 'n')}, site, ${account}, 'ITEM_EXPORT', 'export', 'SCHEDULED', '{}', true, 'export', 1, begun, NULL, NULL, begun
      FROM generate_series(0, ${exports - 1}) AS n,
      LATERAL (SELECT 1 + n / 4 AS site, CASE WHEN n % 4 = 0 THEN now() END AS begun) AS state;

    INSERT INTO job_order (site_id, position, job_id, state, concurrent, dispatch, dispatched_at)
      SELECT site_id, line_no, id,
             CASE WHEN completed_at IS NOT NULL THEN 'e' WHEN started_at IS NOT NULL THEN 'r'
                  WHEN dispatched_at IS NULL THEN 'h' ELSE 'q' END::"char", shared, 1, coalesce(dispatched_at, now())
      FROM job WHERE line_no IS NOT NULL ORDER BY line_no;
    UPDATE job SET dispatched_at = NULL WHERE step = 'plan';
  `);
  // As the ends of jobs leave it.
  await sweep(
    db,
    Array.from({ length: laid.sites }, (_, index) => index + 1),
  );
}
