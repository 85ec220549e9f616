/** What the API says of each field of a form that it has refused. */
import { LongshoreError } from '@longshore/client';

/** The path of a member in the body → what is wrong with it. */
export type FieldProblems = ReadonlyMap<string, string>;

export function fieldProblems(error: unknown): FieldProblems {
  if (!(error instanceof LongshoreError)) return new Map();
  return new Map(error.problems.flatMap(({ path, message }) => (path === undefined ? [] : [[path, message]])));
}
