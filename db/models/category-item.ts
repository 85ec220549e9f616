/** The assignment of an item to a category of an alternate tree. */
import { Model } from 'objection';

export class CategoryItem extends Model {
  static override readonly tableName = 'category_item';
  static override readonly idColumn = ['category_id', 'sku'];

  declare category_id: string;
  declare site_id: number;
  declare sku: string;
  declare created_at: Date;
}
