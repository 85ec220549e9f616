/** A client of POST /oauth2/token; its secret is known by its SHA-256 digest only. */
import { Model, snakeCaseMappers } from 'objection';

export class OauthClient extends Model {
  static override tableName = 'oauth_client';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare secretDigest: Buffer;
  declare accountId: string;
  declare name: string;
  declare scopes: string[];
  declare createdAt: Date;
  declare revokedAt: Date | null;
}
