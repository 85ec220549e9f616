/** The response to the first request with an Idempotency-Key. */
import { Model } from 'objection';

export class IdempotencyKey extends Model {
  static override readonly tableName = 'idempotency_key';
  static override readonly idColumn = ['account_id', 'key'];

  declare account_id: string;
  declare key: string;
  declare fingerprint: Buffer;
  declare status: number;
  /** The JSON text of the response, in a JSON string. */
  declare body: string;
  declare job_id: string | null;
  declare created_at: Date;
}
