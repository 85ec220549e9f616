/** How much work arrives, waits and is done, and how many workers are wanted: what the leader of maintenance measures. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import { readSnapshots } from '../../../db/process-snapshots.js';

/** Of a group of workers. A slot is one step that a worker process executes. */
const groupLoad = z.object({
  /** Of one process. */
  slots: z.number(),
  /** Slot-seconds of work that arrive each second. */
  arrival: z.number(),
  /** Slots that are busy. */
  busy: z.number(),
  /** Slots that could run at once. */
  parallel: z.number(),
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

/** What was measured last. It says what was true then: the leader of maintenance may have ended since. */
export interface Load {
  readonly ageSeconds: number;
  readonly groups: readonly GroupLoad[];
}

/** Null: nobody has measured the system yet. */
export async function readLoad(db: Db): Promise<Load | null> {
  const { system } = await readSnapshots(db);
  if (system === null) return null;
  const found = measured.safeParse(system.facts);
  if (!found.success) return null;
  const groups = Object.entries(found.data.groups).map(([group, load]) => ({ ...load, group }));
  return { ageSeconds: system.ageSeconds, groups };
}
