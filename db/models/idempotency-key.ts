/** What the first request with an Idempotency-Key was told. */
import { Model, snakeCaseMappers } from 'objection';

export class IdempotencyKey extends Model {
  static override tableName = 'idempotency_key';
  static override columnNameMappers = snakeCaseMappers();
  static override idColumn = ['account_id', 'key'];

  declare accountId: string;
  declare key: string;
  declare fingerprint: Buffer;
  declare status: number;
  declare body: unknown;
  declare jobId: string | null;
  declare createdAt: Date;
}
