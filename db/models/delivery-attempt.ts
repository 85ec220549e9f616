/** The outcome of one attempt of a delivery. */
import { Model } from 'objection';

export class DeliveryAttempt extends Model {
  static override readonly tableName = 'delivery_attempt';
  static override readonly idColumn = ['delivery_id', 'attempt'];

  declare delivery_id: string;
  declare attempt: number;
  declare outcome: string;
  declare status_code: number | null;
  declare error: string | null;
  declare duration_ms: number;
  declare response: string | null;
  declare triggered_at: Date;
  /** Of the definition, as it was then; null: an earlier release made the attempt, or the definition was deleted. */
  declare definition_version: number | null;
}
