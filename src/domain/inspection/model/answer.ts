/** What an inspection answers to one question about a file. */
import { z } from 'zod';

/**
 * How sure an answer is. `certain`: the file decides it. `likely`: it is the best reading, but the file does not exclude
 * others. `ambiguous`: the file can be read in several ways, and a person has to decide.
 */
export const VERDICTS = ['certain', 'likely', 'ambiguous'] as const;

/** An answer to a question whose values have this schema. */
export function answerSchema<Schema extends z.ZodType>(value: Schema) {
  return z.object({
    /** The reading that was used. Null: nothing of the kind is in the file, or the file does not say which it is. */
    value: value.nullable(),
    verdict: z.enum(VERDICTS),
    /** A whole sentence with an example and its row. */
    reason: z.string(),
    /** The other readings that fit, the most plausible first. If `value` is null, these are all readings. */
    rivals: z.array(value),
    /** A cell that can be read in all these ways, where there is one. */
    example: exampleSchema.optional(),
  });
}

const exampleSchema = z.object({ row: z.int(), value: z.string() });

export interface Answer<Value> {
  value: Value | null;
  verdict: (typeof VERDICTS)[number];
  reason: string;
  rivals: Value[];
  example?: z.output<typeof exampleSchema> | undefined;
}

/** An answer that the file decides. */
export function certain<Value>(value: Value | null, reason: string): Answer<Value> {
  return { value, verdict: 'certain', reason, rivals: [] };
}

/** The best reading, beside others that fit less well. */
export function likely<Value>(value: Value | null, reason: string, rivals: readonly Value[] = []): Answer<Value> {
  return { value, verdict: 'likely', reason, rivals: [...rivals] };
}

/**
 * An answer that a person has to give.
 * @param value the reading that was used all the same; null: none
 * @param example a cell that can be read in all these ways
 */
export function ambiguous<Value>(
  value: Value | null,
  reason: string,
  rivals: readonly Value[],
  example?: Answer<Value>['example'],
): Answer<Value> {
  const { row, value: text } = example ?? {};
  const shown = row === undefined || text === undefined ? {} : { example: { row, value: text } };
  return { value, verdict: 'ambiguous', reason, rivals: [...rivals], ...shown };
}
