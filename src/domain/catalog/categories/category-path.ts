/** The names of categories, and paths of names. */
import { attributeKey } from '../../kernel/attribute-key.js';
import { isId } from '../../kernel/identifier.js';

// The limits of category names, and when two names are equal.

export const MAX_CATEGORY_NAME_CHARACTERS = 255;

/** The name of the root of every primary tree. The roots of alternate trees may not have it. */
export const PRIMARY_ROOT_NAME = 'PRIMARY';

/** The key by which names are compared: trimmed, in NFC and case-folded, as for attribute names. */
export function categoryKey(name: string): string {
  return attributeKey(name);
}

// The text form of a category's place: names from the root down, joined by `->`.

const SEPARATOR = '->';
/** Backslashes right before a separator: each pair is one backslash, and an odd one escapes the separator. */
const SEPARATOR_OR_ESCAPED = /(\\*)->/g;

/**
 * Writes a path that parsePath reads back as the same (trimmed) names.
 * @param names the names from the root down
 */
export function formatPath(names: readonly string[]): string {
  const last = names.length - 1;
  return names.map((name, index) => escapeName(name, index === last)).join(SEPARATOR);
}

/** Splits a path into its names, trimmed. An empty name is kept: it matches no category. */
export function parsePath(text: string): string[] {
  const names: string[] = [];
  let name = '';
  let end = 0;
  for (const match of text.matchAll(SEPARATOR_OR_ESCAPED)) {
    const backslashes = match[1]?.length ?? 0;
    name += text.slice(end, match.index) + '\\'.repeat(Math.floor(backslashes / 2));
    end = match.index + match[0].length;
    if (backslashes % 2 === 1) {
      name += SEPARATOR;
    } else {
      names.push(name.trim());
      name = '';
    }
  }
  names.push((name + text.slice(end)).trim());
  return names;
}

function escapeName(name: string, isLast: boolean): string {
  const escaped = name.replace(SEPARATOR_OR_ESCAPED, (_, backslashes: string) => `${backslashes}${backslashes}\\->`);
  return isLast ? escaped : escaped.replace(/\\+$/, (backslashes) => backslashes + backslashes);
}

// The paths of alternate trees: `ALTERNATE->` may stand before the root, as `PRIMARY->` before a top category.

const ALTERNATE_TREES_NAME = 'ALTERNATE';
/** A node id as a text. */
export const NODE_ID = /^[1-9][0-9]{0,9}$/;

/**
 * Writes the path of a category of an alternate tree. `ALTERNATE->` precedes it where it could be read otherwise in this
 * or in another site: as a node id, as an id, or as a path that begins so.
 * @param names the names from the root down
 */
export function formatAlternatePath(names: readonly string[]): string {
  const [root = ''] = names;
  const couldBeAnId = names.length === 1 && (NODE_ID.test(root) || isId(root));
  return formatPath(couldBeAnId || isAlternateTrees(root) ? [ALTERNATE_TREES_NAME, ...names] : names);
}

/** What a text may mean as the path of a category of an alternate tree, the likelier first: names from the root down. */
export function parseAlternatePath(text: string): readonly (readonly string[])[] {
  const names = parsePath(text);
  const [first = '', ...rest] = names;
  return isAlternateTrees(first) && rest.length > 0 ? [rest, names] : [names];
}

function isAlternateTrees(name: string): boolean {
  return categoryKey(name) === categoryKey(ALTERNATE_TREES_NAME);
}

// The categories of alternate trees in one cell of a file of items: `Summer->Sale;Gifts`. In a path, a semicolon has a
// backslash before it; of backslashes right before a semicolon or the end of a path, each pair is one backslash.

const SEMICOLON_OR_ESCAPED = /(\\*);/g;

/** A path as an entry of the cell; entries are joined by semicolons. */
export function alternateCategoryEntry(path: string): string {
  return path.replace(SEMICOLON_OR_ESCAPED, '$1$1\\;').replace(/\\+$/, '$&$&');
}

/** The paths of a cell. Blank entries are left out. */
export function parseAlternateCategories(cell: string): string[] {
  const paths: string[] = [];
  let path = '';
  let end = 0;
  for (const match of cell.matchAll(SEMICOLON_OR_ESCAPED)) {
    const backslashes = match[1]?.length ?? 0;
    path += cell.slice(end, match.index) + '\\'.repeat(Math.floor(backslashes / 2));
    end = match.index + match[0].length;
    if (backslashes % 2 === 1) {
      path += ';';
    } else {
      paths.push(path);
      path = '';
    }
  }
  const rest = cell.slice(end);
  const trailing = /\\*$/.exec(rest)?.[0].length ?? 0;
  paths.push(path + rest.slice(0, rest.length - trailing) + '\\'.repeat(Math.ceil(trailing / 2)));
  return paths.map((one) => one.trim()).filter((one) => one !== '');
}
