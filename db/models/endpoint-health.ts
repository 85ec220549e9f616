/** The health of a definition's endpoint: its circuit breaker, pauses and consecutive failures. */
import { Model } from 'objection';

export class EndpointHealth extends Model {
  static override readonly tableName = 'endpoint_health';
  static override readonly idColumn = 'definition_id';

  declare definition_id: string;
  declare failure_streak: number;
  declare failed_deliveries: number;
  declare failing_since: Date | null;
  /** How many notices the owner got since then. */
  declare notices: number;
  declare window_began_at: Date | null;
  declare window_attempts: number;
  declare window_failures: number;
  declare open_until: Date | null;
  declare openings: number;
  declare paused_until: Date | null;
  declare probing_since: Date | null;
  /** The last failed attempt, in words. */
  declare last_error: string | null;
  declare last_error_at: Date | null;
  declare updated_at: Date;
}
