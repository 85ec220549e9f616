/** A bearer token, of which only the SHA-256 digest is stored. `account_id` is null for operators' tokens. */
import { Model } from 'objection';

export class AccessToken extends Model {
  static override readonly tableName = 'access_token';

  declare id: string;
  declare digest: Buffer;
  declare account_id: string | null;
  declare name: string;
  declare scopes: string[];
  /** That of a person who was invited; null: a token of a program, or made by an operator. */
  declare role: string | null;
  /** Of a partner: the definition whose deliveries it receives; null: a token of the account itself. */
  declare webhook_id: string | null;
  declare may_replay: boolean | null;
  declare created_at: Date;
  declare expires_at: Date | null;
  declare revoked_at: Date | null;
  declare last_used_at: Date | null;
}
