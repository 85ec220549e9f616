/** The error for what exceeds a quota. */
import { DomainError } from '../kernel/errors.js';
import type { QuotaName } from './quotas.js';

/** When the client may try again: rows are applied and files deleted in their own time. */
export const RETRY_AFTER_SECONDS = { rows: 10, bytes: 300, stages: 3_600 } as const;
export const WINDOW_SECONDS = 60;

/** The error for a request that exceeds a quota. */
export function exceeded(name: QuotaName, limit: number, message: string, retryAfterSeconds: number): DomainError {
  const window = name === 'requests' ? { windowSeconds: WINDOW_SECONDS } : {};
  return new DomainError('busy', `QUOTA_OF_${name.toUpperCase()}`, message, {
    retryAfterSeconds,
    quota: { name, limit, left: 0, ...window },
  });
}
