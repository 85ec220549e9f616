/** The attribute type SERIAL: whole numbers that are given to new items. */
import type { AttributeType } from './attribute-type.js';
import { NUMBER_FILTER } from './filters.js';
import { ANY_INTEGER } from './integer.js';
import { NUMBER_CELLS } from './workbook-cells.js';

const FILE_FORM = { fileType: 'SERIAL' } as const;
const AS_INTEGER = { accepts: 'As INTEGER', refuses: 'As INTEGER', example: '`1001`' } as const;

export const SERIAL: AttributeType = {
  summary: 'Whole numbers. A new item without a value is given the next number.',
  fields: ['serialStart'],
  rules: ['incrementBy'],
  resolve: ({ serialStart, validation }) => ({
    fields: { serialStart: serialStart ?? 1 },
    rules: { incrementBy: validation?.incrementBy ?? 1 },
  }),
  mappings: [],
  numbersItems: true,
  fileForms: [FILE_FORM],
  fileForm: () => FILE_FORM,
  codec: () => ANY_INTEGER,
  // Rows rarely have numbers of their own.
  encoder: () => null,
  jsonTokens: ['number'],
  exportCell: (_definition, value) => value,
  jsonForm: 'bare',
  workbook: () => NUMBER_CELLS,
  choices: () => undefined,
  filter: () => NUMBER_FILTER,
  comparable: (stored) => stored,
  forms: { csv: AS_INTEGER, workbook: AS_INTEGER, json: AS_INTEGER },
  examples: [
    {
      definition: { serialStart: 1000, validation: { incrementBy: 2 } },
      cells: { 1001: '1001', ' 7 ': '7' },
      refusedCells: { '7.5': 'VALUE_TYPE', next: 'VALUE_TYPE' },
      values: [1001, -3],
      refusedValues: ['1001', 7.5],
    },
  ],
};
