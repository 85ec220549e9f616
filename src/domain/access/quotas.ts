/**
 * Quotas of accounts: how many requests a minute, how many rows in the queue, how many bytes in the file store, how many
 * open uploads and how many stages an account may have. An account without quotas costs no statement.
 */
import { z } from 'zod';

const most = z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional();

export const quotasSchema = z
  .object({
    /** Requests in a minute, over all processes. */
    requests: most,
    /** Rows of jobs that have not ended. */
    rows: most,
    /** Bytes in the file store: uploads, exports and error files. */
    bytes: most,
    /** Announced files that wait for their upload. */
    uploads: most,
    stages: most,
  })
  .readonly();
/** Absent: unlimited. */
export type AccountQuotas = z.output<typeof quotasSchema>;
export type QuotaName = keyof AccountQuotas;
/** The names of all quotas. */
export const QUOTA_NAMES = Object.keys(quotasSchema.unwrap().shape) as readonly QuotaName[];

/** Shared by all accounts without quotas. */
const NO_QUOTAS: AccountQuotas = {};

/** The quotas in a column. */
export function quotasOf(stored: unknown): AccountQuotas {
  return stored === null || stored === undefined ? NO_QUOTAS : quotasSchema.parse(stored);
}
