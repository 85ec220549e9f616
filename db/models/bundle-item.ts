/** The quantity of one item or bundle in a bundle. There are no foreign keys, as with item. */
import { Model } from 'objection';

export class BundleItem extends Model {
  static override readonly tableName = 'bundle_item';
  static override readonly idColumn = ['site_id', 'bundle_sku', 'position'];

  declare site_id: number;
  declare bundle_sku: string;
  /** From 0, in the order in which the bundle's items were given. */
  declare position: number;
  declare sku: string;
  /** At least 1. */
  declare quantity: number;
}
