/** The assignment of an attribute to a category, which the categories below it inherit. */
import { Model } from 'objection';

export class CategoryAttribute extends Model {
  static override readonly tableName = 'category_attribute';
  static override readonly idColumn = ['category_id', 'attribute_id'];

  declare category_id: string;
  declare attribute_id: string;
  declare mandatory: boolean;
  declare position: number;
}
