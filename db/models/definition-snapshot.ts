/** The definitions of a site at one version. */
import { Model } from 'objection';

export class DefinitionSnapshot extends Model {
  static override readonly tableName = 'definition_snapshot';
  static override readonly idColumn = ['site_id', 'version'];

  declare site_id: number;
  declare version: number;
  /** Its schema is in src/domain/catalog/definition-snapshot.ts. */
  declare content: unknown;
  declare created_at: Date;
}
