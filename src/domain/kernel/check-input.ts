/** Checks what a client sent against its schema, and says in our own sentences what is wrong with it. */
import { z } from 'zod';
import { storable } from './characters.js';
import { nearestName } from './nearest-name.js';
import { describeJson, quoted } from './value-problem.js';

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;
type Path = readonly PropertyKey[];

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

/** What the members of the input are to the client. */
export type MemberNoun = 'field' | 'query parameter' | 'key' | 'parameter';

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

// What an unknown member was probably meant to be: a known one, or one of an object beside it

interface Known {
  readonly name: string;
  readonly parent: string | null;
}

function advice(key: string, shape: z.core.$ZodShape, noun: MemberNoun): string {
  const own = Object.keys(shape).map((name): Known => ({ name, parent: null }));
  const inner = Object.entries(shape).flatMap(([parent, child]) =>
    Object.keys(objectIn(child)?._zod.def.shape ?? {}).map((name): Known => ({ name, parent })),
  );
  const same = (known: Known) => known.name.toLowerCase() === key.toLowerCase();
  const nameOf = (known: Known) => known.name;
  const near = own.find(same) ?? inner.find(same) ?? nearestName(key, own, nameOf) ?? nearestName(key, inner, nameOf);
  if (near === undefined) {
    return own.length === 0 ? `this operation has no ${noun}s` : `the ${noun}s are ${own.map(nameOf).join(', ')}`;
  }
  if (near.parent === null) return `did you mean "${near.name}"?`;
  if (near.name === key) return `it belongs under "${near.parent}"`;
  return `did you mean "${near.name}" under "${near.parent}"?`;
}

/** The object that a schema accepts besides null and nothing. */
function objectIn(schema: z.core.$ZodType): z.core.$ZodObject | undefined {
  if (schema instanceof z.core.$ZodObject) return schema;
  const isWrapped =
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodPrefault;
  return isWrapped ? objectIn(schema._zod.def.innerType) : undefined;
}

// Unions (one value or a list, a text or nothing): the problems of the alternative that was meant

function meantIssues(issue: Issue, value: unknown): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const given = at(value, issue.path);
  const ofType = alternatives(issue).filter(([first]) => first !== undefined && !isOtherType(first, given));
  const precise = ofType.filter(([first]) => first?.code !== 'invalid_value' || first.path.length > 0);
  const [meant] = precise.length === 1 ? precise : ofType;
  if (meant === undefined || (precise.length !== 1 && ofType.length > 1)) return [issue];
  return meant.flatMap((inner) => meantIssues({ ...inner, path: [...issue.path, ...inner.path] }, value));
}

/** The problems of each alternative, with the alternatives of unions in unions as if there were one union. */
function alternatives(issue: Extract<Issue, { code: 'invalid_union' }>): Issue[][] {
  return issue.errors.flatMap((issues) => {
    const [first] = issues;
    return first?.code === 'invalid_union' && first.path.length === 0 ? alternatives(first) : [issues];
  });
}

function isOtherType(issue: Issue, given: unknown): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_type') return true;
  return issue.code === 'invalid_value' && issue.values.every((one) => typeof one !== typeof given);
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

// Sentences

/** What to say of an issue whose schema has no message of its own. */
function sentenceOf(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wanted(
        issue.inst instanceof z.core.$ZodNumberFormat ? 'a whole number' : nameOf(issue.expected),
        issue.input,
      );
    case 'invalid_value':
      return `${wanted(oneOf(issue.values), issue.input)}${nearest(issue.input, issue.values)}`;
    case 'too_big':
      return tooBig(issue.origin, issue.maximum);
    case 'too_small':
      return tooSmall(issue.origin, issue.minimum, issue.inclusive !== false);
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'of another form'}, not ${describeJson(issue.input)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union': {
      const expected = alternatives({ ...issue, path: [], message: '' }).flatMap(([first]) => expectedBy(first));
      return expected.length === 0 ? NOT_ACCEPTED : wanted([...new Set(expected)].join(' or '), issue.input);
    }
    default:
      return NOT_ACCEPTED;
  }
}

const NOT_ACCEPTED = 'has a value that is not accepted here; /docs describes what is';

function wanted(expected: string, given: unknown): string {
  return given === undefined ? `is missing: give ${expected}` : `must be ${expected}, not ${describeJson(given)}`;
}

function expectedBy(issue: Issue | undefined): string[] {
  if (issue?.code === 'invalid_type') return [nameOf(issue.expected)];
  return issue?.code === 'invalid_value' ? [oneOf(issue.values)] : [];
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const names = values.map((one) => (one === '' ? 'an empty text' : String(one)));
  return names.length === 1 ? names.join('') : `one of ${names.join(', ')}`;
}

function nearest(given: unknown, values: readonly z.core.util.Primitive[]): string {
  const near = typeof given === 'string' ? nearestName(given, values.map(String), (name) => name) : undefined;
  return near === undefined ? '' : `: did you mean "${near}"?`;
}

function tooBig(origin: string, maximum: number | bigint): string {
  if (origin === 'string') return `is longer than ${maximum} characters`;
  return origin === 'array' ? `has too many entries: give at most ${maximum}` : `must be at most ${maximum}`;
}

function tooSmall(origin: string, minimum: number | bigint, inclusive: boolean): string {
  const isList = origin === 'array';
  if (isList || origin === 'string') {
    if (Number(minimum) === 1) return isList ? 'is empty: give at least one entry' : 'is empty';
    return isList ? `has fewer than ${minimum} entries` : `is shorter than ${minimum} characters`;
  }
  return inclusive ? `must be at least ${minimum}` : `must be greater than ${minimum}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a time in ISO 8601 such as 2026-01-31T12:00:00Z',
  date: 'a day in ISO 8601 such as 2026-01-31',
  url: 'an address such as https://example.com/path',
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function nameOf(expected: string): string {
  return TYPE_NAMES[expected] ?? 'of another type';
}
