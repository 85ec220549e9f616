/** Keeps answers small: an assistant reads all of them, so that a page never has more than it can use. */

/** Characters of an answer as JSON, which are about a quarter as many tokens. */
const MOST = 40_000;

interface Bounds {
  readonly text: number;
  readonly list: number;
  readonly members: number;
}

/** From the most generous on; after the last one, its halves. */
const BOUNDS: readonly Bounds[] = [
  { text: 10_000, list: 500, members: 500 },
  { text: 2_000, list: 100, members: 300 },
  { text: 400, list: 30, members: 200 },
  { text: 100, list: 10, members: 100 },
];

/** Values of a list are for looking over. */
const OF_A_ROW: Bounds = { text: 400, list: 30, members: 200 };

/** The members of an answer as generously as it is small enough: what is cut says so in its place. */
export function fitted<T extends object>(value: T): T {
  for (let step = 0; ; step++) {
    const bounds = BOUNDS[step] ?? halved(BOUNDS.at(-1) ?? OF_A_ROW, step - BOUNDS.length + 1);
    const members = Object.entries(value).map(([name, one]) => [name, cutTo(one, bounds)]);
    const cut = Object.fromEntries(members) as T;
    if (isSmall(cut) || bounds.text === 1) return cut;
  }
}

function halved({ text, list, members }: Bounds, times: number): Bounds {
  const part = (most: number) => Math.max(1, Math.floor(most / 2 ** times));
  return { text: part(text), list: part(list), members: part(members) };
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; undefined: this is the last. */
  readonly next: string | undefined;
  /** The number of rows on all pages, where it is known. */
  readonly count?: number;
}

/** A page with fewer rows than wanted, if these would be too much. @param fetch reads at most so many rows */
export async function smallPage<Row extends object>(
  limit: number,
  fetch: (limit: number) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  for (let wanted = limit; ; ) {
    const page = await fetch(wanted);
    const rows = page.rows.map((row) => cutTo(row, OF_A_ROW) as Row);
    if (isSmall(rows)) return { ...page, rows };
    if (wanted === 1 || rows.length <= 1) return { ...page, rows: rows.map(fitted) };
    const share = MOST / JSON.stringify(rows).length;
    wanted = Math.max(1, Math.min(wanted - 1, Math.floor(rows.length * share)));
  }
}

function isSmall(value: unknown): boolean {
  return JSON.stringify(value).length <= MOST;
}

function cutTo(value: unknown, bounds: Bounds): unknown {
  if (typeof value === 'string') return cutText(value, bounds.text);
  if (Array.isArray(value)) {
    const more = value.length - bounds.list;
    const kept = value.slice(0, bounds.list).map((one) => cutTo(one, bounds));
    if (more <= 0) return kept;
    const isOfObjects = kept.every((one) => typeof one === 'object');
    return [...kept, isOfObjects ? { '…': `${more} more` } : `… (${more} more)`];
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const kept = members.slice(0, bounds.members).map(([name, one]) => [name, cutTo(one, bounds)]);
  const more = members.length - bounds.members;
  return Object.fromEntries(more > 0 ? [...kept, ['…', `${more} more`]] : kept);
}

function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half of a character outside of the basic plane is none.
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}… (cut: ${text.length} characters in all)`;
}
