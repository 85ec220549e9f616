/** How a job with a snapshot ends, and what it says of what its file lacked. */

import type { RemovalReport } from '../../job-model/removal-report.js';
import type { HowItEnds } from '../../jobs/model/job-end.js';
import { counted } from '../../kernel/counted.js';
import type { Snapshot } from '../kept/snapshot.js';
import type { Input } from './brake.js';
import type { Removal } from './remove-missing.js';

export const SNAPSHOT_BRAKE = 'SNAPSHOT_BRAKE';

/** What is kept with the job when the brake holds. */
export function brakeMessage(brake: string, isAtomic: boolean, input: Input, actor: string | null = null): string {
  const what = isAtomic
    ? 'nothing was written because onError is abort'
    : 'nothing was removed, and the rows were applied';
  const how = actor?.startsWith('feed:')
    ? 'change the limits of its feed or have it set requireApproval, and have it take the file again (take-again)'
    : `send ${isAtomic ? 'it' : `the whole ${input}`} again with other limits or with requireApproval`;
  return `${brake}; ${what}: check the ${input}, and ${how}`;
}

/** What a job says that waits for an approval of what the brake has stopped. */
export function waitingMessage({ report, brake }: Removal, jobId: string): string {
  const removal = `the removal of ${counted(report.removed, 'item')} waits for an approval`;
  return `${brake}; the rows were applied, and ${removal}: see GET /jobs/${jobId}/changes, and approve or reject it by actions/approve or actions/reject`;
}

/** What is kept with the job of what was removed; undefined: nothing to say. */
export function removalMessage(
  { report, brake, kept }: Removal,
  { missing }: Pick<Snapshot, 'missing'>,
  isDryRun: boolean,
  input: Input,
): string | undefined {
  const { removed, kept: count } = report;
  const what = missing === 'delete' ? 'deleted' : 'changed';
  const did = isDryRun ? 'would be' : removed === 1 ? 'was' : 'were';
  const parts = [
    ...(removed > 0 ? [`${counted(removed, 'item')} that the ${input} lacks ${did} ${what}`] : []),
    ...(count > 0 ? [`${counted(count, 'item')} that it lacks ${count === 1 ? 'stays' : 'stay'} (${kept ?? ''})`] : []),
    ...(brake === null ? [] : [`the brake would stop that (SNAPSHOT_BRAKE): ${brake}`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** The end of a job of which nothing was refused, with what its last step has noted of the removal. */
export function withRemoval(
  end: HowItEnds,
  removal: RemovalReport | undefined,
  noted: string | null,
  isDryRun: boolean,
): HowItEnds {
  if (removal === undefined) return end;
  const statusMessage = [end.statusMessage, noted].filter(Boolean).join('; ') || undefined;
  const isPartial = removal.kept > 0 && end.status === 'COMPLETED' && !isDryRun;
  const isWholeTruth = !isDryRun && (end.status === 'COMPLETED' || end.status === 'COMPLETED_PARTIALLY');
  return { ...end, ...(isPartial ? { status: 'COMPLETED_PARTIALLY' as const } : {}), statusMessage, isWholeTruth };
}
