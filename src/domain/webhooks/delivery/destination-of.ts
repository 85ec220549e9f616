/** Where a loaded delivery goes, and how fast it may. */
import type { LoadedDefinition, LoadedDelivery } from './loaded-delivery.js';
import { Destination } from './slots/delivery-slots.js';

/** The key of the endpoint. */
export function endpointOf({ id, callbackUrl, definitionId }: LoadedDelivery): string {
  return callbackUrl ?? definitionId ?? id;
}

export function destinationOf(delivery: LoadedDelivery): Destination {
  const { callbackUrl, definition, event } = delivery;
  // Deliveries of a definition that were loaded together share it.
  const known = callbackUrl === null && definition !== null ? destinations.get(definition) : undefined;
  if (known !== undefined) return known;
  const host = hostnameOf(callbackUrl ?? definition?.target ?? '');
  const made = new Destination(endpointOf(delivery), event.account_id, host);
  if (callbackUrl === null && definition !== null) destinations.set(definition, made);
  return made;
}

const destinations = new WeakMap<LoadedDefinition, Destination>();

/** An address that is no URL counts as a host of its own: the attempt will fail. */
function hostnameOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : address;
}

/** Deliveries per second; null: no limit, as for callbacks. */
export function rateLimitOf({ callbackUrl, definition }: LoadedDelivery): number | null {
  return callbackUrl === null ? (definition?.rate_limit ?? null) : null;
}
