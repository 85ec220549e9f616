/**
 * Judges whether a file has orders. `Bestellnummer`, `N° de commande` and their like are the number of an order, and also the
 * number by which a distributor's article is ordered: alone they say nothing.
 */
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';
import type { FileKind } from '../model/inspection.js';
import type { KnownColumns } from './known-columns.js';

/** @returns null when the file has none */
export function judgeOrders({ has, shown }: KnownColumns): Answer<FileKind> | null {
  const isOrder = has('order');
  if (!isOrder && !has('orderNumber')) return null;
  // What only those have who sell.
  const isCatalog = has('category') || has('image') || has('minimum');
  const reason = `The file has columns of orders: ${shown('order', 'orderNumber', 'customer', 'quantity', 'date')}.`;
  if (has('customer')) {
    return isCatalog ? likely<FileKind>('orders', reason, ['items']) : certain<FileKind>('orders', reason);
  }
  if (isOrder) return isCatalog ? null : likely<FileKind>('orders', reason, ['items']);
  if (isCatalog || has('description') || has('stock')) return null;
  const open = `${shown('orderNumber')} can be the number of an order, or the number by which an article is ordered.`;
  if (has('quantity') && (has('key') || has('date') || has('price'))) {
    const about = `${open} The file has ${shown('quantity', 'date', 'price')} besides, and no customers.`;
    return has('name') && has('price')
      ? ambiguous<FileKind>('items', about, ['orders'])
      : ambiguous<FileKind>('orders', about, [has('name') ? 'items' : 'stock']);
  }
  return null;
}
