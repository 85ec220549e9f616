/** An event, to which webhook definitions may subscribe. Clients know its id as eventRequestId. */
import { Model } from 'objection';

export class Event extends Model {
  static override readonly tableName = 'event';

  declare id: string;
  declare site_id: number;
  declare account_id: string;
  declare source: string;
  declare event: string;
  declare channel: number | null;
  declare order_number: string | null;
  /** The type and id of the document that the event is about; null: about none. */
  declare document: string | null;
  /** Orders the events of a key. A bigint, as text; null: emitted before there was an order, or to an owner only. */
  declare order_no: string | null;
  /** A JSON text. */
  declare payload: string;
  /** The W3C trace context of the request or job that it comes from, which deliveries carry on; null: none. */
  declare traceparent: string | null;
  declare triggered_at: Date;
  declare deliveries: number;
  declare fan_out_after: string | null;
  declare dispatch: number;
  declare dispatched_at: Date | null;
  declare fan_out_attempts: number;
  /** How often the fan-out has ended a process in which nothing else ran; null: it was never found without its worker. */
  declare fan_out_deaths: number | null;
  /** Why the fan-out was stopped before all subscribers had their delivery; null: it was not. */
  declare fan_out_error: string | null;
  /** When the fan-out ended, or was stopped. */
  declare fanned_out_at: Date | null;
  /** Null: the payload is as it was emitted. */
  declare contacts_erased_at: Date | null;
}
