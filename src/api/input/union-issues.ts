/** Unions (one value or a list, a text or nothing): the problems of the alternative that was meant. */
import type { Issue, Path } from './input-issue.js';

export function meantIssues(issue: Issue, value: unknown): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const given = at(value, issue.path);
  const ofType = alternatives(issue).filter(([first]) => first !== undefined && !isOtherType(first, given));
  const precise = ofType.filter(([first]) => first?.code !== 'invalid_value' || first.path.length > 0);
  const [meant] = precise.length === 1 ? precise : ofType;
  if (meant === undefined || (precise.length !== 1 && ofType.length > 1)) return [issue];
  return meant.flatMap((inner) => meantIssues({ ...inner, path: [...issue.path, ...inner.path] }, value));
}

/** The problems of each alternative, with the alternatives of unions in unions as if there were one union. */
export function alternatives(issue: Extract<Issue, { code: 'invalid_union' }>): Issue[][] {
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

/** What stands at a path of a value. */
export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}
