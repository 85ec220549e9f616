/** The accounts whose jobs a process begins, and those whose files were rejected one after another. */
import type { FoundBatch } from '../../domain/jobs/find-batches.js';
import { Contention } from '../../platform/concurrency/contention.js';
import { FailureBackoff } from '../../platform/concurrency/failure-backoff.js';
import type { WorkerServices } from '../context.js';
import { Snooze } from '../snooze.js';

/** While others use the process, the files of an account begin later after so many rejected ones in a row. */
const REJECTIONS = { free: 4, firstMs: 50, longestMs: 1_000 };

/** The accounts whose jobs a process begins. */
interface Accounts {
  readonly contention: Contention;
  /** Those whose files were rejected one after another. */
  readonly rejections: FailureBackoff;
}

const accountsByProcess = new WeakMap<WorkerServices, Accounts>();

function accountsOf(services: WorkerServices): Accounts {
  let accounts = accountsByProcess.get(services);
  if (accounts === undefined) {
    accounts = { contention: new Contention(), rejections: new FailureBackoff(REJECTIONS) };
    accountsByProcess.set(services, accounts);
  }
  return accounts;
}

export function noticeAccounts(services: WorkerServices, batches: readonly FoundBatch[]): void {
  const { contention } = accountsOf(services);
  for (const { accountId } of batches) contention.notice(accountId);
}

/**
 * Notices the account of a job that begins by itself.
 * @param accountId empty: the job is gone
 * @throws Snooze for a file, while others use the process, when the account's last files were rejected
 */
export function pauseRejected(services: WorkerServices, accountId: string, isFile: boolean): void {
  const { rejections, contention } = accountsOf(services);
  if (accountId !== '') contention.notice(accountId);
  if (!isFile || !contention.isContended()) return;
  const pauseMs = rejections.waitMs(accountId);
  if (pauseMs > 0) throw new Snooze(pauseMs);
}

/** Notices whether a file of the account was rejected. */
export function noticeOutcome(services: WorkerServices, accountId: string, isRejected: boolean): void {
  const { rejections } = accountsOf(services);
  if (isRejected) rejections.failed(accountId);
  else rejections.succeeded(accountId);
}

/** Whether others use the process. */
export function isContended(services: WorkerServices): boolean {
  return accountsOf(services).contention.isContended();
}
