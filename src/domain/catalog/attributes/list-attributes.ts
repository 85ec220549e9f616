/** Lists the attributes of a site, filtered and paged. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import type { SiteContext } from '../../access/site-context.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { containsPatterns } from '../../kernel/contains-text.js';
import type { Page, PageRequest } from '../../kernel/paging.js';
import { pastInstant } from '../../kernel/past-instant.js';
import type { AttributeTypeName } from '../model/attribute-definition.js';

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
    const patterns = containsPatterns(filter.keyword);
    matching.where((either) => {
      either
        .whereRaw('name ILIKE ANY(?)', [patterns])
        .orWhereRaw("definition ->> 'description' ILIKE ANY(?)", [patterns]);
    });
  }
  const [count, rows] = await Promise.all([
    matching.clone().resultSize(),
    matching.orderBy(['position', 'id']).offset(page.offset).limit(page.limit),
  ]);
  return { rows, count };
}
