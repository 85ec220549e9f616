/** Reads the place of a category from the paths and names in rows. */
import type { CategoryTree } from '../../../../db/models/category.js';
import { isStorable } from '../../kernel/characters.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted, ValueProblem } from '../../kernel/value-problem.js';
import type { CategoryPlace } from './category-input.js';
import { categoryKey, MAX_CATEGORY_NAME_CHARACTERS, PRIMARY_ROOT_NAME } from './category-name.js';
import { parsePath } from './category-path.js';
import { MAX_CATEGORY_DEPTH } from './category-rules.js';

const PRIMARY_KEY = categoryKey(PRIMARY_ROOT_NAME);

/**
 * The place that a path names. In the primary tree, a first name `PRIMARY` is the root and may be left out, so a top
 * category of that name is written `PRIMARY->PRIMARY`.
 * @param column the column or field that holds the path
 */
export function placeOfPath(
  text: string,
  tree: CategoryTree,
  column: string,
): Extract<CategoryPlace, { tree: CategoryTree }> | RowProblem {
  const given = parsePath(text);
  const names: string[] = [];
  for (const name of given) {
    const checked = checkCategoryName(name, column);
    if (typeof checked === 'object') return checked;
    names.push(checked);
  }
  if (tree === 'PRIMARY' && categoryKey(names[0] ?? '') === PRIMARY_KEY) names.shift();
  const levels = tree === 'PRIMARY' ? names.length : names.length - 1;
  if (levels <= MAX_CATEGORY_DEPTH) return { tree, names };
  const message = `the path has ${levels} levels below the root; at most ${MAX_CATEGORY_DEPTH} are allowed`;
  return new ValueProblem('CATEGORY_TOO_DEEP', message, text).at(column);
}

/** The name as it is stored, trimmed and in NFC, or what is wrong with it. */
export function checkCategoryName(given: string, column: string): string | RowProblem {
  const name = given.trim().normalize('NFC');
  if (name === '') {
    const message = 'a category has no name: write one between all arrows of the path';
    return { code: 'NAME_REQUIRED', column, message };
  }
  if (!isStorable(name)) {
    const message = `the name ${quoted(name)} holds a NUL character or half of a surrogate pair: remove it`;
    return new ValueProblem('INVALID_TEXT', message, given).at(column);
  }
  const characters = name.length <= MAX_CATEGORY_NAME_CHARACTERS ? name.length : [...name].length;
  if (characters <= MAX_CATEGORY_NAME_CHARACTERS) return name;
  const message = `the name ${quoted(name)} has ${characters} characters; at most ${MAX_CATEGORY_NAME_CHARACTERS} are allowed`;
  return new ValueProblem('FIELD_INVALID', message, given).at(column);
}

export function given<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null && value !== '';
}
