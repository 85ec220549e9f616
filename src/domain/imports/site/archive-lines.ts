/** The lines of the files in an archive, and how their problems are named. */
import type { z } from 'zod';
import { type JsonRow, jsonRows } from '../../formats/json/json-rows.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { type ArchiveKind, placeIn } from '../../formats/site-archive.js';
import { DomainError } from '../../kernel/errors.js';
import type { RowFailure } from '../../outcomes/model/chunk-result.js';
import { DEFINITIONS_NOT_CREATED } from '../kept/missing-definitions.js';
import { listedProblems } from '../pipeline/apply-elements.js';

/** Members that say what to do with a record, or which one it is: an archive says only what there is. */
const FOREIGN_MEMBERS = ['action', 'id'];

/** @throws RejectedInput when a line is no object, or says what no archive does */
export function rowsOf(kind: ArchiveKind, text: string): JsonRow[] {
  const rows = [...jsonRows(Buffer.from(text), { firstRow: 1 })];
  refuse(
    rows.flatMap(({ row, element, problem }) => {
      if (problem !== null) return [`${placeIn(kind, row)}: ${problem.message}`];
      if (typeof element !== 'object' || element === null || Array.isArray(element)) {
        return [`${placeIn(kind, row)} is no object`];
      }
      const foreign = FOREIGN_MEMBERS.find((name) => name in element);
      return foreign === undefined ? [] : [`${placeIn(kind, row)} has a member "${foreign}", which no archive has`];
    }),
  );
  return rows;
}

/** The lines of a file whose form a schema describes. @throws RejectedInput */
export function parsedLines<Schema extends z.ZodType>(
  kind: ArchiveKind,
  text: string,
  schema: Schema,
): { readonly row: number; readonly value: z.output<Schema> }[] {
  const problems: string[] = [];
  const values: { readonly row: number; readonly value: z.output<Schema> }[] = [];
  for (const { row, text: line } of rowsOf(kind, text)) {
    const { success, data, error } = schema.safeParse(JSON.parse(line));
    if (success) values.push({ row, value: data });
    else {
      const [issue] = error.issues;
      const path = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
      problems.push(`${placeIn(kind, row)}: ${path}${issue?.message ?? 'is not as expected'}`);
    }
  }
  refuse(problems);
  return values;
}

/** What a line's record is written with: a refusal is that of the line. @throws RejectedInput */
export async function inLine<T>(kind: ArchiveKind, row: number, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw refusal([`${placeIn(kind, row)}: ${error.message}`]);
  }
}

/** @throws RejectedInput when there is a failure */
export function refuseFailures(kind: ArchiveKind, failures: readonly RowFailure[]): void {
  refuse(
    failures.flatMap(({ row, key, problems }) =>
      problems.map(({ message }) => `${placeIn(kind, row)}${key === null ? '' : ` ("${key}")`}: ${message}`),
    ),
  );
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw refusal(problems);
}

function refusal(problems: readonly string[]): RejectedInput {
  return new RejectedInput(DEFINITIONS_NOT_CREATED, listedProblems('nothing of the archive was imported', problems));
}
