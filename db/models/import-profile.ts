/** A profile by which files are imported. Its documents are in import_profile_version. */
import { Model } from 'objection';

export class ImportProfile extends Model {
  static override readonly tableName = 'import_profile';

  declare id: string;
  declare site_id: number;
  declare name: string;
  /** The name in the form in which names are compared. */
  declare name_key: string;
  declare file_type: string;
  /** The newest version. */
  declare version: number;
  declare created_at: Date;
  declare updated_at: Date;
}
