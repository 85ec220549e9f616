/** What the auditor is given, and how it reads tables. */
import type { Db } from '../../../db/connection.js';
import type { Cluster } from '../cluster.js';
import type { ChaosReceiver } from '../receiving.js';
import type { Lane } from '../workload.js';
import type { FaultWindow } from './excuses.js';

export interface Audited {
  readonly cluster: Cluster;
  readonly lanes: readonly Lane[];
  readonly receiver: ChaosReceiver;
  readonly windows: readonly FaultWindow[];
  /** How many descriptors each process had open before the first fault. */
  readonly openBefore: ReadonlyMap<string, number>;
}

/** A row of a table. */
// biome-ignore lint/suspicious/noExplicitAny: the auditor names the columns by hand, and compares what it finds
export type Row = any;

export async function select(db: Db, statement: string, values: readonly (string | number)[] = []): Promise<Row[]> {
  return (await db.raw(statement, [...values])).rows;
}
