/** Judges what kind of file it is: a file of stock that is taken for a catalog can disable a whole shop. */
import { quoted } from '../columns/sentences.js';
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';
import type { Column } from '../model/column.js';
import type { FileKind } from '../model/inspection.js';
import { googleColumns, type Role, roleOf } from './column-roles.js';

/** A file of stock or prices has few columns beside these. */
const MOST_OTHERS = 2;

type Judged = Pick<Column, 'name' | 'filled' | 'isBlank'>;

export function judgeKind(all: readonly Judged[]): Answer<FileKind> {
  const columns = all.filter(({ isBlank }) => !isBlank);
  const roles = new Map<Role, string[]>();
  let others = 0;
  for (const { name } of columns) {
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
  const google = googleColumns(columns.map(({ name }) => name));
  if (google.isTypical && google.count >= 5) {
    return certain<FileKind>(
      'googleFeed',
      `The file has ${google.count} columns of Google's product feeds, such as "image_link" and "availability".`,
    );
  }
  if (has('order') && (has('customer') || has('quantity') || has('date'))) {
    return certain<FileKind>(
      'orders',
      `The file has columns of orders: ${shown('order', 'customer', 'quantity', 'date')}.`,
    );
  }
  if (has('attribute') && has('valueType') && !has('price') && !has('stock')) {
    return certain<FileKind>('attributes', `The file describes attributes: ${shown('attribute', 'valueType')}.`);
  }
  const isCategories = (has('category') || has('parent')) && !has('price') && !has('stock') && !has('image');
  if (isCategories && others <= MOST_OTHERS && (has('parent') || !has('key')) && columns.length <= 12) {
    const reason = `The file has columns of categories: ${shown('category', 'parent', 'name')}.`;
    return has('category') && has('parent')
      ? certain<FileKind>('categories', reason)
      : likely<FileKind>('categories', reason, ['items']);
  }
  const isNamed = has('name') || has('description');
  if (has('key') && !isNamed && others <= MOST_OTHERS && !has('category') && !has('image')) {
    if (has('stock') && has('price')) {
      const reason = `The file has stock and prices (${shown('stock', 'price')}) of ${shown('key')}, and nothing that describes items.`;
      return ambiguous<FileKind>('stock', reason, ['prices', 'items']);
    }
    if (has('stock'))
      return certain<FileKind>(
        'stock',
        `The file has stock alone (${shown('stock')}) of ${shown('key')}, and nothing that describes items.`,
      );
    if (has('price'))
      return certain<FileKind>(
        'prices',
        `The file has prices alone (${shown('price')}) of ${shown('key')}, and nothing that describes items.`,
      );
    if (has('quantity'))
      return likely<FileKind>('stock', `The file has a quantity alone (${shown('quantity')}) of ${shown('key')}.`, [
        'orders',
      ]);
  }
  if (has('key') && (isNamed || has('category') || has('image') || others > MOST_OTHERS)) {
    const reason = `The file describes items: ${shown('key', 'name', 'category', 'image', 'price')}.`;
    return isNamed || has('category') ? certain<FileKind>('items', reason) : likely<FileKind>('items', reason);
  }
  if (isNamed && columns.length >= 3)
    return likely<FileKind>(
      'items',
      `The file has names (${shown('name', 'description')}), but no column that is surely a key.`,
    );
  return likely<FileKind>('unknown', 'The names of the columns do not say what the file is about.');
}
