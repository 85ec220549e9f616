/** Adds up what an export could not write in the form of a profile, for the warnings of its job. */
import type { ErrorSummaryLine } from '../../../../db/models/job.js';

const MAX_RANGES = 20;

interface Line {
  readonly code: string;
  readonly path: string | null;
  readonly example: string;
  count: number;
  readonly ranges: [number, number][];
  isCut: boolean;
}

export class WriteLosses {
  readonly #lines = new Map<string, Line>();

  /** @param row in the file; null: there is none */
  add(code: string, path: string | null, row: number | null, example: () => string): void {
    const key = `${code} ${path}`;
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = { code, path, example: example(), count: 0, ranges: [], isCut: false };
      this.#lines.set(key, line);
    }
    line.count += 1;
    if (row === null) return;
    const last = line.ranges.at(-1);
    if (last !== undefined && last[1] === row - 1) last[1] = row;
    else if (line.ranges.length < MAX_RANGES) line.ranges.push([row, row]);
    else line.isCut = true;
  }

  /** The most frequent first; null: nothing was lost. */
  summary(): readonly ErrorSummaryLine[] | null {
    if (this.#lines.size === 0) return null;
    const lines = [...this.#lines.values()].sort((one, other) => other.count - one.count);
    return lines.map(({ code, path, count, example, ranges, isCut }) => {
      const shown = ranges.map(([low, high]) => (low === high ? String(low) : `${low}-${high}`)).join(', ');
      return { code, path, count, rows: isCut ? `${shown}, …` : shown, example };
    });
  }
}
