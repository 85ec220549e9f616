/**
 * Uploads that clients put into the file store by a URL of the store. They are noticed when the client says so, or when
 * they are looked for: often at first, then less and less, until the announcement has expired.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import { Job } from '../../../db/models/job.js';
import type { FileStore } from '../../platform/file-store.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { endJob } from '../jobs/end-job.js';
import { completeUpload } from './complete-upload.js';

/** The first look is so long after the announcement. */
const FIRST_LOOK_MS = 3_000;
/**
 * The store checks a URL when an upload begins, and does not say that one is under way: an announcement stays open for so
 * long after its URL has expired.
 */
const UNDER_WAY_MS = 60 * 60 * 1000;
/** Files of one statement. */
const BATCH = 100;
const LOOKED_AT_ONCE = 10;

/** When to look for the upload of a file that is announced now, and how long; without effect on other stores. */
export function looksFor(
  { direct }: FileStore,
  urlExpiresAt: Date,
): { readonly lookAt: Date | null; readonly until: Date } {
  if (direct === null) return { lookAt: null, until: urlExpiresAt };
  return { lookAt: new Date(Date.now() + FIRST_LOOK_MS), until: new Date(urlExpiresAt.getTime() + UNDER_WAY_MS) };
}

interface Announced {
  readonly fileId: string;
  readonly name: string;
  readonly jobId: string;
}

interface Services {
  readonly db: Db;
  readonly fileStore: FileStore;
}

/** What became of an upload. `absent`: there is none; `refused`: it is too large, and its job has ended. */
type KeptUpload =
  | { readonly kind: 'absent' | 'refused' }
  | { readonly kind: 'kept'; readonly bytes: number; readonly outboxEntries: OutboxEntry[] };

/**
 * Takes over the upload of an announced file, if there is one. The client may put other bytes until the URL expires, so
 * those that are there now are copied to a key of the store's own.
 * @throws DomainError conflict or gone when the file does not wait for an upload any more
 */
export async function keepDirectUpload(
  services: Services,
  announced: Announced,
  maxBytes: number,
): Promise<KeptUpload> {
  const { db, fileStore } = services;
  const { fileId } = announced;
  const arrived = await fileStore.direct?.findUpload(fileId);
  if (arrived === undefined || arrived === null) return { kind: 'absent' };
  if (arrived.bytes > maxBytes) {
    const refused = await refuse(db, announced, arrived.bytes, maxBytes);
    await fileStore.direct?.removeUpload(fileId);
    return { kind: refused ? 'refused' : 'absent' };
  }
  // Each attempt has a key of its own: it removes what it has copied when another one was faster.
  const key = `uploads/${fileId}-${randomBytes(8).toString('hex')}`;
  const isKept = await fileStore.direct?.keepUpload(fileId, arrived, key);
  if (isKept !== true) return { kind: 'absent' };
  const { bytes } = arrived;
  const outboxEntries = await completeUpload(services, announced, { key, bytes });
  // If this fails, maintenance removes it later.
  await fileStore.direct?.removeUpload(fileId).catch(() => undefined);
  return { kind: 'kept', bytes, outboxEntries };
}

/** Ends the job of an upload that is too large. @returns false when it does not wait for its upload any more */
function refuse(db: Db, { fileId, jobId }: Announced, bytes: number, maxBytes: number): Promise<boolean> {
  return db.transaction(async (trx) => {
    const job = await Job.query(trx).findById(jobId).where({ status: 'AWAITING_UPLOAD' }).forNoKeyUpdate();
    if (job === undefined) return false;
    const statusMessage = `the uploaded file has ${bytes} bytes, more than the ${maxBytes} that are allowed; split it and announce its parts`;
    await endJob(trx, jobId, { status: 'REJECTED', reason: 'TOO_LARGE', statusMessage });
    await File.query(trx).where({ id: fileId, status: 'AWAITING_UPLOAD' }).patch({ status: 'EXPIRED' });
    return true;
  });
}

interface Looked {
  /** Whether others may be due. */
  readonly hasMore: boolean;
  /** What to enqueue. */
  readonly outboxEntries: OutboxEntry[];
  /** Jobs that have ended, because their uploads are too large. */
  readonly ended: string[];
  /** What a look has met; that file is looked for again. */
  readonly errors: unknown[];
}

interface Due extends Announced {
  /** Whether the announcement has expired: this is the last look. */
  readonly isLast: boolean;
}

/** Looks for the uploads that are due to be looked for. Any number of processes may do so. */
export async function lookForUploads(services: Services, maxBytes: number): Promise<Looked> {
  const { db } = services;
  const due = await takeDue(db);
  const outboxEntries: OutboxEntry[] = [];
  const ended: string[] = [];
  const errors: unknown[] = [];
  const never: string[] = [];
  const look = async (file: Due): Promise<void> => {
    try {
      const kept = await keepDirectUpload(services, file, maxBytes);
      if (kept.kind === 'kept') outboxEntries.push(...kept.outboxEntries);
      else if (kept.kind === 'refused') ended.push(file.jobId);
      else if (file.isLast) never.push(file.fileId);
    } catch (error) {
      errors.push(error);
    }
  };
  for (let from = 0; from < due.length; from += LOOKED_AT_ONCE) {
    await Promise.all(due.slice(from, from + LOOKED_AT_ONCE).map(look));
  }
  // From now on they may expire.
  if (never.length > 0)
    await File.query(db).findByIds(never).where({ status: 'AWAITING_UPLOAD' }).patch({ look_at: null });
  return { hasMore: due.length === BATCH, outboxEntries, ended, errors };
}

/** The time to the next look grows with the age of the announcement, from two seconds to two minutes. */
async function takeDue(db: Db): Promise<Due[]> {
  const { rows } = await db.raw<{ rows: Due[] }>(
    `UPDATE file SET look_at = now() + least(greatest((now() - created_at) / 4, interval '2 seconds'), interval '2 minutes')
     FROM (SELECT id FROM file WHERE status = 'AWAITING_UPLOAD' AND look_at <= now()
           ORDER BY look_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) AS due
     WHERE file.id = due.id
     RETURNING file.id AS "fileId", file.name, file.job_id AS "jobId", file.expires_at <= now() AS "isLast"`,
  );
  return rows;
}
