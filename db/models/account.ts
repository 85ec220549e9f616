/** An account: who owns data sets, tokens and OAuth clients. */
import { Model } from 'objection';

export class Account extends Model {
  static override readonly tableName = 'account';

  declare id: string;
  declare name: string;
  declare created_at: Date;
}
