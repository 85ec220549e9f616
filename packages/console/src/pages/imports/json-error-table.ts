/** The error file of JSON as a table: its failed elements as rows, their members as columns, those inside of others by their path. */
import { cellKey, type Edits, type ErrorTable, type FailedRow } from './error-table.js';

type Json = unknown;
type Members = Record<string, Json>;

/** What an error file has besides the members of the user. */
const ADDED = /^_(?:row|column|code|message|job|raw)$/;
/** Reading and writing it again would change what the user has not touched. */
const NOT_HERE = /"_code"\s*:\s*"[^"]*DUPLICATE_MEMBER/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** @returns undefined: it cannot be written again without a change of what was not corrected; it is corrected elsewhere */
export function readJsonErrors(text: string, isLines: boolean): ErrorTable | undefined {
  if (NOT_HERE.test(text)) return undefined;
  const documents = documentsOf(text, isLines);
  if (documents === undefined) return undefined;
  const elements = documents.flatMap(failedIn);
  // Different paths may be written alike: a member `a.b`, and the member `b` of `a`.
  const columns = new Map<string, readonly string[]>();
  const names = new Set<string>();
  const note = (path: readonly string[]) => {
    columns.set(JSON.stringify(path), path);
    names.add(nameOf(path));
  };
  for (const element of elements) for (const path of pathsOf(element)) note(path);
  for (const element of elements) {
    // What is wrong because it is missing is a column, too.
    for (const name of columnsNamed(element))
      if (!(names.has(name) || names.has(`attributes.${name}`))) note(pathOf(name));
  }
  const paths = [...columns.values()];
  const rows = elements.map(
    (element, record): FailedRow => ({
      row: Number(element._row),
      record,
      cells: paths.map((path) => textOf(valueAt(element, path))),
    }),
  );
  const write = (edits: Edits, leftOut: ReadonlySet<number>) => {
    const corrected = new Map(
      elements.map((element, record) => [element, correctedOf(element, paths, rows[record]?.row ?? 0, edits)]),
    );
    const isLeftOut = (element: Json) => isFailed(element) && leftOut.has(Number(element._row));
    const again = (value: Json): Json => {
      if (isFailed(value)) return corrected.get(value) ?? value;
      if (Array.isArray(value)) return value.filter((one) => !isLeftOut(one)).map(again);
      if (!isMembers(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, again(inner)]));
    };
    const written = documents.filter((one) => !isLeftOut(one)).map((one) => JSON.stringify(again(one)));
    return new Blob([`${written.join('\n')}\n`], { type: isLines ? 'application/x-ndjson' : 'application/json' });
  };
  return { columns: paths.map(nameOf), rows, write };
}

function nameOf(path: readonly string[]): string {
  return path.join('.');
}

function documentsOf(text: string, isLines: boolean): readonly Json[] | undefined {
  try {
    const texts = isLines ? text.split('\n').filter((line) => line.trim() !== '') : [text];
    return texts.map(parsed);
  } catch {
    return undefined;
  }
}

/** Numbers as they are written, so that none loses a digit: a browser that cannot keep them is not asked to. */
function parsed(text: string): Json {
  const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => object };
  const keep = (_: string, value: Json, context?: { readonly source?: string }): Json => {
    if (typeof value !== 'number' || String(value) === context?.source) return value;
    if (context?.source === undefined || rawJSON === undefined) {
      if (Number.isSafeInteger(value)) return value;
      throw new RangeError('this browser would change a number');
    }
    return rawJSON(context.source);
  };
  return JSON.parse(text, keep);
}

function isMembers(value: Json): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRaw(value);
}

/** A number as it was written. */
function isRaw(value: Json): value is { readonly rawJSON: string } {
  return (JSON as unknown as { isRawJSON?: (value: Json) => boolean }).isRawJSON?.(value) === true;
}

function isFailed(value: Json): value is Members {
  return isMembers(value) && Object.hasOwn(value, '_row') && Object.hasOwn(value, '_code');
}

/** The elements of a file are at its top, or where the profile says that they are. */
function failedIn(value: Json): readonly Members[] {
  if (isFailed(value)) return [value];
  const inner = Array.isArray(value) ? value : isMembers(value) ? Object.values(value) : [];
  return inner.flatMap(failedIn);
}

/** In which members a failed element is wrong. */
function columnsNamed({ _column }: Members): readonly string[] {
  return String(_column ?? '')
    .split('; ')
    .filter((name) => name !== '');
}

/** Values of attributes are inside of one member, and their names may have points in them. */
function pathOf(name: string): readonly string[] {
  const [, attribute] = /^attributes\.(.+)$/s.exec(name) ?? [];
  return attribute === undefined ? [name] : ['attributes', attribute];
}

function pathsOf(members: Members, above: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(members).flatMap(([name, value]) => {
    if (above.length === 0 && ADDED.test(name)) return [];
    const path = [...above, name];
    return isMembers(value) && Object.keys(value).length > 0 ? pathsOf(value, path) : [path];
  });
}

function valueAt(value: Json, [name, ...further]: readonly string[]): Json {
  if (name === undefined) return value;
  return isMembers(value) && Object.hasOwn(value, name) ? valueAt(value[name], further) : undefined;
}

function textOf(value: Json): string {
  if (value === undefined || value === null) return '';
  if (isRaw(value)) return value.rawJSON;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function correctedOf(element: Members, paths: readonly (readonly string[])[], row: number, edits: Edits): Members {
  return paths.reduce((members, path, column) => {
    const text = edits.get(cellKey(row, column));
    if (text === undefined) return members;
    const isWrong = columnsNamed(element).some((name) => name === nameOf(path) || name === path.at(-1));
    return withValue(members, path, typed(text, valueAt(element, path), isWrong));
  }, element);
}

function withValue(members: Members, [name = '', ...further]: readonly string[], value: Json): Members {
  const inner = Object.hasOwn(members, name) ? members[name] : undefined;
  const next = further.length === 0 ? value : withValue(isMembers(inner) ? inner : {}, further, value);
  // Not by an assignment: a member may be called __proto__.
  return Object.fromEntries([...Object.entries(members).filter(([one]) => one !== name), [name, next]]);
}

/** What was typed, in the kind of what it replaces. A text that was no such value is replaced by the value that is meant. */
function typed(text: string, before: Json, isWrong: boolean): Json {
  if (text === '') return null;
  const isText = typeof before === 'string' && !isWrong;
  if (isText || before === undefined || before === null) return text;
  if (typeof before === 'object' && !isRaw(before)) return parsedOr(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (!NUMBER.test(text)) return text;
  // A number among texts stays one: it may be a text with digits.
  if (typeof before === 'string') return text;
  return String(Number(text)) === text ? Number(text) : text;
}

function parsedOr(text: string): Json {
  try {
    return parsed(text);
  } catch {
    return text;
  }
}
