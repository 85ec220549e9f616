/** Reads the values of columns out of rows. All columns are found in one walk over a row. */
import { isStorable } from '../../../kernel/characters.js';
import { canonicalDecimal } from '../../../kernel/exact-decimal.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { WrittenNumber } from '../../../kernel/written-number.js';
import { memberOf } from './name-values.js';
import { MAX_COLUMNS, textTooLong, tooManyPaths } from './nested-limits.js';
import { type PathStep, parsePath, SELF } from './nested-path.js';
import { isJsonObject, XmlElement } from './nested-value.js';

/** Stands between the values of a column that has several in a row. */
const BETWEEN_VALUES = '\n';
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** What columns there are at a place within a row. */
interface Place {
  /** The number of the column; -1: none. */
  column: number;
  members: Map<string, Place> | null;
  numbered: Map<number, Place> | null;
  selected: { readonly key: string; readonly byValue: Map<string, Place> }[] | null;
}

/** What a row has in the columns. */
export interface ColumnCells {
  readonly cells: string[];
  /** As in TableRow. */
  readonly types: string;
  readonly isEmpty: boolean;
  readonly problem: RowProblem | null;
}

export class ColumnValues {
  readonly #row = newPlace();
  #cells: string[] = [];
  #types: string[] = [];
  #number = 0;
  #filled = 0;
  #isTyped = false;
  #unstorable = -1;
  readonly #noTypes: string;

  readonly #paths: readonly string[];
  readonly #maxCellBytes: number;

  /** @throws RejectedInput TOO_MANY_COLUMNS */
  constructor(paths: readonly string[], maxCellBytes: number) {
    if (paths.length > MAX_COLUMNS) throw tooManyPaths();
    this.#paths = paths;
    this.#maxCellBytes = maxCellBytes;
    this.#noTypes = 't'.repeat(paths.length);
    for (const [column, path] of paths.entries()) addPath(this.#row, path, column);
  }

  /** @throws RejectedInput CELL_TOO_LONG */
  read(row: number, value: unknown): ColumnCells {
    this.#cells = new Array<string>(this.#paths.length).fill('');
    this.#number = row;
    this.#filled = 0;
    this.#isTyped = false;
    this.#unstorable = -1;
    this.#visit(this.#row, value);
    const cells = this.#cells;
    const types = this.#isTyped ? this.#types.join('') : this.#noTypes;
    return { cells, types, isEmpty: this.#filled === 0, problem: this.#problem() };
  }

  /** Reads what several places select, whose values may be arrays. */
  #visitAll(place: Place, value: unknown): void {
    if (!Array.isArray(value)) this.#visitOne(place, value, 0);
    else for (const [index, element] of value.entries()) this.#visitOne(place, element, index);
  }

  /** @param index its number among its brothers */
  #visitOne(place: Place, value: unknown, index: number): void {
    this.#visit(place, value);
    const numbered = place.numbered?.get(index);
    if (numbered !== undefined) this.#visitAll(numbered, value);
  }

  #visit(place: Place, value: unknown): void {
    if (value instanceof XmlElement) {
      this.#visitElement(place, value);
    } else if (Array.isArray(value)) {
      for (const element of value) this.#visit(place, element);
    } else if (isJsonObject(value)) {
      this.#select(place, value);
      const { members } = place;
      if (members === null) return;
      for (const name of Object.keys(value)) {
        const member = members.get(name);
        if (member !== undefined) this.#visitAll(member, value[name]);
      }
    } else if (place.column >= 0) this.#add(place.column, value);
  }

  #visitElement(place: Place, element: XmlElement): void {
    const { text, names, values, occurrences } = element;
    if (place.column >= 0 && text !== '') this.#add(place.column, text);
    this.#select(place, element);
    const { members } = place;
    if (members === null) return;
    for (let index = 0; index < names.length; index += 1) {
      const member = members.get(names[index] as string);
      if (member !== undefined) this.#visitOne(member, values[index], occurrences?.[index] ?? 0);
    }
  }

  #select(place: Place, value: unknown): void {
    if (place.selected === null) return;
    for (const { key, byValue } of place.selected) {
      const found = memberOf(value, key);
      const selected = found === undefined ? undefined : byValue.get(textOf(found).text);
      if (selected !== undefined) this.#visit(selected, value);
    }
  }

  #add(column: number, value: unknown): void {
    const { text, type } = textOf(value);
    if (text === '') return;
    const before = this.#cells[column] as string;
    const whole = before === '' ? text : before + BETWEEN_VALUES + text;
    if (before === '') this.#filled += 1;
    this.#cells[column] = whole;
    if (whole.length > this.#maxCellBytes) {
      throw textTooLong(`Row ${this.#number}, column "${this.#paths[column]}"`, this.#maxCellBytes, this.#number);
    }
    if (type !== 't' || this.#isTyped) this.#setType(column, before === '' ? type : 't');
    if (this.#unstorable < 0 && !isStorable(text)) this.#unstorable = column;
  }

  #setType(column: number, type: string): void {
    if (!this.#isTyped) this.#types = [...this.#noTypes];
    this.#isTyped = true;
    this.#types[column] = type;
  }

  #problem(): RowProblem | null {
    if (this.#unstorable < 0) return null;
    const column = this.#paths[this.#unstorable] as string;
    const text = this.#cells[this.#unstorable] as string;
    const what = text.includes('\u0000') ? 'a NUL character' : 'one half of a pair of surrogates';
    const message = `Row ${this.#number}, column "${column}": the text holds ${what}, which cannot be stored. Remove it.`;
    return { code: 'INVALID_TEXT', column, message, value: shown(text) };
  }
}

function shown(text: string): string {
  return text.slice(0, 200).toWellFormed().replaceAll('\u0000', '\ufffd');
}

function newPlace(): Place {
  return { column: -1, members: null, numbered: null, selected: null };
}

function addPath(row: Place, path: string, column: number): void {
  let place = row;
  if (path !== SELF) for (const step of parsePath(path)) place = placeOf(place, step);
  place.column = column;
}

function placeOf(place: Place, { name, selectors }: PathStep): Place {
  place.members ??= new Map();
  let next = place.members.get(name);
  if (next === undefined) {
    next = newPlace();
    place.members.set(name, next);
    if (INDEX.test(name)) {
      place.numbered ??= new Map();
      place.numbered.set(Number(name), next);
    }
  }
  for (const selector of selectors) next = selectedPlace(next, selector);
  return next;
}

function selectedPlace(place: Place, { key, value }: PathStep['selectors'][number]): Place {
  place.selected ??= [];
  let selected = place.selected.find((each) => each.key === key);
  if (selected === undefined) {
    selected = { key, byValue: new Map() };
    place.selected.push(selected);
  }
  let next = selected.byValue.get(value);
  if (next === undefined) {
    next = newPlace();
    selected.byValue.set(value, next);
  }
  return next;
}

/** A value as a cell, and its type. */
function textOf(value: unknown): { readonly text: string; readonly type: string } {
  if (typeof value === 'string') return { text: value, type: 't' };
  if (typeof value === 'boolean') return { text: value ? 'TRUE' : 'FALSE', type: 'b' };
  if (typeof value === 'number') return numberCell(String(value));
  return value instanceof WrittenNumber ? numberCell(value.text) : { text: '', type: 't' };
}

/** A number has the digits that were written, but no exponent. */
function numberCell(written: string): { readonly text: string; readonly type: string } {
  if (!/[eE]/.test(written)) return { text: written, type: 'n' };
  const plain = canonicalDecimal(written, '.');
  return typeof plain === 'string' ? { text: plain, type: 'n' } : { text: written, type: 't' };
}
