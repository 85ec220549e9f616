/** Which paths of a JSON or XML file the rules of a profile mean, besides those that they name. */
import { attributeKey } from '../../kernel/attribute-key.js';

const NUMBER = /\/\d+(?=\/|$)/g;
const SELECTOR = /\[(?:[^\]\\]|\\.)*\]/g;

/**
 * A path without numbers and selectors means all values there: `images/url` means `images/0/url`, and what stands alone
 * has the number 0.
 * @param named the paths that rules name
 */
export function pathsMeant(named: readonly string[]): (path: string) => boolean {
  const general = new Set<string>();
  const numbered = new Set<string>();
  for (const path of named) {
    const plain = plainPath(path);
    (plain === attributeKey(path) ? general : numbered).add(plain);
  }
  return (path) => {
    const plain = plainPath(path);
    return general.has(plain) || (plain === attributeKey(path) && numbered.has(plain));
  };
}

function plainPath(path: string): string {
  return attributeKey(path.replace(SELECTOR, '').replace(NUMBER, ''));
}
