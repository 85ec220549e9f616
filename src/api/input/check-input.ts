/** Checks what a client sent against its schema, and says in our own sentences what is wrong with it. */
import { z } from 'zod';
import { storable } from '../../domain/kernel/characters.js';
import { quoted } from '../../domain/kernel/value-problem.js';
import type { Issue, MemberNoun, Path } from './input-issue.js';
import { sentenceOf } from './issue-sentences.js';
import { meantIssues } from './union-issues.js';
import { advice } from './unknown-member.js';

/** Longer names of fields are cut in messages and paths. */
const SHOWN_CHARACTERS = 60;

export interface InputProblem {
  /** Where it is; empty: the input as a whole. */
  readonly path: Path;
  /** In capitals. */
  readonly code: string;
  /** A sentence without its subject, which is the field at `path`: `is missing: give a text`. */
  readonly message: string;
}

type CheckedInput<T> = { readonly data: T } | { readonly problems: readonly InputProblem[] };

/**
 * Parses `value`. Each unknown member of a strict object is a problem of its own, which names the nearest known one. No
 * message contains a text of the validator: a schema's own message comes first, and otherwise one that is written here.
 */
export function checkInput<T>(schema: z.ZodType<T>, value: unknown, noun: MemberNoun): CheckedInput<T> {
  // Most requests are valid, and parsing without a map of errors is several times as fast.
  const valid = schema.safeParse(value);
  if (valid.success) return { data: valid.data };
  const objects = new Map<readonly string[], z.core.$ZodObject>();
  const parsed = schema.safeParse(value, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys' && issue.inst instanceof z.core.$ZodObject) {
        objects.set(issue.keys, issue.inst);
      }
      return sentenceOf(issue);
    },
  });
  if (parsed.success) return { data: parsed.data };
  const issues = parsed.error.issues.flatMap((issue) => meantIssues(issue, value));
  // Unknown members come first: a misspelt one explains why another is missing, and some answers show few problems.
  const isUnknown = ({ code }: Issue) => code === 'unrecognized_keys';
  const ordered = [...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))];
  return { problems: ordered.flatMap((issue) => problemsOf(issue, noun, objects)) };
}

function problemsOf(
  issue: Issue,
  noun: MemberNoun,
  objects: ReadonlyMap<readonly string[], z.core.$ZodObject>,
): InputProblem[] {
  if (issue.code !== 'unrecognized_keys') {
    return [{ path: issue.path, code: codeOf(issue), message: issue.message }];
  }
  const shape = objects.get(issue.keys)?._zod.def.shape ?? {};
  return issue.keys.map((key) => ({
    path: [...issue.path, storable(key, SHOWN_CHARACTERS)],
    code: 'UNKNOWN_FIELD',
    message: `there is no ${noun} ${quoted(key)}: ${advice(key, shape, noun)}`,
  }));
}

/** Whether its type is wrong, or only its value: no other codes of the validator are for clients. */
function codeOf(issue: Issue): string {
  return issue.code === 'invalid_type' ? 'INVALID_TYPE' : 'INVALID_VALUE';
}
