/** Begins the files of accounts later whose files were rejected one after another, while others use the process. */
import { FailureBackoff } from '../../platform/concurrency/failure-backoff.js';
import type { WorkerServices } from '../context.js';
import { Snooze } from '../snooze.js';

/** While others use the process, the files of an account begin later after so many rejected ones in a row. */
const REJECTIONS = { free: 4, firstMs: 50, longestMs: 1_000 };

const rejectionsByProcess = new WeakMap<WorkerServices, FailureBackoff>();

function rejectionsOf(services: WorkerServices): FailureBackoff {
  const rejections = rejectionsByProcess.get(services) ?? new FailureBackoff(REJECTIONS);
  rejectionsByProcess.set(services, rejections);
  return rejections;
}

/**
 * Notices the account of a job that begins by itself.
 * @param accountId empty: the job is gone
 * @throws Snooze for a file, while others use the process, when the account's last files were rejected
 */
export function pauseRejected(services: WorkerServices, accountId: string, isFile: boolean): void {
  const { contention } = services;
  if (accountId !== '') contention?.notice(accountId);
  if (!isFile || contention?.isContended() !== true) return;
  const pauseMs = rejectionsOf(services).waitMs(accountId);
  if (pauseMs > 0) throw new Snooze(pauseMs);
}

/** Notices whether a file of the account was rejected. */
export function noticeOutcome(services: WorkerServices, accountId: string, isRejected: boolean): void {
  const rejections = rejectionsOf(services);
  if (isRejected) rejections.failed(accountId);
  else rejections.succeeded(accountId);
}
