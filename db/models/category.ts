/** A node of a category tree. `path` contains the node ids from the root to the node: /1/5/9/. */
import { Model } from 'objection';

export type CategoryTree = 'PRIMARY' | 'ALTERNATE';

export class Category extends Model {
  static override readonly tableName = 'category';

  declare id: string;
  declare site_id: number;
  declare node_id: number;
  declare parent_id: string | null;
  declare tree: CategoryTree;
  declare name: string;
  declare name_key: string;
  declare path: string;
  declare depth: number;
  declare sort_order: number;
  declare active: boolean;
  declare created_at: Date;
  declare updated_at: Date;
}
