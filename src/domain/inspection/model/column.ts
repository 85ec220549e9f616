/** What an inspection says about one column. */
import { z } from 'zod';
import { type Answer, answerSchema } from './answer.js';

const COLUMN_TYPES = ['empty', 'text', 'integer', 'decimal', 'boolean', 'date', 'datetime', 'url', 'html'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

const DECIMAL_SIGNS = ['.', ','] as const;
export type DecimalSign = (typeof DECIMAL_SIGNS)[number];

/** How the numbers of a column are written. */
const numberSchema = z.object({
  decimal: answerSchema(z.enum(DECIMAL_SIGNS)),
  /** `''`: none. */
  thousands: answerSchema(z.string()),
  /** Signs and codes of currencies, as they are in the cells, the most frequent first. */
  currency: z.array(z.string()),
  /** Units after the numbers, as they are in the cells, the most frequent first. */
  units: z.array(z.string()),
});

/** A value that does not fit what the other cells of its column are. */
const counterExampleSchema = z.object({ row: z.int(), value: z.string(), reason: z.string() });

export const columnSchema = z.object({
  /** From 0. */
  index: z.int(),
  /** As tables and profiles name the column. */
  name: z.string(),
  /** The language, and perhaps the country, that the name ends in: `de` or `de_DE` for `title_de`, `Name (de-DE)`. */
  locale: z.string().nullable(),
  /** Whether the header's cell is blank. */
  isBlank: z.boolean(),
  /** Whether an earlier column has the same name. */
  isRepeated: z.boolean(),
  /** Cells that are not blank. */
  filled: z.int(),
  /** Different values, blank cells aside; an estimate unless `distinctIsExact`. */
  distinct: z.int(),
  distinctIsExact: z.boolean(),
  duplicates: z
    .object({
      count: z.int().meta({ description: 'Cells whose value an earlier cell has' }),
      isExact: z.boolean().meta({ description: 'Exact up to 1,000 different values; then the count is an estimate' }),
      examples: z
        .array(z.object({ value: z.string(), rows: z.array(z.int()) }))
        .meta({ description: 'The first of them, with the rows in which they occur, the first one among them' }),
    })
    .meta({ id: 'ColumnDuplicates' }),
  /** Whether no value occurs twice in the whole file. */
  isUnique: z.boolean(),
  /** The length of the longest value, in UTF-16 units. */
  longest: z.int(),
  /** The first different values, at most 5, each cut to 200 characters. */
  examples: z.array(z.string()),
  type: answerSchema(z.enum(COLUMN_TYPES)),
  /** All different values if there are at most 50, in the order in which they occur first; null if there are more. */
  values: z.array(z.string()).nullable(),
  number: numberSchema.nullable(),
  /** Formats such as `dd.MM.yyyy`, the most frequent first. A rival is another list of formats. */
  date: z.object({ formats: answerSchema(z.array(z.string())) }).nullable(),
  /** The words as they are in the cells. */
  boolean: z.object({ true: z.array(z.string()), false: z.array(z.string()) }).nullable(),
  /** The separator of several values in a cell. */
  list: answerSchema(z.string()).nullable(),
  /** The separator of the levels of a path, such as `>` in `Bikes > Road bikes`. */
  path: answerSchema(z.string()).nullable(),
  /** The first of them, in the order of their rows. */
  counterExamples: z.array(counterExampleSchema),
  counterExampleCount: z.int(),
});

export type CounterExample = z.output<typeof counterExampleSchema>;

/** How numbers are written. */
export interface NumberForm {
  decimal: Answer<DecimalSign>;
  thousands: Answer<string>;
  currency: string[];
  units: string[];
}

export type Column = z.output<typeof columnSchema>;
