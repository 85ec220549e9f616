/** Filters by payload: which of the events to which a definition subscribes it gets. Postgres evaluates them. */

const MAX_CHARACTERS = 8_000;
const MAX_CONDITIONS = 20;
const MAX_VALUES = 100;
const MAX_PATH_CHARACTERS = 200;
const MAX_SEGMENTS = 10;
/** A group may contain groups, which contain only conditions. */
const MAX_GROUPS = 2;

/** What is wrong with a filter, and where: the members and positions that lead there. */
interface FilterProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const FORM =
  'expected {"path": "/status", "equals": "PAID"}, the same with "in": […], "contains": "A" or "exists": true, or {"all": […]} or {"any": […]} of such';

/**
 * Finds the first problem of a filter; null: there is none.
 * @param text valid JSON
 */
export function filterProblem(text: string): FilterProblem | null {
  if (text.length > MAX_CHARACTERS) {
    return problem([], `is longer than ${MAX_CHARACTERS} characters`);
  }
  if (/[eE][+-]?\d{4}/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'))) {
    return problem([], 'contains a number whose exponent has more than three digits');
  }
  const counted = { conditions: 0 };
  const found = problemOf(JSON.parse(text), [], 0, counted);
  if (found !== null) return found;
  return counted.conditions > MAX_CONDITIONS
    ? problem([], `has ${counted.conditions} conditions; at most ${MAX_CONDITIONS} are possible`)
    : null;
}

type Path = FilterProblem['path'];

function problemOf(filter: unknown, at: Path, groups: number, counted: { conditions: number }): FilterProblem | null {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return problem(at, FORM);
  const members = Object.entries(filter);
  const [name, parts]: readonly [string?, unknown?] = members[0] ?? [];
  if (members.length !== 1 || (name !== 'all' && name !== 'any')) {
    counted.conditions++;
    return conditionProblem(new Map(members), at);
  }
  if (groups === MAX_GROUPS) return problem(at, `${name} is nested more than ${MAX_GROUPS} deep`);
  if (!Array.isArray(parts) || parts.length === 0)
    return problem([...at, name], 'expected a list with at least one condition');
  for (const [index, part] of parts.entries()) {
    const found = problemOf(part, [...at, name, index], groups + 1, counted);
    if (found !== null) return found;
  }
  return null;
}

function conditionProblem(members: ReadonlyMap<string, unknown>, at: Path): FilterProblem | null {
  const tests = [...members.keys()].filter((name) => name !== 'path');
  const [test] = tests;
  if (!members.has('path') || tests.length !== 1 || test === undefined) return problem(at, FORM);
  const wrongPath = pathProblem(members.get('path'));
  if (wrongPath !== null) return problem([...at, 'path'], wrongPath);
  const value = members.get(test);
  switch (test) {
    case 'exists':
      return typeof value === 'boolean' ? null : problem([...at, test], 'expected true or false');
    case 'equals':
    case 'contains':
      return isScalar(value) ? null : problem([...at, test], 'expected a text, a number, true, false or null');
    case 'in':
      return Array.isArray(value) && value.length >= 1 && value.length <= MAX_VALUES && value.every(isScalar)
        ? null
        : problem([...at, test], `expected a list of 1 to ${MAX_VALUES} texts, numbers, true, false or null`);
    default:
      return problem(at, FORM);
  }
}

function pathProblem(path: unknown): string | null {
  if (typeof path !== 'string' || !path.startsWith('/')) return 'expected a JSON pointer such as /customer/country';
  if (path.length > MAX_PATH_CHARACTERS) return `is longer than ${MAX_PATH_CHARACTERS} characters`;
  const segments = path.slice(1).split('/');
  if (segments.length > MAX_SEGMENTS) return `has more than ${MAX_SEGMENTS} steps`;
  if (segments.includes('')) return 'has an empty step';
  if (/~(?![01])/.test(path)) return 'contains ~ alone; write ~0 for ~, and ~1 for /';
  if (segments.some((segment) => /^-\d+$/.test(segment))) return 'positions in a list count from 0';
  return null;
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function problem(path: Path, message: string): FilterProblem {
  return { path, message };
}
