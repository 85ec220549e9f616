/** Compiles the date formats of attributes and jobs (`dd.MM.yyyy HH:mm`) to a reader and a writer. */
import { canonicalDate, canonicalInstant, type DateFault, NOT_SHAPED } from './iso-date.js';

export const MAX_FORMAT_CHARACTERS = 100;

export interface DateFormat {
  /** Its pieces in order: literal texts, and the parts of a date between them. */
  readonly pieces: readonly DatePiece[];
  /** Returns the canonical ISO form of a text in this format. Without an offset the time is UTC. */
  readonly read: (text: string) => string | DateFault;
  /** The day that a text in this format would be if its day and its month were exchanged; null if there is none. */
  readonly readExchanged: (text: string) => string | null;
  /** Writes a canonical ISO date in this format; null when the format omits a part of it, or needs one it lacks. */
  readonly write: (canonical: string) => string | null;
}

export type DateField =
  | 'year'
  | 'month'
  | 'day'
  | 'hour'
  | 'hour12'
  | 'minute'
  | 'second'
  | 'millisecond'
  | 'half'
  | 'offset';
export interface DateToken {
  field: DateField;
  /** Number of digits written. Fields of one or two digits are also read with one, if no other digit is adjacent. */
  width: number;
}
export type DatePiece = DateToken | string;

const TOKENS: Readonly<Record<string, DateToken>> = {
  yyyy: { field: 'year', width: 4 },
  YYYY: { field: 'year', width: 4 },
  MM: { field: 'month', width: 2 },
  M: { field: 'month', width: 1 },
  dd: { field: 'day', width: 2 },
  DD: { field: 'day', width: 2 },
  d: { field: 'day', width: 1 },
  D: { field: 'day', width: 1 },
  HH: { field: 'hour', width: 2 },
  H: { field: 'hour', width: 1 },
  hh: { field: 'hour12', width: 2 },
  h: { field: 'hour12', width: 1 },
  mm: { field: 'minute', width: 2 },
  ss: { field: 'second', width: 2 },
  SSS: { field: 'millisecond', width: 3 },
  a: { field: 'half', width: 2 },
  XXX: { field: 'offset', width: 6 },
};
const KNOWN_TOKENS = 'yyyy, MM, M, dd, d, HH, H, hh, h, mm, ss, SSS, a (AM or PM) and XXX (Z or +02:00)';

/**
 * Tokens: yyyy MM M dd d HH H hh h mm ss SSS a XXX (YYYY, DD and D are read as yyyy, dd and d). Other letters have to
 * be in single quotes (`yyyy-MM-dd'T'HH:mm`); all other characters are literal. A format needs year, month and day;
 * two-digit years are refused because their century would be a guess.
 *
 * @throws Error that says what is wrong with the format
 */
export function compileDateFormat(format: string): DateFormat {
  if (format.length > MAX_FORMAT_CHARACTERS)
    throw new Error(`a date format has at most ${MAX_FORMAT_CHARACTERS} characters`);
  const pieces = piecesOf(format);
  const tokens = pieces.filter((piece) => typeof piece !== 'string');
  checkFields(new Set(tokens.map((token) => token.field)), tokens.length);
  const expression = new RegExp(`^${pieces.map(sourceOf).join('')}$`, 'i');
  const hasTime = tokens.some(({ field }) => field === 'hour' || field === 'hour12');

  function read(text: string): string | DateFault {
    const match = expression.exec(text);
    if (!match) return NOT_SHAPED;
    const parts: Partial<Record<DateField, string>> = {};
    tokens.forEach(({ field }, index) => {
      parts[field] = match[index + 1] ?? '';
    });
    const date = canonicalDate(Number(parts.year), Number(parts.month), Number(parts.day));
    return typeof date === 'string' && hasTime ? instantOf(date, parts) : date;
  }

  function readExchanged(text: string): string | null {
    const match = expression.exec(text);
    if (!match) return null;
    const part = (wanted: DateField) => Number(match[tokens.findIndex(({ field }) => field === wanted) + 1]);
    const date = canonicalDate(part('year'), part('day'), part('month'));
    return typeof date === 'string' ? date : null;
  }

  function write(canonical: string): string | null {
    const text = pieces.map((piece) => (typeof piece === 'string' ? piece : written(piece, canonical))).join('');
    // Reading it back shows whether the format omitted a part (seconds) or added one (midnight).
    return read(text) === canonical ? text : null;
  }

  return { pieces, read, readExchanged, write };
}

function piecesOf(format: string): DatePiece[] {
  const pieces: DatePiece[] = [];
  for (const [part] of format.matchAll(/'[^']*'?|([A-Za-z])\1*|[^A-Za-z']+/g)) {
    if (part.startsWith("'")) {
      if (part.length < 2 || !part.endsWith("'")) throw new Error('a quote in the date format is never closed');
      pieces.push(part === "''" ? "'" : part.slice(1, -1));
    } else if (/^[A-Za-z]/.test(part)) {
      pieces.push(tokenOf(part));
    } else {
      pieces.push(part);
    }
  }
  return pieces;
}

function tokenOf(letters: string): DateToken {
  const token = Object.hasOwn(TOKENS, letters) ? TOKENS[letters] : undefined;
  if (token) return token;
  if (/^y+$/i.test(letters)) throw new Error(`"${letters}" leaves the century open: write the year as yyyy`);
  throw new Error(
    `"${letters}" is not a part of a date format: the parts are ${KNOWN_TOKENS}; put other letters in single quotes`,
  );
}

function checkFields(fields: ReadonlySet<DateField>, tokenCount: number): void {
  if (fields.size < tokenCount) throw new Error('the date format names one part of the date twice');
  if (!fields.has('year') || !fields.has('month') || !fields.has('day')) {
    throw new Error('a date format needs yyyy, MM and dd (MM is the month, mm the minutes)');
  }
  if (fields.has('hour') && fields.has('hour12')) throw new Error('the date format has both HH and hh: choose one');
  if (fields.has('hour12') !== fields.has('half')) throw new Error('hh (12 hours) and a (AM or PM) need each other');
  const hasTime = fields.has('hour') || fields.has('hour12');
  const needs: [DateField, boolean, string][] = [
    ['minute', hasTime, 'mm (minutes) needs HH or hh'],
    ['second', fields.has('minute'), 'ss (seconds) needs mm'],
    ['millisecond', fields.has('second'), 'SSS (milliseconds) needs ss'],
    ['offset', hasTime, 'XXX (offset) needs HH or hh'],
  ];
  for (const [field, met, message] of needs) if (fields.has(field) && !met) throw new Error(message);
}

/** A field of one or two digits may be read with fewer digits than it is written with, if no digit is next to it. */
function sourceOf(piece: DatePiece, index: number, pieces: readonly DatePiece[]): string {
  if (typeof piece === 'string') return piece.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  if (piece.field === 'half') return '(am|pm)';
  if (piece.field === 'offset') return '(Z|[+-][0-9]{2}:?[0-9]{2})';
  if (piece.width > 2) return `([0-9]{${piece.width}})`;
  const isSeparate = !touchesDigits(pieces[index - 1], -1) && !touchesDigits(pieces[index + 1], 0);
  if (isSeparate) return '([0-9]{1,2})';
  if (piece.width === 1) throw new Error('a date part of one letter (M, d, H, h) needs a separator on both sides');
  return '([0-9]{2})';
}

function touchesDigits(neighbour: DatePiece | undefined, at: number): boolean {
  if (neighbour === undefined) return false;
  if (typeof neighbour === 'string') return /[0-9]/.test(neighbour.at(at) ?? '');
  return neighbour.field !== 'half';
}

function instantOf(date: string, parts: Partial<Record<DateField, string>>): string | DateFault {
  const hour = parts.half === undefined ? Number(parts.hour) : hourOf(Number(parts.hour12), parts.half);
  const minute = Number(parts.minute ?? 0);
  return canonicalInstant(
    date,
    hour,
    minute,
    Number(parts.second ?? 0),
    Number(parts.millisecond ?? 0),
    parts.offset?.toUpperCase(),
  );
}

/** Converts to 24 hours: 12 AM is midnight, 12 PM noon. An hour outside of 1 to 12 gives 99, which is then refused. */
function hourOf(hour12: number, half: string): number {
  if (hour12 < 1 || hour12 > 12) return 99;
  return (hour12 % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
}

/** Where each field is in `YYYY-MM-DDTHH:mm:ss.sssZ`. */
const POSITIONS: Readonly<Record<Exclude<DateField, 'half' | 'offset' | 'hour12'>, readonly [number, number]>> = {
  year: [0, 4],
  month: [5, 7],
  day: [8, 10],
  hour: [11, 13],
  minute: [14, 16],
  second: [17, 19],
  millisecond: [20, 23],
};

function written({ field, width }: DateToken, canonical: string): string {
  if (field === 'offset') return 'Z';
  const hour = Number(canonical.slice(11, 13));
  if (field === 'half') return hour < 12 ? 'AM' : 'PM';
  const digits = field === 'hour12' ? String(hour % 12 || 12) : canonical.slice(...POSITIONS[field]);
  return String(Number(digits)).padStart(width, '0');
}
