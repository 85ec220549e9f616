/** What the queue runs, and what it will start next, and whose that is: the payloads of queues contain ids only. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { Producer } from '../../queues/producer.js';
import type { QueuedWork } from '../../queues/queued-work.js';
import { type Owner, rowsOf } from './reading.js';

/** Of each queue. A fleet runs a few hundred steps at once; beyond this the page says that there are more. */
const MOST_RUNNING = 200;

export interface OwnedWork extends QueuedWork {
  /** The jobs that it is about: several for a batch of small jobs, none for a delivery. */
  readonly jobIds: readonly string[];
  /** Null: what it is about exists no longer, or it has ended. */
  readonly owner: Owner | null;
}

export interface QueueView {
  readonly running: readonly OwnedWork[];
  /** The next of each queue. */
  readonly waiting: readonly OwnedWork[];
  /** Whether more run than are shown. */
  readonly more: boolean;
}

/**
 * Whether a running step is executed at all: the queue goes on calling it running for a while after its process has died.
 * @param living the ids of the living processes; null: not known
 */
export function isHeld(processId: string | null, living: ReadonlySet<string> | null): boolean {
  return processId === null || living === null || living.has(processId);
}

/** Reads the queue; null while it does not answer. */
export async function readQueue(producer: Producer, db: Db): Promise<QueueView | null> {
  const found = await Promise.all([producer.running(MOST_RUNNING), producer.nextOfEach()]).catch(() => null);
  if (found === null) return null;
  const [running, waiting] = found;
  const owned = await withOwners(db, [...running, ...waiting]);
  const counts = new Map<string, number>();
  for (const { queue } of running) counts.set(queue, (counts.get(queue) ?? 0) + 1);
  return {
    running: owned.slice(0, running.length),
    waiting: owned.slice(running.length),
    more: [...counts.values()].some((count) => count >= MOST_RUNNING),
  };
}

async function withOwners(db: Db, work: readonly QueuedWork[]): Promise<readonly OwnedWork[]> {
  const named = work.map((one) => ({ one, ids: idsOf(one.payload) }));
  const all = named.map(({ ids }) => ids);
  const owners = await findOwners(db, {
    jobs: all.flatMap(({ jobs }) => jobs.slice(0, 1)),
    deliveries: all.flatMap(({ delivery }) => (delivery === null ? [] : [delivery])),
    events: all.flatMap(({ event }) => (event === null ? [] : [event])),
  });
  return named.map(({ one, ids }) => {
    const key = ids.jobs[0] ?? ids.delivery ?? ids.event;
    return { ...one, jobIds: ids.jobs, owner: (key === undefined || key === null ? null : owners.get(key)) ?? null };
  });
}

interface NamedIds {
  readonly jobs: readonly string[];
  /** A delivery, or the first characters of the ids of a batch of them, which are of one event. */
  readonly delivery: string | null;
  readonly event: string | null;
}

function idsOf(payload: unknown): NamedIds {
  const { jobId, steps, batch, deliveryId, eventId }: Readonly<Record<string, unknown>> = { ...Object(payload) };
  const ofBatch = Array.isArray(steps) ? steps.map((step: unknown) => Object(step).jobId) : [];
  return {
    jobs: [jobId, ...ofBatch].filter((id) => typeof id === 'string'),
    delivery: textOf(deliveryId) ?? textOf(batch),
    event: textOf(eventId),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

interface Named {
  readonly jobs: readonly string[];
  readonly deliveries: readonly string[];
  readonly events: readonly string[];
}

/** One look-up by the primary key for each id. */
async function findOwners(db: Knex, { jobs, deliveries, events }: Named): Promise<ReadonlyMap<string, Owner>> {
  const rows = await rowsOf<Owner & { id: string }>(
    db,
    `SELECT named.id, account.id AS "accountId", account.name AS "accountName", site.stage
     FROM (
       SELECT asked.id, job.site_id FROM unnest(:jobs::text[]) AS asked (id)
         CROSS JOIN LATERAL (SELECT site_id FROM job WHERE job.id = asked.id COLLATE "C" LIMIT 1) AS job
       UNION ALL
       SELECT asked.id, delivery.site_id FROM unnest(:deliveries::text[]) AS asked (id)
         CROSS JOIN LATERAL (
           SELECT site_id FROM delivery
           WHERE delivery.id >= asked.id COLLATE "C" AND delivery.id < (asked.id || 'g') COLLATE "C"
           ORDER BY delivery.id LIMIT 1) AS delivery
       UNION ALL
       SELECT asked.id, event.site_id FROM unnest(:events::text[]) AS asked (id)
         CROSS JOIN LATERAL (SELECT site_id FROM event WHERE event.id = asked.id COLLATE "C" LIMIT 1) AS event
     ) AS named
     JOIN site ON site.id = named.site_id JOIN account ON account.id = site.account_id`,
    { jobs: [...jobs], deliveries: [...deliveries], events: [...events] },
  );
  return new Map(rows.map(({ id, ...owner }) => [id, owner]));
}
