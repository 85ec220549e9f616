/** One data set: an account's stage. Its small integer id is what the big tables carry. */
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
