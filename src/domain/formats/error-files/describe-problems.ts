/** The problems of a failed row, in the columns that an error file adds. */
import type { RowProblem } from '../../kernel/row-problem.js';

/** All problems of a row in one line. */
export function describeProblems(problems: readonly RowProblem[]): { column: string; code: string; message: string } {
  return {
    column: problems.map((problem) => problem.column ?? '').join('; '),
    code: problems.map((problem) => problem.code).join('; '),
    message: problems.map((problem) => problem.message).join('; '),
  };
}
