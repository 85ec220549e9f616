/** The guard of webhooks for connections of others: no request of a tenant reaches our own network. */
import type { AddressGuard } from '../../platform/remote/remote-folder.js';
import { createTargetGuard } from './guard/target-guard.js';

export function createAddressGuard(options: Parameters<typeof createTargetGuard>[0]): AddressGuard {
  return createTargetGuard(options);
}
