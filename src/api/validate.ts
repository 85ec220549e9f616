/** Checks one part of a request against its schema. */
import type { z } from 'zod';
import { DomainError, type ErrorProblem } from '../domain/kernel/errors.js';
import type { InputProblem } from './input/check-input.js';
import { checkInput } from './input/check-input.js';
import type { MemberNoun } from './input/input-issue.js';

/** How many problems are reported at once, and how many of them in the message itself. */
const MAX_PROBLEMS = 100;
const MAX_IN_MESSAGE = 3;

const NOUNS = { body: 'field', query: 'query parameter', path: 'parameter' } as const satisfies Readonly<
  Record<string, MemberNoun>
>;

/**
 * @param part what is checked, as the client knows it: `body`, `query`, `path`
 * @throws DomainError invalid, with one problem for each field
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, part: keyof typeof NOUNS): T {
  const checked = checkInput(schema, value, NOUNS[part]);
  if ('data' in checked) return checked.data;
  const problems = checked.problems
    .slice(0, MAX_PROBLEMS)
    .map((problem) => (part === 'query' ? queryProblem(problem, value) : problemOf(problem)));
  const shown = problems
    .slice(0, MAX_IN_MESSAGE)
    .map(({ path, message }) => (path === undefined ? message : `${path}: ${message}`));
  const more = checked.problems.length - shown.length;
  const message = `the ${part} is not as expected: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  throw new DomainError('invalid', 'REQUEST_INVALID', message, { problems });
}

function problemOf({ path, code, message }: InputProblem): ErrorProblem {
  const [first] = path;
  const text = path.map(String).join('.');
  return {
    ...(typeof first === 'number' ? { index: first } : {}),
    ...(text === '' ? {} : { path: text }),
    code,
    message,
  };
}

/** The problem of one of several values is that of the parameter. Only a parameter that is JSON has members. */
function queryProblem(problem: InputProblem, query: unknown): ErrorProblem {
  const [name] = problem.path;
  if (name === undefined || typeof problem.path[1] === 'string') return problemOf(problem);
  const given: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined;
  const isRepeated = Array.isArray(given) && problem.path.length === 1 && /^INVALID_(TYPE|VALUE)$/.test(problem.code);
  const message = isRepeated ? `is given ${given.length} times: give it once` : problem.message;
  return problemOf({ ...problem, path: [name], message });
}
