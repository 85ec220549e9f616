/** Reads one item by its SKU. */
import type { Db } from '../../../../db/connection.js';
import type { SiteContext } from '../../access/site-context.js';
import { DomainError } from '../../kernel/errors.js';
import { type ItemDetail, loadItemDetails } from './item-details.js';
import { normalizeSku } from './item-key.js';
import { visibleItems } from './visible-items.js';

/**
 * The item, if it is visible in the context.
 * @throws DomainError not-found SKU_NOT_FOUND
 */
export async function findItem(db: Db, site: SiteContext, sku: string): Promise<ItemDetail> {
  const item = await visibleItems(db, site).findOne('item.sku', normalizeSku(sku));
  const [detail] = item === undefined ? [] : await loadItemDetails(db, site.siteId, [item]);
  if (detail === undefined) throw new DomainError('not-found', 'SKU_NOT_FOUND', `There is no item "${sku}".`);
  return detail;
}
