/** Takes an event that a client emits. */
import type { Db } from '../../../../db/connection.js';
import type { Dispatch } from '../../../queues/outbox.js';
import { DomainError } from '../../kernel/errors.js';
import { type EventOrigin, emitEvents, MAX_PAYLOAD_BYTES } from './emit-event.js';

export interface ClientEvent {
  readonly source: string;
  readonly event: string;
  /** Any JSON value. */
  readonly payload: unknown;
  readonly channel: number | null;
  readonly orderNumber?: string | null | undefined;
}

export interface AcceptedEvent {
  readonly eventRequestId: string;
  readonly deliveries: number;
  /** What to enqueue once `trx` has committed. */
  readonly dispatches: Dispatch[];
}

/** @throws DomainError too-large (payload) */
export async function acceptEvent(
  trx: Db,
  origin: EventOrigin,
  { payload, ...event }: ClientEvent,
): Promise<AcceptedEvent> {
  const text = JSON.stringify(payload);
  if (Buffer.byteLength(text, 'utf8') > MAX_PAYLOAD_BYTES) {
    const message = `payload: is larger than ${MAX_PAYLOAD_BYTES / 1024} kB; send what receivers need to look the rest up`;
    throw new DomainError('too-large', 'PAYLOAD_TOO_LARGE', message);
  }
  const { siteId, accountId } = origin;
  const { eventIds, deliveries, dispatches } = await emitEvents(trx, { siteId, accountId }, [
    { ...event, payload: text },
  ]);
  return { eventRequestId: eventIds[0] ?? '', deliveries, dispatches };
}
