/** SQL that writes dates into CSV cells in the format of their attribute. */
import { joinSql, type Sql, sql } from '../../../../db/sql.js';
import { compileDateFormat, type DateField, type DatePiece, type DateToken } from '../model/date-format.js';
import { textCell } from '../model/sql-cells.js';

const DAY_CHARACTERS = 10;
const INSTANT_CHARACTERS = 24;

/** A value that the format cannot express is written in ISO 8601, which imports accept besides any format. */
export function dateCell(format: string, value: Sql): Sql {
  // Imports trim cells before they apply a format.
  if (format.trim() !== format) return value;
  const { pieces } = compileDateFormat(format);
  const fields = new Set(
    pieces.filter((piece): piece is DateToken => typeof piece !== 'string').map(({ field }) => field),
  );
  const hasTime = fields.has('hour') || fields.has('hour12');
  const fits = [sql`length(${value}) = ${hasTime ? INSTANT_CHARACTERS : DAY_CHARACTERS}`];
  if (hasTime) {
    for (const field of ['minute', 'second', 'millisecond'] as const) {
      // A part that the format leaves out must be zero, otherwise it would be lost.
      if (!fields.has(field)) fits.push(sql`${part(value, field)} = ${'0'.repeat(PLACES[field].length)}`);
    }
  }
  const written = joinSql(
    pieces.map((piece) => writtenPiece(piece, value)),
    ' || ',
  );
  const cell = sql`CASE WHEN ${joinSql(fits, ' AND ')} THEN ${written} ELSE ${value} END`;
  const [first] = pieces;
  return typeof first === 'string' && first.startsWith('\\') ? textCell(sql`(${cell})`) : cell;
}

/** The position of each part in `YYYY-MM-DDTHH:mm:ss.sssZ`, counted from 1. */
const PLACES = {
  year: { from: 1, length: 4 },
  month: { from: 6, length: 2 },
  day: { from: 9, length: 2 },
  hour: { from: 12, length: 2 },
  minute: { from: 15, length: 2 },
  second: { from: 18, length: 2 },
  millisecond: { from: 21, length: 3 },
} as const;

function writtenPiece(piece: DatePiece, value: Sql): Sql {
  if (typeof piece === 'string') return sql`${piece}`;
  const { field, width } = piece;
  if (field === 'offset') return sql`'Z'`;
  if (field === 'half') return sql`CASE WHEN ${part(value, 'hour')} < '12' THEN 'AM' ELSE 'PM' END`;
  if (field === 'hour12') return padded(sql`((${part(value, 'hour')}::integer + 11) % 12 + 1)`, width);
  return width === 1 ? sql`(${part(value, field)}::integer)::text` : part(value, field);
}

function part(value: Sql, field: keyof typeof PLACES & DateField): Sql {
  const { from, length } = PLACES[field];
  return sql`substr(${value}, ${from}, ${length})`;
}

function padded(hour: Sql, width: number): Sql {
  return width === 1 ? sql`${hour}::text` : sql`lpad(${hour}::text, ${width}, '0')`;
}
