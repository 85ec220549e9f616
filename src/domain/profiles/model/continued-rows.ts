/** Which rows of a file say more of the row above them, such as further images, and are no rows of their own. */
import { z } from 'zod';
import { attributeKey } from '../../kernel/attribute-key.js';
import { quoted } from '../../kernel/value-problem.js';
import { sourceColumn } from './column-rule.js';
import { rowFilterSchema } from './row-filter.js';

const MAX_COLLECTED = 20;

export const continuationRowsSchema = z
  .strictObject({
    when: rowFilterSchema.meta({ description: 'A row that continues another one is known by this' }),
    same: sourceColumn.optional().meta({
      description: 'A column in which both rows have the same text. Default: a row continues whatever stands above it',
    }),
    collect: z
      .array(
        z.strictObject({
          column: sourceColumn.meta({ description: 'A column whose values are put together' }),
          orderBy: sourceColumn.optional().meta({
            description: 'A column of numbers that order the values. Default: they are in the order of the rows',
          }),
        }),
      )
      .min(1)
      .max(MAX_COLLECTED),
  })
  .check(({ value, issues }) => {
    const { when, same, collect } = value;
    const collected = new Set<string>();
    const refuse = (path: PropertyKey[], message: string) =>
      issues.push({ code: 'custom', input: value, path, message });
    for (const [index, { column }] of collect.entries()) {
      if (collected.has(attributeKey(column))) refuse(['collect', index], `collects ${quoted(column)} twice`);
      collected.add(attributeKey(column));
    }
    const others: [PropertyKey[], string | undefined][] = [
      [['when', 'column'], when.column],
      [['same'], same],
      ...collect.map(({ orderBy }, index): [PropertyKey[], string | undefined] => [
        ['collect', index, 'orderBy'],
        orderBy,
      ]),
    ];
    for (const [path, column] of others) {
      if (column !== undefined && collected.has(attributeKey(column)))
        refuse(path, `names ${quoted(column)}, whose values are collected: name another column`);
    }
    if (same !== undefined && attributeKey(same) === attributeKey(when.column))
      refuse(['same'], `is ${quoted(same)}, by which rows that continue another one are known: name another column`);
  });

/** The rows that continue others, and what is collected of them. */
export type ContinuationRows = z.output<typeof continuationRowsSchema>;

/** What is between the values of a column that were collected: as between those of a list of JSON. */
export const BETWEEN_VALUES = '\n';

/** The columns of the file that must be there for it. */
export function columnsOfContinuation({ when, same, collect }: ContinuationRows): string[] {
  return [when.column, ...(same === undefined ? [] : [same]), ...collect.flatMap(({ orderBy }) => orderBy ?? [])];
}
