/** An account: who owns data sets, tokens and OAuth clients. */
import { Model, snakeCaseMappers } from 'objection';

export class Account extends Model {
  static override tableName = 'account';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare name: string;
  declare createdAt: Date;
}
