/** A tenantId in a body names the caller's own account, or nothing. */
import { DomainError } from '../domain/kernel/errors.js';

/** @throws DomainError forbidden */
export function refuseOtherTenant(tenantId: string | null | undefined, accountId: string): void {
  if (tenantId === undefined || tenantId === null || tenantId === accountId) return;
  throw new DomainError('forbidden', 'FORBIDDEN', "tenantId names an account that is not the token's");
}
