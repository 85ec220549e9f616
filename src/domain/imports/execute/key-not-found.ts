/** Explains why no row of a JSON or XML file has a key: the profile may be that of another file. */
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { openTable } from '../../formats/table/open-table.js';
import type { TableInput, TableOptions } from '../../formats/table/table.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { quoted } from '../../kernel/value-problem.js';
import { sourcesOf } from '../../profiles/model/column-rule.js';
import type { Profile } from '../../profiles/model/profile.js';

const SHOWN_PATHS = 20;

/**
 * What a profile reads as the key may be missing in a row of JSON or XML, as any path may. That no row at all has it is a
 * mistake of the profile, which need not be reported for each row.
 * @param key our column
 * @returns undefined when the file has the path, so that it is the rows that are at fault
 */
export async function keyNotFound(
  input: TableInput,
  { columns }: Profile,
  options: TableOptions,
  key: string,
): Promise<RejectedInput | undefined> {
  const sources = columns.filter(({ to }) => to !== null && attributeKey(to) === attributeKey(key)).flatMap(sourcesOf);
  const [source] = sources;
  if (source === undefined) return undefined;
  const table = await openTable(input, { ...options, columns: undefined }).catch((error: unknown) => {
    // Rows that cannot be read say for themselves what is wrong with them.
    if (error instanceof RejectedInput) return undefined;
    throw error;
  });
  if (table === undefined) return undefined;
  await table.batches.return(undefined);
  const { names, format } = table;
  const known = new Set(names.map(attributeKey));
  if (sources.some((name) => known.has(attributeKey(name)))) return undefined;
  const near = nearestName(source, names, (name) => name);
  const shown = names.slice(0, SHOWN_PATHS).map((name) => quoted(name));
  const hint =
    near === undefined
      ? `the rows have ${shown.join(', ')}${names.length > SHOWN_PATHS ? ' …' : ''}`
      : `did you mean ${quoted(near)}?`;
  const message = `No row at ${quoted(format.rowPath ?? '.')} has a value at ${quoted(source)}, which the profile reads as ${quoted(key)}: ${hint}`;
  return new RejectedInput('MISSING_COLUMN', message, { column: source });
}
