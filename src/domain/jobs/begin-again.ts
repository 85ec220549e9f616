/** Has a job begin again that was previewed, at the end of the order of its site. */
import type { Knex } from 'knex';
import type { JobRow } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { Approval } from '../job-model/approval.js';
import { deleteErrors } from '../outcomes/record-errors.js';
import { place } from './order/place.js';
import { NEW_STEP } from './steps/step-row.js';

/**
 * The fencing tokens of the plan step of a job that begins again: queue jobs of an earlier place have lower ones, however
 * often they were enqueued. Its removals may be approved after its preview was.
 */
const FIRST_DISPATCH_AGAIN = 1_000_000;
const FIRST_DISPATCH_OF_REMOVALS = 2_000_000;

/**
 * Has a previewed job begin again, as a job that writes what it has previewed; one whose rows were applied goes on with what its
 * file lacks. The caller has locked its row.
 * @param held whether it waits for releaseDue, whose call follows the end of the preview; nothing is to be enqueued then
 */
export async function beginAgain(
  trx: Knex.Transaction,
  row: Pick<JobRow, 'id' | 'site_id' | 'options' | 'input_file_id' | 'line_no' | 'started_at'>,
  approval: Omit<Approval, 'state'>,
  held = false,
): Promise<OutboxEntry[]> {
  if (approval.only !== undefined) return beginRemovals(trx, row, approval);
  const { id, input_file_id: fileId, started_at: began } = row;
  const { options, shown } = withoutReports(row);
  await deleteErrors(trx, [id]);
  // The chunks of a file are found again by the plan step; that of a request holds its rows.
  const chunks = trx('job_chunk').where({ job_id: id });
  await (fileId === null ? chunks.update(NEW_CHUNK) : chunks.delete());
  await trx('job')
    .where({ id })
    .update({
      ...{ status: 'SCHEDULED', step: 'plan', status_message: null, reason: null, plan: null },
      ...{ definitions_version: null, started_at: null, error_file_id: null, error_summary: null, warnings: null },
      ...{ processed_count: 0, created_count: 0, updated_count: 0, unchanged_count: 0, error_count: 0 },
      ...(fileId === null ? {} : { total_count: null }),
      options: JSON.stringify(approved(options, { ...approval, ...shown, ...(await rowsBegan(trx, began)) })),
      shared: false,
      end_event_ids: null,
      ...NEW_STEP,
      updated_at: trx.fn.now(),
    });
  const outboxEntries = await placeAgain(trx, row, FIRST_DISPATCH_AGAIN);
  if (!held) return outboxEntries;
  await trx.raw(
    `UPDATE job_order SET state = 'h' FROM job
     WHERE job.id = ? AND job_order.site_id = job.site_id AND job_order.position = job.line_no`,
    [id],
  );
  return [];
}

/**
 * Has a job go on whose rows were applied, with what its file lacks. Its chunks and its counts stay. The caller has locked its
 * row.
 */
async function beginRemovals(
  trx: Knex.Transaction,
  row: Pick<JobRow, 'id' | 'site_id' | 'options' | 'line_no' | 'started_at'>,
  approval: Omit<Approval, 'state'>,
): Promise<OutboxEntry[]> {
  const { id, started_at: began } = row;
  const { options, shown } = withoutReports(row);
  const given = { ...approval, ...shown, ...(await rowsBegan(trx, began)) };
  await trx('job')
    .where({ id })
    .update({
      ...{ status: 'SCHEDULED', step: 'plan', reason: null, definitions_version: null, end_event_ids: null },
      ...{ options: JSON.stringify(approved(options, given)), shared: false, ...NEW_STEP, updated_at: trx.fn.now() },
    });
  // Destinations that follow a feed have followed its rows, and follow its removals as well.
  await trx.raw(
    'INSERT INTO feed_import (job_id, feed_id) SELECT job_id, feed_id FROM feed_file WHERE job_id = ? ON CONFLICT DO NOTHING',
    [id],
  );
  return placeAgain(trx, row, FIRST_DISPATCH_OF_REMOVALS);
}

/**
 * What would have been created, or have gone, is no more what has: that is said when it is done. What was shown of the removals stays
 * with the approval.
 */
function withoutReports({ options }: Pick<JobRow, 'options'>): { options: object; shown: Pick<Approval, 'removal'> } {
  const { removal, created: _, archive: __, ...others } = { ...Object(options) };
  return { options: others, shown: removal === undefined ? {} : { removal } };
}

/** @param began null for a request that goes on after its preview: when it began is recorded with its end, and that is now */
async function rowsBegan(trx: Knex.Transaction, began: Date | null): Promise<Pick<Approval, 'rowsBegan'>> {
  if (began !== null) return { rowsBegan: began.toISOString() };
  const { rows } = await trx.raw<{ rows: [{ now: Date }] }>('SELECT now() AS now');
  return { rowsBegan: rows[0].now.toISOString() };
}

/** Its former place is left, as when a job ends. */
async function placeAgain(
  trx: Knex.Transaction,
  { id, site_id: siteId, line_no: position }: Pick<JobRow, 'id' | 'site_id' | 'line_no'>,
  dispatch: number,
): Promise<OutboxEntry[]> {
  await trx('job_order').where({ site_id: siteId, position }).update({ state: 'e' });
  const { outboxEntries } = await place(trx, id, { site_id: siteId, shared: false }, dispatch);
  return outboxEntries;
}

/** The options of the run that follows the approval. */
function approved(options: unknown, approval: Omit<Approval, 'state'>): object {
  return { ...Object(options), validateOnly: false, approval: { ...approval, state: 'approved' } };
}

/** What is recorded of a chunk that was not applied yet. */
const NEW_CHUNK = {
  ...{ status: 'pending', wave: 0, attempts: 0, outages: 0, deaths: 0, outcomes: null, warnings: null, done_at: null },
  ...{ created_count: 0, updated_count: 0, unchanged_count: 0, error_count: 0 },
} as const;
