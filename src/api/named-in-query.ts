/** Names that an address may carry in its query: no client and no proxy leaves a path with `.` or `..` as it is. */
import { z } from 'zod';
import { isStorable } from '../domain/kernel/characters.js';
import { DomainError } from '../domain/kernel/errors.js';

/** Stands in the path for the name that the query has. */
const IN_QUERY = '-';

/** @param what the name in messages, such as "SKU" */
export function nameInQuery(what: string) {
  return z
    .string()
    .refine(isStorable, 'contains a NUL character or an unpaired surrogate')
    .optional()
    .meta({
      description: `The ${what}, with \`${IN_QUERY}\` in its place in the path: for one that is no part of a path, such as \`..\``,
    });
}

/**
 * The name that is meant: that of the query, if it has one. A path with another name beside it is a mistake.
 * @throws DomainError invalid
 */
export function givenName(name: string, inPath: string, inQuery: string | undefined): string {
  if (inQuery === undefined) return inPath;
  if (inPath === IN_QUERY || inPath === inQuery) return inQuery;
  const message = `the path names another one: write "${IN_QUERY}" in its place, or leave "${name}" out of the query`;
  const problems = [{ path: name, code: 'FIELD_INVALID', message }];
  throw new DomainError('invalid', 'REQUEST_INVALID', `the query is not as expected: ${name}: ${message}`, {
    problems,
  });
}
