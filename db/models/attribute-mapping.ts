/** The role of an attribute in its site: key, title, image and so on. */
import { Model } from 'objection';
import { Attribute } from './attribute.js';

export class AttributeMapping extends Model {
  static override readonly tableName = 'attribute_mapping';
  static override readonly idColumn = ['site_id', 'mapping'];

  declare site_id: number;
  declare mapping: string;
  declare attribute_id: string;
  declare required: boolean;
  declare created_at: Date;
  declare updated_at: Date;
  declare attribute?: Attribute;

  static override readonly relationMappings = {
    attribute: {
      relation: Model.BelongsToOneRelation,
      modelClass: Attribute,
      join: { from: 'attribute_mapping.attribute_id', to: 'attribute.id' },
    },
  };
}
