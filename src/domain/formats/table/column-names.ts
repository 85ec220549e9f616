/** Names the columns of a table. */

/**
 * A name for each cell of a header, as OpenTable says. What the header itself says has precedence: beside `A`, `A` and
 * `A (2)`, the second column is `A (3)`.
 */
export function columnNames(header: readonly string[]): string[] {
  const written = header.map((cell) => cell.trim().normalize('NFC'));
  const reserved = new Set(written.map((name) => name.toLowerCase()));
  const taken = new Set<string>();
  /** The number that was tried last for a name, so that a thousand columns of one name are not tried a million times. */
  const lastNumbers = new Map<string, number>();
  return written.map((text, index) => {
    const name = text === '' ? `Column ${index + 1}` : text;
    const key = name.toLowerCase();
    const isFree = !taken.has(key) && (text !== '' || !reserved.has(key));
    let free = name;
    for (let number = lastNumbers.get(key) ?? 1; !isFree; ) {
      number += 1;
      free = `${name} (${number})`;
      lastNumbers.set(key, number);
      if (!taken.has(free.toLowerCase()) && !reserved.has(free.toLowerCase())) break;
    }
    taken.add(free.toLowerCase());
    return free;
  });
}
