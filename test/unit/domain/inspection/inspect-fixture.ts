/** Inspects a file in memory. */
import type { AskedForm } from '../../../../src/domain/inspection/detect-format.js';
import { inspectSource } from '../../../../src/domain/inspection/inspect-source.js';
import type { Column } from '../../../../src/domain/inspection/model/column.js';
import { type Inspection, inspectionSchema } from '../../../../src/domain/inspection/model/inspection.js';
import { type FixtureOptions, sourceInput } from '../formats/source-fixture.js';

/** What a file in memory is, checked against the schema. It is a CSV file, unless the options say otherwise. */
export async function inspect(
  upload: Buffer | string,
  options: FixtureOptions = {},
  asked: AskedForm = {},
): Promise<Inspection> {
  return inspectionSchema.parse(await inspectSource(sourceInput(Buffer.from(upload), options), undefined, asked));
}

/** The column with this name. */
export function columnOf({ columns }: Inspection, name: string): Column {
  const column = columns.find((each) => each.name === name);
  if (column === undefined) throw new Error(`there is no column ${name}, only ${columns.map((each) => each.name)}`);
  return column;
}
