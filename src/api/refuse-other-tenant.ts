/** Refuses a tenantId in a body that is not the caller's own account. */
import { DomainError } from '../domain/kernel/errors.js';

/** @throws DomainError forbidden */
export function refuseOtherTenant(tenantId: string | null | undefined, accountId: string): void {
  if (tenantId === undefined || tenantId === null || tenantId === accountId) return;
  throw new DomainError('forbidden', 'FORBIDDEN', "tenantId names an account that is not the token's");
}
