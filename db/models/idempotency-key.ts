/** What the first request with an Idempotency-Key was told. */
import { Model } from 'objection';

export class IdempotencyKey extends Model {
  static override readonly tableName = 'idempotency_key';
  static override readonly idColumn = ['account_id', 'key'];

  declare account_id: string;
  declare key: string;
  declare fingerprint: Buffer;
  declare status: number;
  /** The answer's JSON text, in a JSON string. */
  declare body: string;
  declare job_id: string | null;
  declare created_at: Date;
}
