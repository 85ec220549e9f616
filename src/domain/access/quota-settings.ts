/** The quotas of accounts, as operators see and set them. */
import type { Db } from '../../../db/connection.js';
import { Account } from '../../../db/models/account.js';
import { requireAccount } from './accounts.js';
import { usedOf } from './quota-use.js';
import { type QuotaName, quotasOf, quotasSchema } from './quotas.js';

interface QuotasView extends Readonly<Record<QuotaName, number | 'none'>> {
  readonly accountId: string;
  readonly rowsUsed: number;
  readonly bytesUsed: number;
  readonly uploadsUsed: number;
  readonly stagesUsed: number;
}

/** The quotas of an account, and what is used of them. @throws DomainError not-found */
export async function showQuotas(db: Db, accountId: string): Promise<QuotasView> {
  await requireAccount(db, accountId);
  const account = await Account.query(db).findById(accountId).throwIfNotFound();
  const quotas = quotasOf(account.quotas);
  return {
    accountId,
    requests: quotas.requests ?? 'none',
    rows: quotas.rows ?? 'none',
    bytes: quotas.bytes ?? 'none',
    uploads: quotas.uploads ?? 'none',
    stages: quotas.stages ?? 'none',
    rowsUsed: await usedOf(db, 'rows', accountId),
    bytesUsed: await usedOf(db, 'bytes', accountId),
    uploadsUsed: await usedOf(db, 'uploads', accountId),
    stagesUsed: await usedOf(db, 'stages', accountId),
  };
}

/** @param changes null: the quota is removed; what is left out stays @throws DomainError not-found */
export async function setQuotas(
  db: Db,
  accountId: string,
  changes: Readonly<Partial<Record<QuotaName, number | null>>>,
): Promise<QuotasView> {
  await requireAccount(db, accountId);
  const account = await Account.query(db).findById(accountId).forNoKeyUpdate().throwIfNotFound();
  const merged = Object.entries({ ...quotasOf(account.quotas), ...changes }).filter(([, limit]) => limit !== null);
  await Account.query(db)
    .findById(accountId)
    .patch({ quotas: merged.length === 0 ? null : quotasSchema.parse(Object.fromEntries(merged)) });
  return showQuotas(db, accountId);
}
