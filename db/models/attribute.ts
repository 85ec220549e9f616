/** An item attribute of a site: a product's property and the rules of its values. */
import { Model } from 'objection';

export class Attribute extends Model {
  static override readonly tableName = 'attribute';

  declare id: string;
  declare site_id: number;
  declare name: string;
  declare name_key: string;
  declare type: string;
  declare position: number;
  declare definition: Record<string, unknown>;
  declare serial_next: number | null;
  declare created_at: Date;
  declare updated_at: Date;
}
