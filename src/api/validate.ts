/** Checks one part of a request against its schema. */
import type { z } from 'zod';
import { DomainError, type ErrorProblem } from '../domain/kernel/errors.js';

/** How many problems are reported at once, and how many of them in the message itself. */
const MAX_PROBLEMS = 100;
const MAX_IN_MESSAGE = 3;

/**
 * @param part what is checked, as the client knows it: `body`, `query`, `path`
 * @throws DomainError invalid, with one problem for each field
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, part: 'body' | 'query' | 'path'): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap(issuesOf);
  const problems = issues.slice(0, MAX_PROBLEMS).map(problemOf);
  const shown = problems
    .slice(0, MAX_IN_MESSAGE)
    .map(({ path, message }) => (path === undefined ? message : `${path}: ${message}`));
  const more = issues.length - shown.length;
  const message = `the ${part} is not as expected: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  throw new DomainError('invalid', 'REQUEST_INVALID', message, { problems });
}

/** For a union (one value or an array): the issues of the alternative whose type was sent, if there is only one. */
function issuesOf(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const ofType = issue.errors.filter(([first]) => first?.code !== 'invalid_type' || first.path.length > 0);
  const [meant] = ofType;
  if (meant === undefined || ofType.length > 1) return [issue];
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function problemOf(issue: z.core.$ZodIssue): ErrorProblem {
  const [first] = issue.path;
  const path = issue.path.map(String).join('.');
  return {
    ...(typeof first === 'number' ? { index: first } : {}),
    ...(path === '' ? {} : { path }),
    code: issue.code.toUpperCase(),
    message: issue.message.replace(/^Invalid input: /, ''),
  };
}
