/** The values of cells as a person writes them, and what is typed as the value of a cell. */
import { type NumberKind, PLAIN } from './number-kinds.js';
import type { SheetCell } from './sheet-xml.js';

const DAY_MS = 86_400_000;
const DAY_ZERO = Date.UTC(1899, 11, 30);
/** Days before the 1st of March 1900 are counted in two ways. */
const FIRST_SOUND_DAY = 61;
const LAST_DAY = 2_958_465;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** Programs for spreadsheets keep so many digits of a number. */
const MOST_DIGITS = 15;

type Value = Pick<SheetCell, 'kind' | 'value'>;

/** What a cell shows in the grid: dates as `2024-01-31`, with a time as `2024-01-31 09:30:00`. */
export function shownValue({ kind, value }: Value, style: NumberKind = PLAIN): string {
  if (kind === 'boolean') return value === '1' ? 'TRUE' : 'FALSE';
  return kind === 'number' ? shownNumber(value, style) : value;
}

function shownNumber(value: string, { display, digits }: NumberKind): string {
  const number = Number(value);
  if (display === 'number') return digits > 1 && /^\d{1,15}$/.test(value) ? value.padStart(digits, '0') : value;
  const isTime = display === 'time' && number >= 0 && number < 1;
  if (!isTime && !(number >= FIRST_SOUND_DAY && number < LAST_DAY + 1)) return value;
  const time = Math.round(number * DAY_MS);
  const text = new Date((isTime ? 0 : DAY_ZERO) + time).toISOString();
  const hours = text.slice(11, time % 1000 === 0 ? 19 : 23);
  if (isTime) return hours;
  return display === 'day' && time % DAY_MS === 0 ? text.slice(0, 10) : `${text.slice(0, 10)} ${hours}`;
}

/**
 * What was typed, in the kind of what it replaces where it is of that kind, else as text.
 * @param isOfWrongKind the kind of the cell is what is wrong with it: it becomes a text
 */
export function typedValue(typed: string, before: Value, style: NumberKind = PLAIN, isOfWrongKind = false): Value {
  if (typed === '') return { kind: 'empty', value: '' };
  const text: Value = { kind: 'text', value: typed };
  if (isOfWrongKind) return text;
  if (before.kind === 'boolean' && /^(?:true|false)$/i.test(typed)) {
    return { kind: 'boolean', value: typed.toLowerCase() === 'true' ? '1' : '0' };
  }
  if (before.kind !== 'number') return text;
  const value = style.display === 'number' ? numberOf(typed, style) : serialOf(typed, style);
  return value === undefined ? text : { kind: 'number', value };
}

/** Of a code with zeros before it, what would lose them is none. */
function numberOf(typed: string, style: NumberKind): string | undefined {
  if (style.digits > 1 && /^\d{1,15}$/.test(typed)) {
    const value = String(Number(typed));
    return shownNumber(value, style) === typed ? value : undefined;
  }
  const digits = typed.replace(/[-.]/g, '').replace(/^0+/, '');
  return NUMBER.test(typed) && digits.length <= MOST_DIGITS ? typed : undefined;
}

/** The number of a day, or of a time where the cell shows times; undefined for what is none, such as the 30th of February. */
function serialOf(typed: string, { display }: NumberKind): string | undefined {
  const [, day, hours = '00:00', seconds = ':00'] =
    /^(?:(\d{4}-\d\d-\d\d)(?:[ T](?=\d)|$))?(\d\d:\d\d)?(:\d\d(?:\.\d{1,3})?)?Z?$/.exec(typed.trim()) ?? [];
  if (day === undefined && !(display === 'time' && /^\d\d:\d\d/.test(typed.trim()))) return undefined;
  const time = Date.parse(`${day ?? '1970-01-01'}T${hours}${seconds}Z`);
  if (Number.isNaN(time)) return undefined;
  const isSame = new Date(time).toISOString().startsWith(day ?? '1970-01-01');
  const serial = (day === undefined ? time : time - DAY_ZERO) / DAY_MS;
  return isSame && (day === undefined || serial >= FIRST_SOUND_DAY) ? String(serial) : undefined;
}
