/** SQL put together from pieces, where statements take no bind parameters (COPY). A value can only get in as a literal. */
import pg from 'pg';

/** A piece of SQL. Made by `sql` and `joinSql` only, so that no text of a client's becomes one. */
export class Sql {
  private constructor(readonly text: string) {}

  /** @internal For `sql` and `joinSql`. */
  static of(text: string): Sql {
    return new Sql(text);
  }
}

type SqlValue = Sql | string | number | null;

/** ``sql`sku = ${sku}` ``: pieces are put in as they are, everything else as a literal. */
export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Sql {
  let text = strings[0] ?? '';
  values.forEach((value, index) => {
    text += `${literal(value)}${strings[index + 1] ?? ''}`;
  });
  return Sql.of(text);
}

/** The pieces one after another. */
export function joinSql(pieces: readonly Sql[], separator: ', ' | ' AND ' | ' OR ' | ' || '): Sql {
  return Sql.of(pieces.map(({ text }) => text).join(separator));
}

/** A name of our own making: `c12`. */
export function numbered(letter: 'c', index: number): Sql {
  if (!Number.isInteger(index)) throw new TypeError(`${index} is no index`);
  return Sql.of(`${letter}${index}`);
}

/** A text array as a literal. */
export function textArray(values: readonly string[]): Sql {
  return values.length === 0
    ? sql`'{}'::text[]`
    : sql`ARRAY[${joinSql(
        values.map((value) => sql`${value}`),
        ', ',
      )}]::text[]`;
}

function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (value instanceof Sql) return value.text;
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (!Number.isFinite(value)) throw new TypeError(`${value} is no number that SQL knows`);
  // In parentheses: two minus signs would begin a comment.
  return `(${value})`;
}
