/** Divides and joins the warnings about the rows of a chunk. */
import type { Warnings } from '../../outcomes/model/warnings.js';

/** The part of warnings that is about rows from `first` on and before `beyond`, with the row numbers reduced by `less`. */
export function warningsWithin(warnings: Warnings, first: number, beyond: number, less = 0): Warnings | undefined {
  const noted = warnings.noted.flatMap((line) => {
    const rows = line.rows.filter((row) => row >= first && row < beyond);
    if (rows.length === 0) return [];
    const examples = line.examples.flatMap(([row, text]) =>
      row >= first && row < beyond ? [[row - less, text] as const] : [],
    );
    return [{ ...line, rows: rows.map((row) => row - less), examples }];
  });
  return noted.length === 0 ? undefined : { noted, empty: [], decided: warnings.decided };
}

/** The warnings of two passes over the same rows, each of which applied others. */
export function joinedWarnings(first: Warnings | undefined, second: Warnings | undefined): Warnings | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const noted = [...first.noted];
  for (const line of second.noted) {
    const at = noted.findIndex(({ code, column }) => code === line.code && column === line.column);
    const known = noted[at];
    if (known === undefined) noted.push(line);
    else {
      const rows = [...known.rows, ...line.rows].sort((a, b) => a - b);
      noted[at] = { ...known, rows, examples: [...known.examples, ...line.examples] };
    }
  }
  return { noted, empty: first.empty, decided: [...new Set([...first.decided, ...second.decided])] };
}
