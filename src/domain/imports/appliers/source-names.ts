/** Makes an applier speak of the columns of the user's own file, where a profile has made ours of them. */

import { attributeKey } from '../../kernel/attribute-key.js';
import type { ChunkResult, RowFailure } from '../../outcomes/model/chunk-result.js';
import type { Warnings } from '../../outcomes/model/warnings.js';
import type { RowApplier } from '../rows/row-applier.js';

/**
 * The applier, whose problems and warnings name the columns of the source.
 * @param sourceNames what the source of each column is called
 */
export function namingSources<Read, Part>(
  applier: RowApplier<Read, Part>,
  headerCells: readonly string[],
  sourceNames: readonly string[],
): RowApplier<Read, Part> {
  const names = new Map(headerCells.map((cell, index) => [attributeKey(cell), sourceNames[index] ?? cell]));
  const nameOf = (column: string) => names.get(attributeKey(column)) ?? column;
  return {
    ...applier,
    // Rows of a file are never applied together with those of other jobs.
    join: undefined,
    apply: async (trx, read, context) => {
      const result = await applier.apply(trx, read, context);
      return { ...result, ...translated(result, nameOf) };
    },
  };
}

function translated({ failures, warnings }: ChunkResult, nameOf: (column: string) => string) {
  return {
    failures: failures.map((failure) => withNames(failure, nameOf)),
    warnings: warnings === undefined ? undefined : warningsWithNames(warnings, nameOf),
  };
}

function withNames(failure: RowFailure, nameOf: (column: string) => string): RowFailure {
  const problems = failure.problems.map((problem) =>
    problem.column === null ? problem : { ...problem, column: nameOf(problem.column) },
  );
  return { ...failure, problems };
}

/** One column of the source may be the source of several of ours. */
function warningsWithNames({ noted, empty, decided }: Warnings, nameOf: (column: string) => string): Warnings {
  return {
    noted: noted.map((line) => ({ ...line, column: nameOf(line.column) })),
    empty: [...new Set(empty.map(nameOf))],
    decided: [...new Set(decided.map(nameOf))],
  };
}
