/** What a job begins with: its rows, its file, or its only step. */
import type { JobStep } from '../../../../db/models/job.js';
import type { AcceptedType } from '../../job-model/job-type.js';
import { isSingleStep, type SingleStep } from '../steps/single-steps.js';

/** Rows that came in a request body. */
interface InlineInput {
  /** UTF-8, one JSON text per line, `rowCount` lines. */
  readonly lines: Buffer;
  readonly rowCount: number;
}

/** What a job works on, and when it gets its position in the ordering queue of its site. */
export type Start =
  /** Rows of a request. It gets its position at once. */
  | ({ readonly kind: 'rows' } & InlineInput)
  /**
   * Rows that were recorded within a transaction that continues and may be long. placeUnplacedJobs assigns its position
   * once that transaction has committed; if that call is lost, the reconciler does.
   */
  | ({ readonly kind: 'unplaced-rows' } & InlineInput)
  /** A file that will be uploaded: scheduleFileJob assigns its position when the upload is complete, or scheduleHeldJob. */
  | { readonly kind: 'upload'; readonly fileId: string }
  /** A file that was uploaded. It gets its position at once. */
  | { readonly kind: 'file'; readonly fileId: string }
  /** The job consists of a single step, and has no position. */
  | { readonly kind: 'single-step'; readonly step: SingleStep };

/** The start of a job of a single step. @throws Error for a job type that has several */
export function singleStep({ steps: [step] }: Pick<AcceptedType<string, never>, 'steps'>): Start {
  if (isSingleStep(step)) return { kind: 'single-step', step };
  throw new Error(`a job that begins with the step ${step} needs a position in the ordering queue of its site`);
}

interface StartColumns {
  readonly status: 'SCHEDULED' | 'AWAITING_UPLOAD';
  readonly step: JobStep | null;
  /** It gets its position with the same statement. */
  readonly ordered: boolean;
  readonly fileId?: string;
}

export function columnsOf(start: Start): StartColumns {
  const scheduled = { status: 'SCHEDULED', step: 'plan' } as const;
  if (start.kind === 'rows') return { ...scheduled, ordered: true };
  if (start.kind === 'unplaced-rows') return { ...scheduled, ordered: false };
  if (start.kind === 'file') return { ...scheduled, ordered: true, fileId: start.fileId };
  if (start.kind === 'upload') return { status: 'AWAITING_UPLOAD', step: null, ordered: false, fileId: start.fileId };
  return { status: 'SCHEDULED', step: start.step, ordered: false };
}
