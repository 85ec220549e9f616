/** The delivery of one event to one destination: a definition's target, or a callback URL. */
import { Model } from 'objection';

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'DEAD' | 'CANCELLED';
/** The queue of its attempts: first attempts, or retries and replays. */
export type DeliveryLane = 'first' | 'again';

export class Delivery extends Model {
  static override readonly tableName = 'delivery';

  declare id: string;
  declare event_id: string;
  declare definition_id: string | null;
  declare callback_url: string | null;
  declare site_id: number;
  declare status: DeliveryStatus;
  declare lane: DeliveryLane;
  declare attempts: number;
  declare round_start: number;
  declare next_attempt_at: Date | null;
  declare dispatch: number;
  declare dispatched_at: Date | null;
  declare status_code: number | null;
  declare created_at: Date;
  declare completed_at: Date | null;
  /** Deliveries of one definition with the same key are attempted in order; null: this one has no order. */
  declare order_key: string | null;
  /** A bigint, as text. */
  declare order_no: string | null;
  /** The delivery of the same key whose end makes this one due; null: it does not wait for one. */
  declare waits_behind: string | null;
}
