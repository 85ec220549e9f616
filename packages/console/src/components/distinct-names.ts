/** Names for the controls in the rows of a list: whoever hears one of them knows which row it belongs to. */

/**
 * A name for each row, of which no two are equal.
 * @param nameOf what names the row for people
 * @param moreOf what else is said of rows that are called the same, such as when it was
 */
export function distinctNames<R>(
  rows: readonly R[],
  nameOf: (row: R) => string,
  moreOf: (row: R) => string,
): ReadonlyMap<R, string> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  const taken = new Map<string, number>();
  return new Map(
    rows.map((row) => {
      const short = nameOf(row);
      const name = counts.get(short) === 1 ? short : `${short}, ${moreOf(row)}`;
      const nth = (taken.get(name) ?? 0) + 1;
      taken.set(name, nth);
      // Two of one minute.
      return [row, nth === 1 ? name : `${name} (${nth})`];
    }),
  );
}
