/** The paths of alternate trees: `ALTERNATE->` may stand before the root, as `PRIMARY->` before a top category. */
import { isId } from '../../kernel/identifier.js';
import { categoryKey } from './category-name.js';
import { formatPath, parsePath } from './category-path.js';

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
