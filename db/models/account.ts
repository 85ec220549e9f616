/** An account, which owns sites, tokens and OAuth clients. */
import { Model } from 'objection';

export class Account extends Model {
  static override readonly tableName = 'account';

  declare id: string;
  declare name: string;
  declare created_at: Date;
  /** What becomes of the jobs behind a failed job of the same site. */
  declare after_failure: 'continue' | 'pause';
  /** The quotas of the account; null: none. */
  declare quotas: object | null;
  /** Signs job callbacks; stored encrypted. Null until it is needed. */
  declare callback_secret: string | null;
  declare previous_callback_secret: string | null;
  declare previous_callback_secret_until: Date | null;
}
