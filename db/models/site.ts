/** One data set: an account's stage. Its small integer id is what the big tables carry. */
import { Model, snakeCaseMappers } from 'objection';

export class Site extends Model {
  static override tableName = 'site';
  static override columnNameMappers = snakeCaseMappers();

  declare id: number;
  declare accountId: string;
  declare stage: string;
  declare definitionsVersion: number;
  declare nextNodeId: number;
  declare holdsItems: boolean;
  declare createdAt: Date;
}
