/** A document that notifications may be about, with an id of the client. */
import { Model } from 'objection';

export class Document extends Model {
  static override readonly tableName = 'document';
  static override readonly idColumn = ['site_id', 'document_type', 'id'];
  static override readonly jsonAttributes = ['contact_info'];

  declare site_id: number;
  declare document_type: string;
  declare id: string;
  declare account_id: string;
  declare channel: number | null;
  /** A JSON text. */
  declare payload: string | null;
  declare contact_info: unknown[] | null;
  declare created_at: Date;
  declare updated_at: Date;
}
