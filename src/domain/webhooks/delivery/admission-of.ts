/** Decides whether a loaded delivery may be sent now. */
import type { Admission } from './admit-delivery.js';
import { admitDelivery } from './admit-delivery.js';
import type { LoadedDelivery } from './loaded-delivery.js';

/** Callbacks are sent even if the definition is disabled: one of them reports this to the owner. */
export function admissionOf(delivery: LoadedDelivery, asked: number, now: number): Admission {
  const { status, dispatch, callbackUrl, definition, health } = delivery;
  const isCallback = callbackUrl !== null && (definition !== null || delivery.definitionId === null);
  const needed = isCallback ? 'not-needed' : (definition?.status ?? null);
  return admitDelivery({ status, dispatch, asked, definition: needed, health }, now);
}
