/** An item of a site, keyed by its SKU. It has no foreign keys: they would cost a third of the speed of imports. */
import { Model } from 'objection';

/** I: an item; B: a bundle. */
export type ItemTypeCode = 'I' | 'B';
/** L: live; D: draft. */
export type ItemStatusCode = 'L' | 'D';

export class Item extends Model {
  static override readonly tableName = 'item';
  static override readonly idColumn = ['site_id', 'sku'];

  declare site_id: number;
  declare sku: string;
  declare row_no: number;
  declare type: ItemTypeCode;
  declare status: ItemStatusCode;
  declare node_id: number | null;
  declare parent_sku: string | null;
  /** Null when it has no channels: it is then visible in every channel. */
  declare channels: number[] | null;
  /** Values by attribute id. */
  declare attributes: Record<string, unknown>;
  declare source_hash: number | null;
  declare created_at: Date;
  declare updated_at: Date;
  /** When a row has last written it, if its status alone was recomputed since then. */
  declare rows_updated_at: Date | null;
}
