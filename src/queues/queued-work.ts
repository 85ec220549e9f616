/** What is on the queues: the jobs that wait and run, and how many there are. */
import type { Job } from 'bullmq';
import type { JobCounts, QueueConnection } from '../platform/queue-connection.js';
import type { QueueGroup } from './define-queue.js';
import { queues } from './index.js';
import type { OpenQueues } from './open-queues.js';

/** A job on a queue, as operators see it. */
export interface QueuedWork {
  readonly queue: string;
  readonly group: QueueGroup;
  /** Its payload, which contains ids only. */
  readonly payload: unknown;
  /** Since when it is due or, if it is running, since when it runs. */
  readonly since: Date;
  /** The id of the process that runs it, as its heartbeat has it; null: not running, or not known. */
  readonly processId: string | null;
}

/** The jobs of a queue that it will still run, or is running. */
export interface QueueDepth extends JobCounts {
  readonly group: QueueGroup;
}

/** The most jobs that are counted where counting reads each of them. */
const MOST_COUNTED = 5_000;

export async function depthsOf(open: OpenQueues, { countJobs }: QueueConnection): Promise<QueueDepth[]> {
  const all = Object.values(queues);
  const groups = new Map(all.map(({ name, group }) => [name, group]));
  const countOne = async (queue: string): Promise<JobCounts> => {
    const counts = await open.get(queue).getJobCounts('waiting', 'prioritized', 'active', 'delayed');
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0 } = counts;
    return { queue, waiting: waiting + prioritized, active, delayed };
  };
  const names = [...groups.keys()];
  const counted = await (countJobs === null ? Promise.all(names.map(countOne)) : countJobs(names, MOST_COUNTED));
  return counted.map((counts) => ({ ...counts, group: groups.get(counts.queue) ?? 'bulk' }));
}

export async function waitsOf(open: OpenQueues): Promise<ReadonlyMap<QueueGroup, number>> {
  const waits = new Map<QueueGroup, number>();
  const now = Date.now();
  for (const { group, since } of await nextOf(open)) {
    waits.set(group, Math.max(waits.get(group) ?? 0, now - since.getTime()));
  }
  return waits;
}

export async function nextOf(open: OpenQueues): Promise<readonly QueuedWork[]> {
  return ofEachQueue(
    open,
    'waiting',
    1,
    (job) =>
      // A snoozed job keeps the time at which it was added; its delay counts from its last start.
      Math.max(job.timestamp, job.processedOn ?? 0) + job.delay,
  );
}

export async function runningOf(open: OpenQueues, most: number): Promise<readonly QueuedWork[]> {
  return ofEachQueue(open, 'active', most, (job) => job.processedOn ?? job.timestamp);
}

async function ofEachQueue(
  open: OpenQueues,
  state: 'waiting' | 'active',
  most: number,
  since: (job: Job) => number,
): Promise<readonly QueuedWork[]> {
  const found = await Promise.all(
    Object.values(queues).map(async ({ name, group }) => {
      const jobs: (Job | undefined)[] = await open.get(name).getJobs([state], 0, most - 1, true);
      // One that has ended since the list was read is missing.
      return jobs.flatMap((job) =>
        job === undefined
          ? []
          : [
              {
                queue: name,
                group,
                payload: job.data as unknown,
                since: new Date(since(job)),
                processId: state === 'active' ? (job.processedBy ?? null) : null,
              },
            ],
      );
    }),
  );
  return found.flat();
}
