/** Finds, lists and shows attributes. */

import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import type { SiteContext } from '../../access/site-context.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { containsPattern } from '../../kernel/contains-text.js';
import type { Page, PageRequest } from '../../kernel/paging.js';
import { pastInstant } from '../../kernel/past-instant.js';
import type {
  AttributeDefinition,
  AttributeLocale,
  AttributeTypeName,
  AttributeValidation,
} from '../attribute-definition.js';

// Looks up attributes of a site as clients name them: by id or by name.

/** How a client names an attribute. */
export type AttributeReference = { readonly id: string } | { readonly name: string };

/** The attributes in the order of the references; undefined where the site has no such attribute. */
export async function findAttributes(
  db: Db,
  siteId: number,
  references: readonly AttributeReference[],
): Promise<(Attribute | undefined)[]> {
  const ids = references.flatMap((reference) => ('id' in reference ? [reference.id] : []));
  const keys = references.flatMap((reference) => ('name' in reference ? [attributeKey(reference.name)] : []));
  const rows = await Attribute.query(db)
    .where({ site_id: siteId })
    .where((query) => query.whereIn('id', ids).orWhereIn('name_key', keys));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byKey = new Map(rows.map((row) => [row.name_key, row]));
  return references.map((reference) =>
    'id' in reference ? byId.get(reference.id) : byKey.get(attributeKey(reference.name)),
  );
}

/** How a message names the attribute that a client meant. */
export function describeAttribute(reference: AttributeReference): string {
  return 'id' in reference ? `with the id ${reference.id}` : `"${reference.name}"`;
}

// Lists the attributes of a site, filtered and paged.

interface AttributeFilter {
  readonly ids?: readonly string[] | undefined;
  readonly names?: readonly string[] | undefined;
  readonly type?: AttributeTypeName | undefined;
  /** A part of the name or the description, in any case. */
  readonly keyword?: string | undefined;
}

/** One page by position. With a `date`, only attributes that were not changed after it. */
export async function listAttributes(
  db: Db,
  site: SiteContext,
  filter: AttributeFilter,
  page: PageRequest,
): Promise<Page<Attribute>> {
  const matching = Attribute.query(db).where({ site_id: site.siteId });
  if (site.date !== null) matching.where('updated_at', '<', pastInstant(site.date));
  if (filter.ids !== undefined) matching.whereIn('id', [...filter.ids]);
  if (filter.names !== undefined) matching.whereIn('name_key', filter.names.map(attributeKey));
  if (filter.type !== undefined) matching.where('type', filter.type);
  if (filter.keyword !== undefined) {
    const pattern = containsPattern(filter.keyword);
    matching.where((either) => {
      either.where('name', 'ilike', pattern).orWhereRaw("definition ->> 'description' ILIKE ?", [pattern]);
    });
  }
  const [count, rows] = await Promise.all([
    matching.clone().resultSize(),
    matching.orderBy(['position', 'id']).offset(page.offset).limit(page.limit),
  ]);
  return { rows, count };
}

// An attribute as the API shows it.

interface PresentedAttribute {
  id: string;
  name: string;
  type: string;
  description: string | null;
  textSubType: string | null;
  optionsType: string | null;
  options: string[] | null;
  serialStart: number | null;
  format: string | null;
  locales: AttributeLocale[];
  validation: AttributeValidation;
  createdOn: string;
  modifiedOn: string;
}

/** Fields that the attribute's type does not have are null. Times are ISO 8601 UTC. */
export function presentAttribute(
  definition: AttributeDefinition,
  createdAt: Date,
  updatedAt: Date,
): PresentedAttribute {
  return {
    id: definition.id,
    name: definition.name,
    type: definition.type,
    description: definition.description ?? null,
    textSubType: definition.textSubType ?? null,
    optionsType: definition.optionsType ?? null,
    options: definition.options ?? null,
    serialStart: definition.serialStart ?? null,
    format: definition.format ?? null,
    locales: definition.locales ?? [],
    validation: definition.validation,
    createdOn: createdAt.toISOString(),
    modifiedOn: updatedAt.toISOString(),
  };
}
