/** Refuses stages that exceed a quota. */
import type { Db } from '../../../db/connection.js';
import { Account } from '../../../db/models/account.js';
import { exceeded, RETRY_AFTER_SECONDS } from './quota-exceeded.js';
import { quotasOf } from './quotas.js';

/** @param stages how many the account has */
export async function requireStageQuota(db: Db, accountId: string, stages: number): Promise<void> {
  const account = await Account.query(db).findById(accountId).select('quotas');
  const { stages: limit } = quotasOf(account?.quotas);
  if (limit === undefined || stages < limit) return;
  const message = `the account may have ${limit} stages, and has ${stages}; use one that exists, or ask the operator for more`;
  throw exceeded('stages', limit, message, RETRY_AFTER_SECONDS.stages);
}
