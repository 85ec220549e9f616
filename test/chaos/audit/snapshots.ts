/** Whether an export can be what a site was at one moment: whole jobs in order, and of the next one whole chunks. */
import { type SiteState, sameItem } from '../site-model.js';

/** One job of a site whose jobs exclude each other. */
export interface HistoryStep {
  /** The items after the job. */
  readonly after: SiteState;
  /** SKUs that are written by one transaction each, in any order. */
  readonly chunks: readonly (readonly string[])[];
}

/**
 * Finds the moment at which the site was as `seen`.
 * @param history all jobs of the site, in the order of their acceptance; the site was empty before
 * @param knownEnded how many of the first jobs had ended before
 * @returns undefined: there is such a moment; else a sentence about what contradicts
 */
export function contradictionOf(
  seen: SiteState,
  history: readonly HistoryStep[],
  knownEnded: number,
): string | undefined {
  let nearest = { wrong: Number.POSITIVE_INFINITY, text: 'there was no job' };
  let before: SiteState = new Map();
  for (let done = 0; done <= history.length; done++) {
    const next = history[done];
    if (done >= knownEnded) {
      const wrong = next === undefined ? differences(seen, before) : contradictions(seen, before, next);
      if (wrong.length === 0) return undefined;
      if (wrong.length < nearest.wrong) {
        const text = `nearest to it is the site after ${done} jobs, but for: ${wrong.slice(0, 4).join('; ')}`;
        nearest = { wrong: wrong.length, text };
      }
    }
    if (next !== undefined) before = next.after;
  }
  return nearest.text;
}

/** What contradicts that the job was under way. */
function contradictions(seen: SiteState, before: SiteState, { after, chunks }: HistoryStep): string[] {
  const wrong: string[] = [];
  for (const sku of skusOf(seen, before, after)) {
    const item = seen.get(sku);
    if (!sameItem(item, before.get(sku)) && !sameItem(item, after.get(sku))) wrong.push(text(sku, item));
  }
  for (const [index, chunk] of chunks.entries()) {
    const changed = chunk.filter((sku) => !sameItem(before.get(sku), after.get(sku)));
    const applied = changed.filter((sku) => sameItem(seen.get(sku), after.get(sku)));
    if (applied.length > 0 && applied.length < changed.length) {
      wrong.push(`of chunk ${index}, ${applied.length} of ${changed.length} rows are there`);
    }
  }
  return wrong;
}

function differences(seen: SiteState, state: SiteState): string[] {
  return skusOf(seen, state)
    .filter((sku) => !sameItem(seen.get(sku), state.get(sku)))
    .map((sku) => text(sku, seen.get(sku)));
}

function skusOf(...states: readonly SiteState[]): string[] {
  return [...new Set(states.flatMap((state) => [...state.keys()]))];
}

function text(sku: string, item: unknown): string {
  return `${sku} is ${item === undefined ? 'not there' : JSON.stringify(item)}`;
}
