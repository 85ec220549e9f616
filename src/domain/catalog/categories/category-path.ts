/** The text form of a category's place: names from the root down, joined by `->`. */
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
