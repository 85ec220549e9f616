/** SQL that writes values of items into CSV cells, exactly as the import reads them back. */
import { type Sql, sql } from '../../../../db/sql.js';

/** `NULL` clears on import, so the text NULL is written `\NULL`; a leading backslash is doubled. */
export function textCell(value: Sql): Sql {
  return sql`CASE WHEN ${value} ^@ ${'\\'} OR ${value} = 'NULL' THEN ${'\\'} || ${value} ELSE ${value} END`;
}

/** A canonical decimal with the file's separator. */
export function numeralCell(value: Sql, decimalSeparator: '.' | ','): Sql {
  return decimalSeparator === '.' ? value : sql`replace(${value}, '.', ',')`;
}
