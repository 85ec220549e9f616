/** Addresses that a definition names are checked when they are given, and again whenever they are called. */
import { DomainError } from '../domain/kernel/errors.js';
import { BlockedAddressError } from '../domain/webhooks/guard/blocked-address.js';
import type { TargetGuard } from '../domain/webhooks/guard/target-guard.js';

/** @throws DomainError invalid: `target: blocked address …` */
export async function checkTargets(
  guard: TargetGuard,
  addresses: Readonly<Record<string, string | null | undefined>>,
): Promise<void> {
  for (const [field, address] of Object.entries(addresses)) {
    if (address === undefined || address === null) continue;
    try {
      await guard.checkTarget(address);
    } catch (error) {
      if (!(error instanceof BlockedAddressError)) throw error;
      const message = `${field}: ${error.message}`;
      throw new DomainError('invalid', error.code, message, { problems: [{ path: field, code: error.code, message }] });
    }
  }
}
