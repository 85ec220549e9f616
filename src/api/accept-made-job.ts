/** Accepts a job that a request describes without its rows: a revert, a comparison of stages, an export, a retry. */

import type { Knex } from 'knex';
import { runOnce } from '../domain/access/accept-once.js';
import { releaseDue } from '../domain/jobs/release-jobs.js';
import { newId } from '../domain/kernel/identifier.js';
import { enqueueEntries, type OutboxEntry } from '../queues/outbox.js';
import { answerEnded } from './answer-ended.js';
import { checkTargets } from './check-targets.js';
import type { ApiRequest, ApiResponse } from './define-route.js';
import type { ApiServices } from './services.js';
import { requireRoomFor, requireRows } from './store-room.js';
import { waitingClient } from './waiting-client.js';

interface NewJob {
  readonly id: string;
  readonly requestId: string | null;
  readonly callbackUrl?: string | undefined;
}

interface MadeJob {
  readonly callbackUrl?: string | undefined;
  /** The id of the job, if it exists already. */
  readonly jobId?: string;
  /** Records the job, as the last statement of the transaction. @returns what to enqueue after the commit */
  accept(trx: Knex.Transaction, job: NewJob): Promise<OutboxEntry[]>;
  /** What the answer has besides the id of the job and its status. */
  readonly besides?: Readonly<Record<string, unknown>>;
  /** False: it writes no rows, so that rows that wait need not keep it. */
  readonly writesRows?: boolean;
  /** Shows the job when it has ended. Default: like every job. */
  readonly present?: Parameters<typeof answerEnded>[3];
}

/** Commits and enqueues it. Answers 202 with the job's id; with `Prefer: wait`, 200 with the job if it ends in time. */
export async function acceptMadeJob(
  request: ApiRequest<unknown, unknown, unknown, true>,
  services: ApiServices,
  { callbackUrl, jobId: known, accept, besides = {}, writesRows = true, present }: MadeJob,
): Promise<ApiResponse> {
  const { site, idempotency, requestId, audit } = request;
  const { db, producer, logger, jobEnds } = services;
  await checkTargets(services.targets, { callbackUrl });
  let outboxEntries: OutboxEntry[] = [];
  const { answer, replayed } = await runOnce(db, idempotency, async (trx) => {
    // Within: an answer that was given already is given again, and spends nothing.
    await requireRoomFor(request, services);
    if (writesRows) await requireRows(request, services, 0);
    const id = known ?? newId();
    await audit.record(trx, `job/${id}`);
    outboxEntries = await accept(trx, { id, requestId, callbackUrl });
    return { status: 202, body: { jobId: id, status: 'SCHEDULED', ...besides }, jobId: id };
  });
  // Behind many others it is accepted as held. All of them may have ended since then.
  if (outboxEntries.length === 0 && !replayed) outboxEntries = await releaseDue(db, [site.siteId]);
  await enqueueEntries(producer, outboxEntries, logger);
  const jobId = answer.jobId ?? '';
  if (await jobEnds.wait(jobId, waitingClient(request, services))) {
    const ended = await answerEnded(services, site.siteId, jobId, present);
    return ended.status === 202 ? { ...ended, body: { ...Object(ended.body), ...besides } } : ended;
  }
  return { status: 202, body: answer.body, headers: { Location: `/jobs/${jobId}` } };
}
