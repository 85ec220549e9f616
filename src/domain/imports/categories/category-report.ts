/** Collects what came of the rows of an input of categories. */

import type { RowProblem } from '../../kernel/row-problem.js';
import { explainSuperseded } from '../../outcomes/explain-superseded.js';
import { type ChunkResult, OUTCOME, type Outcome, type RowFailure } from '../../outcomes/model/chunk-result.js';
import type { WriteMode } from '../model/import-options.js';
import { duplicateProblem } from '../pipeline/superseded-rows.js';
import type { CategoryRowNames } from './category-row-names.js';
import type { PlacedRows } from './placed-rows.js';

/** The outcome of each row, which is `failed` until another one is set. */
export class Report {
  readonly outcomes: Outcome[];
  readonly #failures: RowFailure[] = [];

  constructor(
    readonly placed: PlacedRows,
    readonly names: CategoryRowNames,
    readonly mode: WriteMode,
  ) {
    this.outcomes = new Array(placed.rows.length).fill(OUTCOME.failed);
    for (const [index, { fields, problems }] of placed.rows.entries()) {
      if (fields === null) this.fail(index, problems);
    }
  }

  fail(index: number, problems: readonly RowProblem[]): void {
    const row = this.placed.rows[index];
    if (row !== undefined) this.#failures.push({ row: row.row, key: this.placed.keyOf(row), problems });
  }

  orphan(index: number): void {
    const message = 'there is no such parent; name it by its path, node id or id';
    const problem: RowProblem = { code: 'NODE_NOT_FOUND', column: this.names.parentReference, message };
    this.fail(index, [...(this.placed.rows[index]?.problems ?? []), problem]);
  }

  supersede(index: number, winner: number): void {
    this.outcomes[index] = OUTCOME.duplicate;
    const row = this.placed.rows[winner]?.row ?? 0;
    const problem = duplicateProblem(this.names.key, row, this.mode === 'insert' ? 'first' : 'last');
    this.fail(index, [{ ...problem, code: 'NAME_DUPLICATE_IN_REQUEST' }]);
  }

  result(): ChunkResult {
    const failures = this.#failures.sort((a, b) => a.row - b.row);
    return { outcomes: this.outcomes, failures: explainSuperseded(failures) };
  }
}
