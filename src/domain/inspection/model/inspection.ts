/** What an inspection says about a file: how it is written, what kind of file it is, and what its columns are. */
import { z } from 'zod';
import { answerSchema } from './answer.js';
import { columnSchema } from './column.js';

/** What a file is about. */
const FILE_KINDS = ['items', 'stock', 'prices', 'categories', 'attributes', 'orders', 'googleFeed', 'unknown'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

const formatSchema = z.object({
  encoding: answerSchema(z.string()),
  sameEncodings: z
    .array(z.string())
    .default([])
    .meta({ description: 'The other encodings in which all characters of a text are the same' }),
  /** Null for workbooks, JSON and XML. */
  delimiter: answerSchema(z.string()).nullable(),
  /** `''`: quotes have no meaning. Null for workbooks, JSON and XML. */
  quote: answerSchema(z.string()).nullable(),
  escape: z.enum(['\\']).nullable().default(null).meta({
    description: 'What stands before a quote within a cell in quotes. Null: such a quote is doubled, or there is none',
  }),
  /**
   * The row of the source, from 1. A null value: no row names the columns, and the first one was taken, if the file is a
   * table.
   */
  headerRow: answerSchema(z.int()),
  headerRows: z.int().default(1).meta({
    description: '2: the row above it names groups of columns, which are called `Group – Name`',
  }),
  /** The rows above the header, as they are written. */
  titleLines: z.array(z.string()),
  /** Rows at the end that are no data, such as a row of totals. */
  lastRows: z.int(),
  /** The sheets of a workbook; null for texts. */
  sheets: z
    .array(
      z.object({
        name: z.string(),
        hidden: z.boolean(),
        rows: z.int().meta({ description: 'Rows with values, the header among them; counted to 1,000' }),
      }),
    )
    .nullable(),
  /** The sheet that was read. */
  sheet: z.string().nullable(),
  /** Why it was that sheet; the rivals are other sheets with tables. Null for texts. */
  sheetChoice: answerSchema(z.string()).nullable(),
  notes: z.array(z.string()).default([]).meta({
    description:
      'What only those see of a sheet who open it: hidden rows and columns, which are read like the others, and merged cells',
  }),
  /** Where the rows of JSON and XML are: `catalog/product`. Null for tables. */
  rowPath: answerSchema(z.string()).nullable(),
});

export const inspectionSchema = z.object({
  kind: answerSchema(z.enum(FILE_KINDS)),
  format: formatSchema,
  /** Data rows, without blank rows and without the last rows that are no data. */
  rows: z.int(),
  /** The first rows as they were read, at most 20; cells are cut to 1,000 characters. */
  sample: z.array(
    z.object({
      row: z.int(),
      cells: z.array(z.string()),
      types: z.string().nullable().meta({
        description:
          'Of workbooks, what each cell is, a character for each: t a text or empty, n a number, d a day, i an instant, b TRUE or FALSE',
      }),
    }),
  ),
  columns: z.array(columnSchema),
});

export type Inspection = z.output<typeof inspectionSchema>;
export type InspectedFormat = Inspection['format'];

/** All different values of a column that may be options or categories. */
const keptSchema = z.object({
  /** Of the column, from 0. */
  index: z.int(),
  values: z.array(z.string()),
  /** Whether these are all: there are bounds. */
  isComplete: z.boolean(),
});
export type KeptColumn = z.output<typeof keptSchema>;

/** How some cells of a column are written, for which an import needs a step. */
const noteSchema = z.object({
  /** Of the column, from 0. */
  index: z.int(),
  /** Words for no value that so many cells have that they are no mistake; null: there are none. */
  nothing: z.object({ words: z.array(z.string()), count: z.int(), row: z.int() }).nullable(),
  /** Whether a minus stands behind a number, or is one of printing: `12,50-`, `–5`. */
  minusBehind: z.boolean(),
});
export type ColumnNote = z.output<typeof noteSchema>;

/** Rows among those of a table that describe nothing. */
const apartRowsSchema = z.object({
  /** Titles of sections, notes and subtotals. */
  count: z.int(),
  /** The first of them. */
  examples: z.array(z.object({ row: z.int(), value: z.string() })),
  /** The columns that these rows leave empty, and all others fill. */
  emptyColumns: z.array(z.int()),
  /** Rows that repeat the header; null: there are none. */
  headers: z.object({ row: z.int(), count: z.int() }).nullable(),
});
export type ApartRows = z.output<typeof apartRowsSchema>;

/** An inspection as it is stored: with what proposals need and no answer shows, because it may be megabytes. */
export const storedInspectionSchema = inspectionSchema.extend({
  kept: z.array(keptSchema),
  notes: z.array(noteSchema).default([]),
  apart: apartRowsSchema.optional(),
  /** The columns that hold one level of a category each, and all different paths of them. */
  levels: z.object({ columns: z.array(z.int()), values: z.array(z.string()), isComplete: z.boolean() }).optional(),
});
export type StoredInspection = z.output<typeof storedInspectionSchema>;
