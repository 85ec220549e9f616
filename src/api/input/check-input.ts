/** Checks what a client sent against its schema, and says in our own sentences what is wrong with it. */
import { z } from 'zod';
import { storable } from '../../domain/kernel/characters.js';
import { quoted } from '../../domain/kernel/value-problem.js';
import type { Issue, MemberNoun, Path } from './input-issue.js';
import { sentenceOf } from './issue-sentences.js';
import { at, meantIssues } from './union-issues.js';
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
  const objects = new Map<readonly string[], z.core.$ZodShape>();
  const unions = new Map<unknown, z.core.$ZodShape>();
  const parsed = schema.safeParse(value, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys' && issue.inst instanceof z.core.$ZodObject) {
        objects.set(issue.keys, issue.inst._zod.def.shape);
      } else if (issue.code === 'invalid_union' && issue.inst instanceof z.core.$ZodDiscriminatedUnion) {
        unions.set(issue.input, shapeOfAll(issue.inst));
      }
      return sentenceOf(issue);
    },
  });
  if (parsed.success) return { data: parsed.data };
  const issues = parsed.error.issues
    .flatMap((issue) => meantIssues(issue, value))
    .flatMap((issue) => [...unknownOfUnion(issue, value, unions, objects), issue]);
  // Unknown members come first: a misspelt one explains why another is missing, and some answers show few problems.
  const isUnknown = ({ code }: Issue) => code === 'unrecognized_keys';
  const ordered = [...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))];
  return { problems: ordered.flatMap((issue) => problemsOf(issue, noun, objects)) };
}

/** The members of all alternatives, of which one that is not named cannot be chosen. */
function shapeOfAll({ _zod }: z.core.$ZodDiscriminatedUnion): z.core.$ZodShape {
  const shapes = _zod.def.options.map((option) => (option instanceof z.core.$ZodObject ? option._zod.def.shape : {}));
  return Object.assign({}, ...shapes);
}

/** Of an object that does not say which alternative it is, the members that none of them has. */
function unknownOfUnion(
  { path, input: _, ...issue }: Issue,
  value: unknown,
  unions: ReadonlyMap<unknown, z.core.$ZodShape>,
  objects: Map<readonly string[], z.core.$ZodShape>,
): Issue[] {
  if (issue.code !== 'invalid_union') return [];
  const given = at(value, path);
  const shape = unions.get(given);
  if (shape === undefined || typeof given !== 'object' || given === null) return [];
  const keys = Object.keys(given).filter((key) => !Object.hasOwn(shape, key));
  if (keys.length === 0) return [];
  objects.set(keys, shape);
  return [{ code: 'unrecognized_keys', keys, path, message: '' }];
}

function problemsOf(
  issue: Issue,
  noun: MemberNoun,
  objects: ReadonlyMap<readonly string[], z.core.$ZodShape>,
): InputProblem[] {
  if (issue.code !== 'unrecognized_keys') {
    return [{ path: issue.path, code: codeOf(issue), message: issue.message }];
  }
  const shape = objects.get(issue.keys) ?? {};
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
