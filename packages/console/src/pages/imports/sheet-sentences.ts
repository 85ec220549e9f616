/** The sentences in which the API tells what only those see of a sheet who open it. */

type Key = 'hiddenRow' | 'hiddenRows' | 'hiddenColumns' | 'mergedRow' | 'mergedRows';

const SENTENCES: Readonly<Record<Key, RegExp>> = {
  hiddenRow: /^Row (?<row>\d+) is hidden: /,
  hiddenRows: /^(?<count>\d+) rows are hidden, the first is row (?<row>\d+): /,
  hiddenColumns: /^Hidden columns are read like the others: (?<names>.+?)(?: and (?<more>\d+) more)?\.$/s,
  mergedRow: /^Cells are merged in row (?<row>\d+): /,
  mergedRows: /^Cells are merged in (?<count>\d+) places, first in row (?<row>\d+): /,
};

/** @returns undefined: the API says something that the page has no words for */
export function partsOfNote(note: string): { readonly key: Key; readonly values: Record<string, string> } | undefined {
  for (const [key, sentence] of Object.entries(SENTENCES)) {
    const found = sentence.exec(note);
    if (found !== null) return { key: key as Key, values: { ...found.groups } };
  }
  return undefined;
}
