/** A file that a client uploads or downloads. Its bytes are in the file store. */
import { Model } from 'objection';

export type FileStatus = 'AWAITING_UPLOAD' | 'UPLOADED' | 'EXPIRED' | 'DELETED';

export class File extends Model {
  static override readonly tableName = 'file';

  declare id: string;
  declare site_id: number;
  /** Null: not announced by a client. */
  declare account_id: string | null;
  declare type: string;
  declare name: string;
  declare locale: string | null;
  declare status: FileStatus;
  declare storage_key: string | null;
  declare content_type: string | null;
  declare bytes: number | null;
  declare job_id: string | null;
  declare created_at: Date;
  declare uploaded_at: Date | null;
  declare expires_at: Date | null;
  /** How long it is held after its upload, for its client to say how it is to be imported. Null: it is imported at once. */
  declare hold_hours: number | null;
  /** When to look next for an upload that the client puts into the file store itself; null: never. */
  declare look_at: Date | null;
}
