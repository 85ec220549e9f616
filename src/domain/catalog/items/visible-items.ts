/** The items of a site that a request can see. */
import type { QueryBuilder } from 'objection';
import type { Db } from '../../../../db/connection.js';
import { Item } from '../../../../db/models/item.js';
import type { SiteContext } from '../../access/site-context.js';

/** A query for the items of the context's channel and the untagged ones. Its `date` narrows lists only. */
export function visibleItems(db: Db, site: SiteContext): QueryBuilder<Item> {
  const query = Item.query(db).where('item.site_id', site.siteId);
  if (site.channel !== null) {
    const { channel } = site;
    query.where((tagged) => tagged.whereNull('item.channels').orWhereRaw('? = ANY (item.channels)', [channel]));
  }
  return query;
}
