/** Reads which encoding an XML document says that it is in. */
import { leavesByteOrderOpen } from './encoding-names.js';

const DECLARATION = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']{1,100})["']/;

/**
 * The encoding of the XML declaration; undefined if there is none. Without a byte order mark, UTF-16 is known by how the
 * bytes of `<?` lie; a declaration that says UTF-16 in single bytes is wrong, and counts as none.
 * @param head the first bytes of the document
 */
export function declaredEncoding(head: Buffer): string | undefined {
  if (head[0] === 0x3c && head[1] === 0 && head[2] === 0x3f) return 'utf-16le';
  if (head[0] === 0 && head[1] === 0x3c && head[2] === 0) return 'utf-16be';
  const named = DECLARATION.exec(head.toString('latin1'))?.[1];
  if (named === undefined || /^utf-?16(?:le|be)?$/i.test(named) || leavesByteOrderOpen(named)) return undefined;
  return named;
}
