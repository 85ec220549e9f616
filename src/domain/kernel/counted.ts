/** Counts in sentences. */

/** `1 row`, `2 rows`, `1 process`, `2 processes`. @param noun in the singular */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
}
