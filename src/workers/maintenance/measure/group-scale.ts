/** What the scaling of each group of queues has found. */
import type { QueueGroup } from '../../../queues/define-queue.js';
import type { GroupMeasured, GroupState } from '../wanted-workers.js';

export const GROUPS = ['bulk', 'export', 'webhook'] as const satisfies readonly QueueGroup[];

/** What the scaling of a group has found. */
export interface GroupScale extends GroupMeasured {
  readonly busy: number;
  readonly wanted: number;
  readonly unlimited: number;
  readonly limitedBy: string | null;
  readonly state: GroupState;
}

export function statesOf(facts: unknown): Partial<Record<QueueGroup, GroupState>> {
  const { groups = {} } = (facts ?? {}) as { groups?: Record<string, GroupScale> };
  return Object.fromEntries(Object.entries(groups).map(([group, { state }]) => [group, state]));
}
