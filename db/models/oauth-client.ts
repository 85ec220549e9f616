/** A client of POST /oauth2/token; only the SHA-256 digest of its secret is stored. */
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
  declare last_used_at: Date | null;
}
