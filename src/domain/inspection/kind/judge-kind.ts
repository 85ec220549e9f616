/** Judges what kind of file it is: a file of stock that is taken for a catalog can disable a whole shop. */
import { quoted } from '../columns/sentences.js';
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';
import type { Column } from '../model/column.js';
import type { FileKind } from '../model/inspection.js';
import { googleColumns, type Role, roleOf } from './column-roles.js';
import { judgeOrders } from './judge-orders.js';
import type { KnownColumns } from './known-columns.js';

/** A file of stock or prices has few columns beside these. */
const MOST_OTHERS = 2;
/** So many columns about people, and none about goods, are a list of people. */
const LEAST_PERSONAL = 3;

/** What numbers the nodes of a tree, or says how deep they are. */
const OF_TREES =
  /^(?:categor(?:y|ia|ie)|cat[eé]gorie|kategorie|taxon)[\s_-]*(?:id|nr|code|nummer|number)\b|^(?:level|depth|ebene|niveau|nivel|livello)$/i;

type Judged = Pick<Column, 'name' | 'filled' | 'isBlank'>;

export function judgeKind(all: readonly Judged[]): Answer<FileKind> {
  // What begins with a sign is a remark for the reader, and not imported: `_supplier`.
  const names = all.filter(({ isBlank, name }) => !isBlank && !name.startsWith('_')).map(({ name }) => name);
  const roles = new Map<Role, string[]>();
  let others = 0;
  for (const name of names) {
    const role = roleOf(name);
    if (role === null) others += 1;
    else roles.set(role, [...(roles.get(role) ?? []), name]);
  }
  const has = (role: Role) => roles.has(role);
  const shown = (...wanted: Role[]) =>
    wanted
      .flatMap((role) => roles.get(role)?.slice(0, 1) ?? [])
      .map(quoted)
      .join(', ');
  const google = googleColumns(names);
  if (google.isTypical && google.count >= 5) {
    return certain<FileKind>(
      'googleFeed',
      `The file has ${google.count} columns of Google's product feeds, such as "image_link" and "availability".`,
    );
  }
  const orders = judgeOrders({ has, shown });
  if (orders !== null) return orders;
  const hasKey = has('key') || has('orderNumber');
  if (has('attribute') && has('valueType') && !hasKey && !has('price') && !has('stock')) {
    return certain<FileKind>('attributes', `The file describes attributes: ${shown('attribute', 'valueType')}.`);
  }
  const isGoods = hasKey || has('price') || has('stock') || has('category') || has('image');
  if ((roles.get('customer')?.length ?? 0) >= LEAST_PERSONAL && !isGoods) {
    return likely<FileKind>(
      'unknown',
      `The file has columns about people (${shown('customer')}), and none about items.`,
    );
  }
  const isCategories = (has('category') || has('parent')) && !has('price') && !has('stock') && !has('image');
  if (isCategories && others <= MOST_OTHERS && (has('parent') || !hasKey) && names.length <= 12) {
    const reason = `The file has columns of categories: ${shown('category', 'parent', 'name')}.`;
    return has('category') && has('parent')
      ? certain<FileKind>('categories', reason)
      : likely<FileKind>('categories', reason, ['items']);
  }
  // Items with parents have numbers of their own, and only those of trees are called nothing but ids.
  const isNumbered = (roles.get('key') ?? []).some((name) => !/^id$/i.test(name));
  if (has('parent') && !isNumbered && !has('price') && !has('stock') && names.some((name) => OF_TREES.test(name))) {
    const reason = `The file has columns of a tree: ${shown('parent', 'name')}, and neither prices nor stock.`;
    return likely<FileKind>('categories', reason, ['items']);
  }
  return judgeGoods({ has, shown }, hasKey, names.length, others);
}

/** Items, or what is only said about them: stock and prices. */
function judgeGoods({ has, shown }: KnownColumns, hasKey: boolean, count: number, others: number): Answer<FileKind> {
  const isNamed = has('name') || has('description');
  const key = has('key') ? shown('key') : shown('orderNumber');
  if (hasKey && !isNamed && others <= MOST_OTHERS && !has('category') && !has('image')) {
    const alone = alonePart({ has, shown }, key);
    if (alone !== null) return alone;
  }
  if (hasKey && (isNamed || has('category') || has('image') || others > MOST_OTHERS)) {
    const about = [key, shown('name', 'category', 'image', 'price')].filter((text) => text !== '').join(', ');
    const reason = `The file describes items: ${about}.`;
    return isNamed || has('category') ? certain<FileKind>('items', reason) : likely<FileKind>('items', reason);
  }
  if (isNamed && count >= 3)
    return likely<FileKind>(
      'items',
      `The file has names (${shown('name', 'description')}), but no column that is surely a key.`,
    );
  return likely<FileKind>('unknown', 'The names of the columns do not say what the file is about.');
}

function alonePart({ has, shown }: KnownColumns, key: string): Answer<FileKind> | null {
  const nothing = 'and nothing that describes items';
  if (has('stock') && has('price')) {
    const reason = `The file has stock and prices (${shown('stock', 'price')}) of ${key}, ${nothing}.`;
    return ambiguous<FileKind>('stock', reason, ['prices', 'items']);
  }
  // The number of an order may be meant by the same word as the number to order by.
  const isSure = has('key');
  if (has('stock')) {
    const reason = `The file has stock alone (${shown('stock')}) of ${key}, ${nothing}.`;
    return isSure ? certain<FileKind>('stock', reason) : likely<FileKind>('stock', reason, ['orders']);
  }
  if (has('price')) {
    const reason = `The file has prices alone (${shown('price')}) of ${key}, ${nothing}.`;
    return isSure ? certain<FileKind>('prices', reason) : likely<FileKind>('prices', reason, ['orders']);
  }
  if (!has('quantity')) return null;
  return likely<FileKind>('stock', `The file has a quantity alone (${shown('quantity')}) of ${key}.`, ['orders']);
}
