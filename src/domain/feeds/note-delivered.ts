/** What a destination notes in the transaction that ends its run: what was sent or published, and from where it goes on. */
import type { Knex } from 'knex';
import { publishStored } from '../exports/stored-export.js';
import type { Delivered } from './deliver.js';
import { DeliveryCounts } from './delivery-counts.js';
import type { FeedServices } from './feed-environment.js';
import type { DestinationRow } from './model/feed.js';
import { noteSent, reported } from './outputs.js';
import type { RunFindings } from './run-report.js';

interface Noted {
  readonly counts: RunFindings;
  readonly delivered?: Delivered;
}

/** The transaction has locked the job and the row of the feed. */
export async function noteDelivered(
  trx: Knex.Transaction,
  feed: DestinationRow,
  jobId: string,
  { counts, delivered }: Noted,
): Promise<void> {
  if (delivered === undefined || !(counts instanceof DeliveryCounts)) return;
  // What was changed meanwhile may select what this export has not looked at.
  const isAsItWas = delivered.kind === 'empty' && delivered.version === feed.version;
  if (isAsItWas && feed.destination.content === 'DELTA') {
    await trx('feed').where({ id: feed.id }).update({ sent_cursor: delivered.to });
  }
  if (delivered.kind !== 'sent') return;
  const { output, publishedFileId } = delivered;
  if (!(await noteSent(trx, feed, output))) {
    counts.remark(`the feed was changed while ${output.name} was sent: the next file is as it says now`);
    return;
  }
  if (publishedFileId === null) return;
  const { key, name, rows, bytes, readAt } = output;
  const published = { publishedFileId, siteId: feed.site_id, jobId, key, name, rows, bytes, readAt };
  const why = await publishStored(trx, feed.export_spec, published);
  if (why === undefined) counts.sent(reported(output));
  else counts.remark(why);
}

/** The bytes of what was sent are not needed any more; those of a published file are what is fetched. */
export async function clearStore({ fileStore }: FeedServices, delivered: Delivered | undefined): Promise<void> {
  if (delivered?.kind === 'sent' && delivered.publishedFileId === null) await fileStore.remove(delivered.output.key);
}
