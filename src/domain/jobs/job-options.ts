/** How a job is to be carried out: checked when it is accepted, kept with it. */

export type WriteMode = 'insert' | 'upsert' | 'update';
/** What a failed row does to the others. */
type OnError = 'skip' | 'abort';

export interface JobOptions {
  readonly mode: WriteMode;
  readonly onError: OnError;
  readonly validateOnly: boolean;
  /** Told when the job has ended. */
  readonly callbackUrl?: string | undefined;
  /** Of files. */
  readonly delimiter?: string | undefined;
  readonly decimalSeparator?: '.' | ',' | undefined;
  readonly dateFormat?: string | undefined;
  readonly encoding?: string | undefined;
  /** Of workbooks: the sheet's name. */
  readonly sheet?: string | undefined;
}

/** Whether all that the job writes is committed at once or not at all: it may have to be undone when its last row is known. */
export function takesEffectAsAWhole({ onError, validateOnly }: Pick<JobOptions, 'onError' | 'validateOnly'>): boolean {
  return onError === 'abort' || validateOnly;
}

/** The error summary of a job is not longer than this many lines; what is beyond is in its errors. */
export const MAX_SUMMARY_LINES = 100;
