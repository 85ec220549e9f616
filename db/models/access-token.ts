/** A bearer token, known by its SHA-256 digest only. `accountId` is null for operators' tokens. */
import { Model, snakeCaseMappers } from 'objection';

export class AccessToken extends Model {
  static override tableName = 'access_token';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare digest: Buffer;
  declare accountId: string | null;
  declare name: string;
  declare scopes: string[];
  declare createdAt: Date;
  declare expiresAt: Date | null;
  declare revokedAt: Date | null;
}
