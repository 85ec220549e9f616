/** Checks the addresses in a request. They are checked again each time they are called. */
import { DomainError } from '../domain/kernel/errors.js';
import type { Targets } from '../domain/webhooks/targets.js';

/** @throws DomainError invalid: `target: blocked address …` */
export async function checkTargets(
  targets: Targets,
  addresses: Readonly<Record<string, string | null | undefined>>,
): Promise<void> {
  for (const [field, address] of Object.entries(addresses)) {
    if (address === undefined || address === null) continue;
    const blocked = await targets.check(address);
    if (blocked === null) continue;
    const { code } = blocked;
    const message = `${field}: ${blocked.message}`;
    throw new DomainError('invalid', code, message, { problems: [{ path: field, code, message }] });
  }
}
