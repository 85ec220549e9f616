/** One data set: a stage of an account. Large tables refer to it by its small integer id. */
import { Model } from 'objection';

export class Site extends Model {
  static override readonly tableName = 'site';

  declare id: number;
  declare account_id: string;
  declare stage: string;
  declare definitions_version: number;
  declare next_node_id: number;
  declare holds_items: boolean;
  declare created_at: Date;
}
