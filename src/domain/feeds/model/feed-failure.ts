/** Why a run or a look of a feed has failed, and what that means for the next one. */
import { RemoteFailure } from '../../../platform/remote/remote-folder.js';
import { storable } from '../../kernel/characters.js';
import type { DomainError, DomainErrorKind } from '../../kernel/errors.js';

const MOST_CHARACTERS = 500;

/** As clients see it. */
export interface FeedFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * `passing`: it may be over at the next try. `lasting`: somebody has to do something, and tries in between do harm, such as
 * locking an account. `file`: one file is at fault, and the feed works.
 */
type FailureKind = 'passing' | 'lasting' | 'file';

/** Absent kind: passing. */
export interface Failing extends FeedFailure {
  readonly kind?: FailureKind;
}

/** The last failure as it is stored with its feed. */
export interface StoredFailure extends Failing {
  /** How many runs and looks have failed one after another, but for those in which only a file was at fault. */
  readonly times?: number;
}

/** After so many failures one after another, the breaker of a feed is open: its schedule waits for the next try. */
export const BREAKER_AFTER = 5;

/** Errors of the domain after which only somebody who changes something helps. */
const LASTING: ReadonlySet<DomainErrorKind> = new Set([
  'invalid',
  'unauthorized',
  'forbidden',
  'not-found',
  'conflict',
  'gone',
  'unsupported-type',
  'unprocessable',
]);

/** A failure of the feed. */
export function failingOf(error: RemoteFailure | DomainError): Failing {
  return { ...shortened(error), kind: isPassing(error) ? 'passing' : 'lasting' };
}

/** A failure of one of its files. */
export function faultOf(error: FeedFailure): Failing {
  return { ...shortened(error), kind: 'file' };
}

function isPassing(error: RemoteFailure | DomainError): boolean {
  // A file or a folder that is not there may come late.
  return error instanceof RemoteFailure ? error.isTransient || error.code === 'NOT_FOUND' : !LASTING.has(error.kind);
}

function shortened({ code, message }: FeedFailure): FeedFailure {
  return { code, message: storable(message, MOST_CHARACTERS) };
}

interface Failed {
  readonly failures: number;
  readonly last_failure: StoredFailure | null;
}

/** How often it has failed one after another, files that were at fault aside. */
export function timesFailed({ failures, last_failure: last }: Failed): number {
  if (failures === 0 || last === null || last.kind === 'file') return 0;
  return last.times ?? failures;
}

/** Whether the schedule of a feed waits, because it has failed too often. */
export function isBreakerOpen(feed: Failed): boolean {
  return timesFailed(feed) >= BREAKER_AFTER;
}
