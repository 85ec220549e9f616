/** Exports for a destination: the file is put into the store and noted, so that it is exported once and sent until it is there. */
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import { presentCursor } from '../changes/feed.js';
import { resolveSince } from '../changes/resolve-since.js';
import type { ExportSpec } from '../exports/model/export-spec.js';
import { exportOfToday, storeExport } from '../exports/stored-export.js';
import type { StepAttempt } from '../jobs/attempts.js';
import { DomainError } from '../kernel/errors.js';
import type { FeedServices } from './feed-environment.js';
import { readNow } from './feed-rows.js';
import type { DestinationRow, FeedRow } from './model/feed.js';
import { type FeedRunJob, keysOfOutputs, outputKey } from './model/feed-run-job.js';
import { fileNameOf } from './model/file-name-template.js';
import { noteOutput, type Output } from './outputs.js';

export type Stored =
  | { readonly kind: 'stored'; readonly output: Output }
  /** There is no row, and no file is wanted then. `to`: from where the next file tells of changes. `version`: of the feed that said so. */
  | { readonly kind: 'empty'; readonly to: string | null; readonly version: number }
  /** `changed`: somebody has changed the feed since it was read. */
  | { readonly kind: 'stale' | 'gone' | 'paused' }
  | { readonly kind: 'changed' };

interface Planned {
  readonly spec: ExportSpec;
  readonly from: string | null;
  readonly to: string | null;
  readonly whyWhole: string | null;
  readonly readAt: Date;
}

/** @throws DomainError when it cannot be exported; errors of the database or of the store: nothing is noted then */
export async function storeOutput(
  { db, fileStore }: Pick<FeedServices, 'db' | 'fileStore'>,
  attempt: StepAttempt<FeedRunJob>,
  feed: DestinationRow,
  signal: AbortSignal,
): Promise<Stored> {
  const { jobId } = attempt;
  // Nothing is noted of what earlier attempts have written: they died before.
  for (const leftover of keysOfOutputs(jobId, attempt.attempt - 1)) await fileStore.remove(leftover);
  const key = outputKey(jobId, attempt.attempt);
  const planned = await planExport(db, feed);
  const site = { siteId: feed.site_id, channel: feed.channel };
  const { rows, bytes, ...written } = await storeExport({ db, fileStore }, site, planned.spec, key, signal);
  const whyWhole = planned.whyWhole ?? written.whyWhole;
  const from = whyWhole === null ? planned.from : null;
  // A whole file in the place of changes is sent without rows too: all that was sent before is gone.
  const replacesSent = from === null && planned.to !== null && feed.sent_cursor !== null;
  if (rows === 0 && feed.destination.whenEmpty === 'SKIP' && !replacesSent) {
    await fileStore.remove(key);
    // The first file is whole, whenever it comes.
    return { kind: 'empty', to: from === null ? null : planned.to, version: feed.version };
  }
  const stored = await withRetries(db, async (trx): Promise<Stored> => {
    if (!(await attempt.lock(trx))) return { kind: 'stale' };
    const now: FeedRow | undefined = await trx('feed').where({ id: feed.id }).forUpdate().first();
    if (now === undefined || now.direction === 'SOURCE') return { kind: 'gone' };
    if (now.state === 'PAUSED') return { kind: 'paused' };
    if (now.version !== feed.version) return { kind: 'changed' };
    const { to, readAt } = planned;
    const sequence = now.sequence + 1;
    const content = from === null ? 'WHOLE' : 'DELTA';
    const timeZone = now.schedule !== null && 'timeZone' in now.schedule ? now.schedule.timeZone : 'UTC';
    const name = fileNameOf(now.destination.fileName, { at: readAt, timeZone, sequence, content });
    const output: Output = { runId: jobId, name, content, whyWhole, key, rows, bytes, from, to, readAt };
    await trx('feed').where({ id: now.id }).update({ sequence });
    await noteOutput(trx, now.id, output);
    return { kind: 'stored', output };
  });
  if (stored.kind !== 'stored') await fileStore.remove(key);
  return stored;
}

/** What is exported, and since when. The cursor is taken before anything is read: what is changed meanwhile may come twice. */
async function planExport(db: Db, feed: DestinationRow): Promise<Planned> {
  const { site_id: siteId, sent_cursor: sent, destination } = feed;
  const spec = await exportOfToday(db, siteId, feed.export_spec);
  const wantsChanges = destination.content === 'DELTA';
  const to = wantsChanges ? await presentCursor(db, siteId) : null;
  const planned = { to, readAt: await readNow(db) };
  const whole = (whyWhole: string | null) => ({ ...planned, spec, from: null, whyWhole });
  if (!wantsChanges) return whole(null);
  if (sent === null) return whole('it is the first since the feed was saved or its export was changed');
  if (spec.entity === 'site') return whole('such exports have no changes');
  try {
    const since = await resolveSince(db, siteId, { cursor: sent });
    return { ...planned, spec: { ...spec, since }, from: sent, whyWhole: null };
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'gone') throw error;
    return whole('the changes since the last file are no longer kept, or the database was restored');
  }
}
