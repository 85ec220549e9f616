/** What a proposal says of the file as a whole: its form, and what has to be decided about it. */
import { DECLARED } from '../../inspection/encoding/declared.js';
import type { InspectedFormat as Answers, FileKind } from '../../inspection/model/inspection.js';
import type { ProfileFileType, ProposedProfile } from '../../profiles/model/profile.js';
import type { InspectedRows } from '../model/inspection-job.js';
import type { Draft } from './draft.js';
import { askAboutForm } from './form-questions.js';

/** The kinds of files that each type may be without a question. */
const EXPECTED: Readonly<Record<ProfileFileType, readonly FileKind[]>> = {
  ITEM_IMPORT: ['items', 'unknown'],
  BUNDLE_IMPORT: ['items', 'unknown'],
  ATTRIBUTE_IMPORT: ['attributes', 'unknown'],
  CATEGORY_IMPORT: ['categories', 'unknown'],
};

const NAMES: Readonly<Record<FileKind, string>> = {
  items: 'items',
  stock: 'stock alone',
  prices: 'prices alone',
  categories: 'categories',
  attributes: 'attributes',
  orders: 'orders',
  googleFeed: 'products in the form of Google Merchant Center',
  unknown: 'an unknown kind',
};

const IMPORTED: Readonly<Record<ProfileFileType, string>> = {
  ITEM_IMPORT: 'items',
  BUNDLE_IMPORT: 'bundles',
  ATTRIBUTE_IMPORT: 'attributes',
  CATEGORY_IMPORT: 'categories',
};

/** @param rows what of its form was asked for, and is no question */
export function askAboutFile(draft: Draft, rows: InspectedRows): void {
  const { inspection, fileType, questions } = draft;
  const { kind } = inspection;
  const header = draft.header();
  if (kind.value !== null && !EXPECTED[fileType].includes(kind.value)) {
    const what = IMPORTED[fileType];
    const question = `This looks like a file of ${NAMES[kind.value]}. ${kind.reason} Are its rows ${what} all the same?`;
    const label = `its rows are imported as ${what}; cells that are empty change nothing`;
    questions.push({ about: 'kind', column: null, question, readings: [{ value: what, label, ...header }] });
  }
  askAboutForm(draft, rows);
}

/** How the file is written, as far as it is decided. */
export function formatOf({ inspection: { format } }: Draft, { sheet }: InspectedRows): ProposedProfile['format'] {
  const { encoding, delimiter, quote, headerRow, headerRows, lastRows, rowPath } = format;
  if (rowPath !== null) return nestedFormat(encoding, rowPath.value);
  const isText = delimiter !== null;
  const row = headerRow.value ?? headerRow.rivals[0];
  const quotes = quote?.value;
  return {
    ...(isText && encoding.value !== null ? { encoding: encoding.value } : {}),
    ...(isText && delimiter.value !== null ? { delimiter: delimiter.value } : {}),
    ...(quotes === "'" || quotes === '' ? { quote: quotes } : {}),
    ...(format.escape === null ? {} : { escape: format.escape }),
    ...(row === undefined ? {} : { headerRow: row }),
    ...(row !== undefined && headerRows > 1 ? { headerRows } : {}),
    ...(lastRows > 0 ? { skipLast: lastRows } : {}),
    ...sheetOf(format, sheet),
  };
}

/** What a file says of itself, the next one says as well: only an encoding that was found by its bytes is named. */
function nestedFormat({ value, reason }: Answers['encoding'], rowPath: string | null): ProposedProfile['format'] {
  const isNamed = value !== null && value !== 'utf-8' && !reason.startsWith(DECLARED);
  return { ...(isNamed ? { encoding: value } : {}), ...(rowPath === null ? {} : { rowPath }) };
}

/** The sheet of the next file may have another name: it is named where an import would read another one, or a person decides. */
function sheetOf({ sheets, sheet, sheetChoice }: Answers, asked: string | undefined): ProposedProfile['format'] {
  if (asked !== undefined) return { sheet: asked };
  if (sheet === null || sheets === null) return {};
  const first = sheets.find(({ hidden }) => !hidden) ?? sheets[0];
  return sheetChoice?.verdict === 'ambiguous' || first?.name !== sheet ? { sheet } : {};
}
