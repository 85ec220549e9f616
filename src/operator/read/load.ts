/** How much work arrives, waits and is done, and how many workers are wanted: what the leader of maintenance measures. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import { readSnapshots } from '../../../db/process-snapshots.js';

/** Of a group of workers. A slot is one step that a worker process executes. */
const groupLoad = z.object({
  workers: z.number(),
  /** Of one process. */
  slots: z.number(),
  /** Slot-seconds of work that arrive each second. */
  arrival: z.number(),
  /** Slots that are busy. */
  busy: z.number(),
  /** Slot-seconds of work that wait or run. */
  due: z.number(),
  wanted: z.number(),
  /** What keeps `wanted` below what the work alone would want; null: nothing. */
  limitedBy: z.string().nullable(),
});
const measured = z.object({ groups: z.record(z.string(), groupLoad) });

export interface GroupLoad extends z.output<typeof groupLoad> {
  readonly group: string;
}

/** Older figures say nothing about now. */
const MAX_AGE_SECONDS = 60;

/** Null: no maintenance worker has measured the system within the last minute. */
export async function readLoad(db: Db): Promise<readonly GroupLoad[] | null> {
  const { system } = await readSnapshots(db);
  if (system === null || system.ageSeconds > MAX_AGE_SECONDS) return null;
  const found = measured.safeParse(system.facts);
  if (!found.success) return null;
  return Object.entries(found.data.groups).map(([group, load]) => ({ ...load, group }));
}
