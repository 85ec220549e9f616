/** Builds SQL from pieces, for statements without bind parameters (COPY), and for those made of many conditions. Values are always inserted as literals. */
import type { Knex } from 'knex';
import pg from 'pg';

/** A piece of SQL. Only the functions of this file create one, so that no text of a client becomes SQL. */
export class Sql {
  private constructor(readonly text: string) {}

  /** @internal For `sql` and `joinSql`. */
  static of(text: string): Sql {
    return new Sql(text);
  }
}

type SqlValue = Sql | string | number | null;

/** ``sql`sku = ${sku}` ``: pieces are inserted as they are, all other values as literals. */
export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Sql {
  let text = strings[0] ?? '';
  values.forEach((value, index) => {
    text += `${literal(value)}${strings[index + 1] ?? ''}`;
  });
  return Sql.of(text);
}

/** Joins pieces with a separator. */
export function joinSql(pieces: readonly Sql[], separator: ', ' | ' AND ' | ' OR ' | ' || '): Sql {
  return Sql.of(pieces.map(({ text }) => text).join(separator));
}

/** Returns a generated name: `c12`. */
export function numbered(letter: 'c', index: number): Sql {
  if (!Number.isInteger(index)) throw new TypeError(`${index} is not an index`);
  return Sql.of(`${letter}${index}`);
}

/** Returns the name of a table or column that the catalog of the database has named. */
export function quotedName(name: string): Sql {
  return Sql.of(pg.escapeIdentifier(name));
}

/** Returns a text array as a literal. */
export function textArray(values: readonly string[]): Sql {
  return values.length === 0
    ? sql`'{}'::text[]`
    : sql`ARRAY[${joinSql(
        values.map((value) => sql`${value}`),
        ', ',
      )}]::text[]`;
}

/** Runs a statement over a pool or a transaction. Its own text may not contain a question mark, which knex replaces. */
export async function querySql<Row>(db: Knex, { text }: Sql): Promise<readonly Row[]> {
  if (text.includes('?')) throw new TypeError('a statement with a question mark needs bind parameters');
  const { rows } = await db.raw<{ rows: Row[] }>(text);
  return rows;
}

function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (value instanceof Sql) return value.text;
  if (typeof value === 'string') return textLiteral(value);
  if (!Number.isFinite(value)) throw new TypeError(`${value} is not a number in SQL`);
  // In parentheses, because two minus signs would begin a comment.
  return `(${value})`;
}

/** Without question marks: see querySql. */
function textLiteral(value: string): string {
  const text = pg.escapeLiteral(value);
  if (!text.includes('?')) return text;
  return `${text.startsWith("'") ? ' E' : ''}${text.replaceAll('?', '\\x3F')}`;
}
