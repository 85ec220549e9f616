/** A notification that was sent. */
import { Model } from 'objection';

export class Notification extends Model {
  static override readonly tableName = 'notification';

  declare id: string;
  declare site_id: number;
  declare account_id: string;
  declare document_type: string;
  declare document_id: string;
  declare notification_type: string;
  declare override_contact_info: unknown[] | null;
  declare event_id: string | null;
  declare dedupe_digest: Buffer | null;
  declare created_at: Date;
}
