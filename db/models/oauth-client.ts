/** A client of POST /oauth2/token; its secret is known by its SHA-256 digest only. */
import { Model } from 'objection';

export class OauthClient extends Model {
  static override readonly tableName = 'oauth_client';

  declare id: string;
  declare secret_digest: Buffer;
  declare account_id: string;
  declare name: string;
  declare scopes: string[];
  declare created_at: Date;
  declare revoked_at: Date | null;
}
