/** Sets which attributes of a site have which roles (mappings): SKU, title, image, active flag, variant flag. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { AttributeMapping as MappingRow } from '../../../../db/models/attribute-mapping.js';
import { Item } from '../../../../db/models/item.js';
import { DomainError, type ErrorProblem } from '../../kernel/errors.js';
import { definitionFromColumns } from '../attribute-record.js';
import { bumpDefinitions } from '../definitions-version.js';
import type { AttributeMapping } from '../model/attribute-definition.js';
import { refuseWhileJobPending } from '../pending-job.js';
import { type AttributeReference, describeAttribute, findAttributes } from './attribute-reference.js';
import { listAttributeMappings, type MappedAttribute } from './list-attribute-mappings.js';
import { mappingProblem } from './mapping-problem.js';

interface MappingChange {
  readonly mapping: AttributeMapping;
  readonly attribute: AttributeReference;
  /** Shown with the mapping. For `sku` it is always true; for others, undefined is false. */
  readonly required?: boolean | undefined;
}

/**
 * Sets all mappings or none and returns them in the order of the request. Each replaces the previous mapping of its
 * role.
 * @throws DomainError conflict JOB_PENDING while an attribute or item job is in the site's ordering queue; invalid
 *   SITE_HOLDS_ITEMS, or one problem for each wrong mapping (ATTRIBUTE_NOT_FOUND, MAPPING_NAMED_TWICE,
 *   MAPPING_NOT_POSSIBLE)
 */
export async function setAttributeMappings(
  db: Db,
  siteId: number,
  changes: readonly MappingChange[],
): Promise<MappedAttribute[]> {
  return db.transaction(async (trx) => {
    await bumpDefinitions(trx, siteId);
    await refuseWhileJobPending(trx, siteId, ['attribute', 'item'], 'Changing the attribute mapping');
    await writeAttributeMappings(trx, siteId, changes);
    const all = await listAttributeMappings(trx, siteId);
    return changes.flatMap(({ mapping }) => all.find((mapped) => mapped.mapping === mapping) ?? []);
  });
}

/**
 * The change itself, for a caller that has incremented the version of the definitions and runs exclusively in the site:
 * an attribute job.
 * @throws DomainError invalid, as setAttributeMappings
 */
export async function writeAttributeMappings(
  trx: Knex.Transaction,
  siteId: number,
  changes: readonly MappingChange[],
  removed: readonly AttributeMapping[] = [],
): Promise<void> {
  const item = await Item.query(trx).findOne({ site_id: siteId }).select('sku').limit(1);
  if (item !== undefined) {
    const message =
      'The site contains items, which depend on the current mapping: it can be changed only while there are none.';
    throw new DomainError('invalid', 'SITE_HOLDS_ITEMS', message);
  }
  if (removed.length > 0)
    await MappingRow.query(trx)
      .delete()
      .where({ site_id: siteId })
      .whereIn('mapping', [...removed]);
  const rows = await checkChanges(trx, siteId, changes);
  for (const row of rows) {
    await MappingRow.query(trx)
      .insert(row)
      .onConflict(['site_id', 'mapping'])
      .merge({ attribute_id: row.attribute_id, required: row.required, updated_at: trx.fn.now() });
  }
}

interface CheckedMapping {
  readonly site_id: number;
  readonly mapping: AttributeMapping;
  readonly attribute_id: string;
  readonly required: boolean;
}

async function checkChanges(
  trx: Knex.Transaction,
  siteId: number,
  changes: readonly MappingChange[],
): Promise<CheckedMapping[]> {
  const references = changes.map((change) => change.attribute);
  const attributes = await findAttributes(trx, siteId, references);
  const problems: ErrorProblem[] = [];
  const checked = new Map<AttributeMapping, CheckedMapping>();
  changes.forEach(({ mapping, attribute: named, required = mapping === 'sku' }, index) => {
    const attribute = attributes[index];
    const path = `mappings.${index}`;
    const problem = (code: string, message: string) => problems.push({ index, path, code, message });
    if (attribute === undefined) {
      problem('ATTRIBUTE_NOT_FOUND', `There is no attribute ${describeAttribute(named)}.`);
      return;
    }
    if (checked.has(mapping)) problem('MAPPING_NAMED_TWICE', `"${mapping}" is named twice: map it to one attribute.`);
    const unfit = mappingProblem(mapping, definitionFromColumns(attribute));
    if (unfit !== null) problem('MAPPING_NOT_POSSIBLE', `${unfit}.`);
    if (mapping === 'sku' && !required) problem('MAPPING_NOT_POSSIBLE', '"sku" is always required.');
    checked.set(mapping, { site_id: siteId, mapping, attribute_id: attribute.id, required });
  });
  const [first] = problems;
  if (first !== undefined) throw new DomainError('invalid', first.code, first.message, { problems });
  return [...checked.values()];
}
