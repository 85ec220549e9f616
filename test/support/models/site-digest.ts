/** All that a job can leave behind in a site, in few characters: two runs that did the same have the same digest. */
import type { Db } from '../../../db/connection.js';

export interface SiteDigest {
  readonly items: number;
  readonly itemsDigest: string;
  /** What bundles hold. */
  readonly partsDigest: string;
  readonly uniqueValues: number;
}

/** Everything about the site's items but when they were written and where. */
export async function digestItems(db: Db, siteId: number): Promise<SiteDigest> {
  const items = await db.raw(
    `SELECT count(*)::integer AS items,
            md5(coalesce(string_agg(concat_ws('|', sku, type, status, node_id, parent_sku, channels, attributes, source_hash),
                                    E'\\n' ORDER BY sku), '')) AS digest
     FROM item WHERE site_id = ?`,
    [siteId],
  );
  const parts = await db.raw(
    `SELECT md5(coalesce(string_agg(concat_ws('|', bundle_sku, position, sku, quantity), E'\\n'
                                    ORDER BY bundle_sku, position), '')) AS digest
     FROM bundle_item WHERE site_id = ?`,
    [siteId],
  );
  const unique = await db('item_unique_value')
    .where({ site_id: siteId })
    .first<{ count: number }>(db.raw('count(*)::integer AS count'));
  return {
    items: items.rows[0].items,
    itemsDigest: items.rows[0].digest,
    partsDigest: parts.rows[0].digest,
    uniqueValues: unique?.count ?? 0,
  };
}

export interface JobDigest {
  readonly status: string;
  readonly counts: Readonly<Record<'total' | 'processed' | 'created' | 'updated' | 'unchanged' | 'failed', number>>;
  /** The error report, every field of it. */
  readonly errors: number;
  readonly errorsDigest: string;
  readonly summary: string;
  readonly warnings: string;
  /** What became of each row, in row order. */
  readonly outcomesDigest: string;
}

/** Everything that a job tells of itself but times and ids. */
export async function digestJob(db: Db, jobId: string): Promise<JobDigest> {
  const job = await db('job').where({ id: jobId }).first();
  const errors = await db.raw(
    `SELECT count(*)::integer AS errors,
            md5(coalesce(string_agg(concat_ws('|', row_no, seq, key, col, code, message, value), E'\\n' ORDER BY row_no, seq), '')) AS digest
     FROM job_error WHERE job_id = ?`,
    [jobId],
  );
  const outcomes = await db.raw(
    `SELECT md5(coalesce(string_agg(outcomes, '' ORDER BY idx), '')) AS digest FROM job_chunk WHERE job_id = ?`,
    [jobId],
  );
  return {
    status: job.status,
    counts: {
      total: job.total_count,
      processed: job.processed_count,
      created: job.created_count,
      updated: job.updated_count,
      unchanged: job.unchanged_count,
      failed: job.error_count,
    },
    errors: errors.rows[0].errors,
    errorsDigest: errors.rows[0].digest,
    summary: JSON.stringify(job.error_summary),
    warnings: JSON.stringify(job.warnings),
    outcomesDigest: outcomes.rows[0].digest,
  };
}

/** What the change log has of a job, a line each, without ids and times of its entries. Of a dry run: what it would have changed. */
export async function changesOfJob(db: Db, jobId: string): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { line: string }[] }>(
    `SELECT line FROM (
       SELECT concat_ws('|', 'C', created.sku, coalesce(created.row, set.created_rows[1] + created.n - 1), set.preview) AS line
       FROM change_set AS set CROSS JOIN LATERAL unnest(set.created, set.created_rows) WITH ORDINALITY AS created (sku, row, n)
       WHERE set.job_id = :jobId
       UNION ALL
       SELECT concat_ws('|', change.operation, change.sku, change.row_no, set.preview, change.changed)
       FROM change_set AS set JOIN item_change AS change ON change.set_id = set.id AND change.at = set.at
       WHERE set.job_id = :jobId) AS entry
     ORDER BY line COLLATE "C"`,
    { jobId },
  );
  return rows.map(({ line }) => line);
}

/** All that a site has of items, by table and in order, but for what only says where and when it was written. */
export async function siteContents(db: Db, siteId: number): Promise<Readonly<Record<string, readonly string[]>>> {
  const lines = async (sql: string): Promise<string[]> => {
    const { rows } = await db.raw<{ rows: { line: string }[] }>(`SELECT line FROM (${sql}) AS lines ORDER BY line`, [
      siteId,
    ]);
    return rows.map(({ line }) => line);
  };
  return {
    items: await lines(
      `SELECT concat_ws('|', sku, type, status, coalesce(node_id::text, '-'), coalesce(parent_sku, '-'),
         coalesce(channels::text, '-'), attributes) AS line FROM item WHERE site_id = ?`,
    ),
    parts: await lines(
      `SELECT concat_ws('|', bundle_sku, position, sku, quantity) AS line FROM bundle_item WHERE site_id = ?`,
    ),
    memberships: await lines(`SELECT concat_ws('|', sku, category_id) AS line FROM category_item WHERE site_id = ?`),
    reservations: await lines(
      `SELECT concat_ws('|', sku, attribute_id, value_hash) AS line FROM item_unique_value WHERE site_id = ?`,
    ),
  };
}
