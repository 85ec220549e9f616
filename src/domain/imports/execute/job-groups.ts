/** Groups of small jobs whose rows may be applied in one call, because they cannot influence each other. */
import type { Knex } from 'knex';
import type { BegunJob, BegunSite } from '../../jobs/model/begun-job.js';
import type { LoadApplier } from '../appliers/load-applier.js';
import type { ImportJob } from '../model/import-jobs.js';
import { KeyTracker } from '../pipeline/find-duplicates.js';
import type { RowApplier } from '../rows/row-applier.js';

/** Jobs of one site whose rows may be applied in one call. */
export interface Group {
  readonly members: GroupMember[];
  /** Whether their rows may be applied together with those of other sites. */
  readonly joins: boolean;
}

interface GroupMember {
  readonly batched: BegunJob<ImportJob>;
  readonly applier: RowApplier;
}

/** Puts neighbours into one group whose rows may be applied in one call: no two of them have the same key. */
export async function groupsOf(
  trx: Knex.Transaction,
  { jobs, definitionsVersion }: BegunSite<ImportJob>,
  loadApplier: LoadApplier,
): Promise<Group[]> {
  const groups: Group[] = [];
  let taken = new Set<string>();
  let joinKey: string | undefined;
  for (const batched of jobs) {
    const applier = await loadApplier(trx, batched.job, definitionsVersion, null);
    const keys = await distinctKeys(applier, batched.input);
    const joins = keys !== null && applier.join !== undefined;
    const group = groups.at(-1);
    if (group !== undefined && joins && applier.join?.key === joinKey && keys.every((key) => !taken.has(key))) {
      group.members.push({ batched, applier });
      for (const key of keys) taken.add(key);
    } else {
      groups.push({ members: [{ batched, applier }], joins });
      taken = new Set(keys ?? []);
      joinKey = joins ? applier.join?.key : undefined;
    }
  }
  return groups;
}

/** The keys of a job's rows; null when two rows have the same. */
async function distinctKeys(applier: RowApplier, input: Buffer): Promise<string[] | null> {
  if (applier.join === undefined || applier.keyField === undefined) return null;
  const keys = new KeyTracker(applier);
  await keys.trackLines(input, applier.keyField);
  return keys.superseded().size > 0 ? null : [...keys.keys()];
}
