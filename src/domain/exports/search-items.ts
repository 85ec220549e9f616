/** Searches the items of a site by the conditions of exports, for people who look at them: each answer comes soon. */
import type { Db } from '../../../db/connection.js';
import { AttributeMapping } from '../../../db/models/attribute-mapping.js';
import { type Sql, sql } from '../../../db/sql.js';
import type { SiteContext } from '../access/site-context.js';
import { normalizeSku } from '../catalog/items/item-key.js';
import type { AttributeDefinition } from '../catalog/model/attribute-definition.js';
import { DomainError, type ErrorProblem } from '../kernel/errors.js';
import { itemCondition } from './items/item-condition.js';
import { KnownAttributes, unknownAttribute } from './match/known-attributes.js';
import type { ItemMatch } from './model/export-spec.js';
import { type ShownItem, shownItems } from './search/shown-items.js';
import { goesUp, type WalkFrom, walkItems } from './search/walk-items.js';

/** What items are searched for: all of it applies. */
interface ItemSearch {
  readonly match: ItemMatch;
  /** A part of the SKU or of the title, in any case. */
  readonly q?: string | undefined;
  /** How the SKU begins. */
  readonly skuPrefix?: string | undefined;
}

interface ItemPage {
  /** By SKU, in byte order, also where the search goes downwards. */
  readonly items: readonly ShownItem[];
  /** Where the search goes on; null: there is nothing further. A page with fewer items than asked for may have one. */
  readonly next: WalkFrom | null;
}

interface PageRequest {
  readonly from: WalkFrom;
  readonly limit: number;
  /** Whose values are shown, besides title and image. */
  readonly shown: readonly AttributeDefinition[];
}

/** One page of the items that match, or what could be found in the time that an answer may take. */
export async function searchItems(
  db: Db,
  site: SiteContext,
  search: ItemSearch,
  { from, limit, shown }: PageRequest,
): Promise<ItemPage> {
  const { condition, prefix, mapped } = await prepare(db, site, search);
  const skus: string[] = [];
  const next = await walkItems<string[]>(db, {
    siteId: site.siteId,
    from,
    prefix,
    look: (items, order) =>
      sql`ARRAY(SELECT i.sku FROM ${items} WHERE ${condition} ORDER BY i.sku ${order} LIMIT ${limit + 1 - skus.length})`,
    found: (more) => skus.push(...more) <= limit,
  });
  const isUp = goesUp(from);
  const page = skus.slice(0, limit);
  const last = page.at(-1) ?? '';
  const items = await shownItems(db, site.siteId, isUp ? page : page.toReversed(), { shown, mapped });
  const goesOn = skus.length > limit ? (isUp ? { after: last } : { before: last }) : next;
  return { items, next: goesOn };
}

/** Counts the items that match, as far as it comes in the time that an answer may take. */
export async function countItems(
  db: Db,
  site: SiteContext,
  search: ItemSearch,
  from: WalkFrom,
): Promise<{ readonly count: number; readonly next: WalkFrom | null }> {
  const { condition, prefix } = await prepare(db, site, search);
  let count = 0;
  const next = await walkItems<number>(db, {
    siteId: site.siteId,
    from,
    prefix,
    look: (items) => sql`(SELECT count(*) FROM ${items} WHERE ${condition})`,
    found: (more) => {
      count += more;
      return true;
    },
  });
  return { count, next };
}

/** @throws DomainError invalid ATTRIBUTE_NOT_FOUND, with one problem for each name that no attribute has */
export function attributesNamed(
  names: readonly string[],
  attributes: readonly AttributeDefinition[],
): readonly AttributeDefinition[] {
  const known = new KnownAttributes(attributes);
  const problems: ErrorProblem[] = [];
  const found = names.flatMap((name, index) => {
    const attribute = known.byName(name);
    if (attribute === undefined) problems.push(unknownAttribute(`attributes.${index}`, name, known.hints));
    return attribute ?? [];
  });
  const [first] = problems;
  if (first === undefined) return found;
  throw new DomainError('invalid', first.code, `${first.path}: ${first.message}`, { problems });
}

interface Prepared {
  /** Over `item AS i`. */
  readonly condition: Sql;
  readonly prefix: string | undefined;
  /** What is shown as title and image. */
  readonly mapped: readonly Pick<AttributeDefinition, 'id' | 'name'>[];
}

async function prepare(db: Db, site: SiteContext, { match, q, skuPrefix }: ItemSearch): Promise<Prepared> {
  const mappings = await AttributeMapping.query(db)
    .where({ site_id: site.siteId })
    .whereIn('mapping', ['title', 'image'])
    .withGraphFetched('attribute');
  const title = mappings.find(({ mapping }) => mapping === 'title')?.attribute_id;
  const searched = q === undefined ? match : { ...match, words: { text: q, titleId: title } };
  const scope = { siteId: site.siteId, channel: site.channel, date: site.date?.toISOString() ?? null, match: searched };
  return {
    condition: itemCondition(scope),
    prefix: skuPrefix === undefined ? undefined : normalizeSku(skuPrefix),
    mapped: mappings.flatMap(({ attribute }) => attribute ?? []),
  };
}
