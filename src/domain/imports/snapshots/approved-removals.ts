/** Which removals were shown by a preview: an approved job removes no other, and none whose item was changed since. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { ItemChange } from '../../changes/model/item-change.js';
import { imagesOf } from '../deletions/images-of-items.js';
import { nextMissing } from './missing-items.js';

/** The number of the row that previewed removals have, which is that of no row of a file. */
const NO_ROW = 0;

/** @param images what the items are like */
export async function recordPreviewedRemovals(db: Db, jobId: string, images: readonly ItemChange[]): Promise<void> {
  if (images.length === 0) return;
  await db.raw(
    `INSERT INTO preview_row (job_id, first_row, last_row, rows, digests) VALUES (?, ${NO_ROW}, ${NO_ROW}, '{}', ?::bigint[])`,
    [jobId, `{${images.map(digestOf).join(',')}}`],
  );
}

/** How many items are in memory at once, with all that they have. */
const BATCH = 2_000;

/**
 * Leaves out of what is missing what was not shown, or was changed since.
 * @returns how many items they are
 */
export async function keepUnshown(
  trx: Knex.Transaction,
  siteId: number,
  jobId: string,
  signal: AbortSignal,
): Promise<number> {
  await trx.raw(
    `CREATE TEMPORARY TABLE shown_removal ON COMMIT DROP AS
     SELECT DISTINCT unnest(digests) AS digest FROM preview_row WHERE job_id = ? AND first_row = ${NO_ROW}`,
    [jobId],
  );
  await trx.raw('CREATE INDEX ON shown_removal (digest)');
  let kept = 0;
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const batch = await nextMissing(trx, siteId, after, BATCH);
    const last = batch.at(-1);
    if (last === undefined) return kept;
    after = last;
    const shown = await shownOf(trx, await imagesOf(trx, siteId, batch, new Map()));
    const unshown = batch.filter((sku) => !shown.has(sku));
    kept += unshown.length;
    await trx('missing_item').whereRaw('sku = ANY (?)', [unshown]).delete();
  }
}

/** Those of the items that are as they were shown. */
async function shownOf(trx: Knex.Transaction, images: readonly ItemChange[]): Promise<ReadonlySet<string>> {
  const digests = images.map(digestOf);
  const { rows } = await trx.raw<{ rows: { digest: string }[] }>(
    'SELECT digest::text AS digest FROM shown_removal WHERE digest = ANY (?::bigint[])',
    [`{${digests.join(',')}}`],
  );
  const shown = new Set(rows.map(({ digest }) => digest));
  return new Set(images.flatMap(({ sku }, index) => (shown.has(digests[index] ?? '') ? [sku] : [])));
}

/** 63 bits, as a number of Postgres. The order of attributes is that of the stored item. */
function digestOf({ sku, changed }: ItemChange): string {
  const parts = Object.entries(changed).sort(([one], [other]) => (one < other ? -1 : 1));
  const hash = createHash('sha256')
    .update(JSON.stringify([sku, parts]))
    .digest();
  return String(hash.readBigInt64BE() & 0x7fff_ffff_ffff_ffffn);
}
