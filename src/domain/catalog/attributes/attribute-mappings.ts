/** Which attribute has which role of a site, such as the title: the rules, the list, and the change. */

import type { Db } from '../../../../db/connection.js';
import { AttributeMapping as MappingRow } from '../../../../db/models/attribute-mapping.js';
import { Item } from '../../../../db/models/item.js';
import type { ErrorProblem } from '../../kernel/errors.js';
import { DomainError } from '../../kernel/errors.js';
import type { AttributeDefinition, AttributeMapping } from '../attribute-definition.js';
import { ATTRIBUTE_MAPPINGS, ATTRIBUTE_TYPE_NAMES } from '../attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import { definitionFromColumns } from '../definition-snapshot.js';
import { bumpDefinitions } from '../definitions-version.js';
import { refuseWhileJobPending } from '../pending-job.js';
import type { AttributeType } from '../types/attribute-type.js';
import type { AttributeReference } from './read-attributes.js';
import { describeAttribute, findAttributes } from './read-attributes.js';

// The conditions on which an attribute can have a role (mapping) in its site.

/** Why an attribute cannot have the role; null when it can. */
export function mappingProblem(mapping: AttributeMapping, attribute: AttributeDefinition): string | null {
  const types = ATTRIBUTE_TYPE_NAMES.filter((name) => {
    const { mappings }: AttributeType = ATTRIBUTE_TYPES[name];
    return mappings.includes(mapping);
  });
  if (!types.includes(attribute.type)) {
    const accepted = types.join(' or ');
    return `"${mapping}" accepts an attribute of type ${accepted}, and "${attribute.name}" is ${attribute.type}`;
  }
  const { required = false, unique = false } = attribute.validation;
  if (mapping === 'sku' && !(required && unique)) {
    return `"sku" accepts only an attribute that is required and unique: set both in the validation of "${attribute.name}" first`;
  }
  return null;
}

// Lists the roles (mappings) of a site's attributes.

export interface MappedAttribute {
  readonly attributeId: string;
  /** The attribute's name. */
  readonly attribute: string;
  readonly mapping: AttributeMapping;
  readonly required: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** All mappings of the site, `sku` first. There are five at most. */
export async function listAttributeMappings(db: Db, siteId: number): Promise<MappedAttribute[]> {
  const rows = await MappingRow.query(db).where({ site_id: siteId }).withGraphFetched('attribute');
  const order: readonly string[] = ATTRIBUTE_MAPPINGS;
  return rows
    .sort((one, other) => order.indexOf(one.mapping) - order.indexOf(other.mapping))
    .map((row) => ({
      attributeId: row.attribute_id,
      attribute: row.attribute?.name ?? '',
      mapping: row.mapping as AttributeMapping,
      required: row.required,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }));
}

// Sets which attributes of a site have which roles (mappings): SKU, title, image, active flag, variant flag.

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
  trx: Db,
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

async function checkChanges(trx: Db, siteId: number, changes: readonly MappingChange[]): Promise<CheckedMapping[]> {
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
