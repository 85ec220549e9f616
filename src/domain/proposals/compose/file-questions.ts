/** What a proposal says of the file as a whole: its form, and what has to be decided about it. */
import { DECLARED } from '../../inspection/encoding/declared.js';
import type { InspectedFormat as Answers, FileKind } from '../../inspection/model/inspection.js';
import { quoted } from '../../kernel/value-problem.js';
import type { OpenAnswer } from '../../profiles/model/open-question.js';
import type { ProfileFileType, ProposedProfile } from '../../profiles/model/profile.js';
import type { Draft } from './draft.js';

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

export function askAboutFile(draft: Draft): void {
  const { inspection, fileType, questions } = draft;
  const { kind, format } = inspection;
  const header = draft.header();
  if (kind.value !== null && !EXPECTED[fileType].includes(kind.value)) {
    const what = IMPORTED[fileType];
    const question = `This looks like a file of ${NAMES[kind.value]}. ${kind.reason} Are its rows ${what} all the same?`;
    const label = `its rows are imported as ${what}; cells that are empty change nothing`;
    questions.push({ about: 'kind', column: null, question, readings: [{ value: what, label, ...header }] });
  }
  if (format.encoding.verdict === 'ambiguous') {
    const readings = readingsOf(format.encoding, (encoding): OpenAnswer => {
      return { value: encoding, label: `the text is ${encoding}`, ...header, format: { encoding } };
    });
    ask(draft, 'encoding', `Which encoding does the file have? ${format.encoding.reason}`, readings);
  }
  if (format.delimiter?.verdict === 'ambiguous' && format.delimiter.value !== null) {
    // Another delimiter makes other columns, and these need an inspection of their own.
    const readings = [format.delimiter.value].map((delimiter): OpenAnswer => {
      return { value: delimiter, label: 'the columns are those of this proposal', ...header, format: { delimiter } };
    });
    ask(draft, 'delimiter', `Is this the delimiter? ${format.delimiter.reason}`, readings);
  }
  if (format.rowPath?.verdict === 'ambiguous' && format.rowPath.value !== null) {
    const own = format.rowPath.value;
    const readings = readingsOf(format.rowPath, (rowPath): OpenAnswer => {
      if (rowPath === own)
        return { value: rowPath, label: 'the rows are those of this proposal', ...header, format: { rowPath } };
      // Other rows have other columns, which only an inspection of them tells.
      const label = `the rows are at ${quoted(rowPath)}, and have columns of their own: ask for the proposal with this rowPath`;
      return { value: rowPath, label, row: 1, example: '', format: { rowPath } };
    });
    ask(draft, 'rowPath', `Which are the rows? ${format.rowPath.reason}`, readings);
  }
  if (!draft.isNested && (format.headerRow.value === null || format.headerRow.verdict === 'ambiguous')) {
    const readings = readingsOf(format.headerRow, (row): OpenAnswer => {
      return {
        value: String(row),
        label: `row ${row} has the names of the columns`,
        ...header,
        row,
        format: { headerRow: row },
      };
    }).slice(0, 1);
    ask(draft, 'headerRow', `Does this row name the columns? ${format.headerRow.reason}`, readings);
  }
}

function readingsOf<Value>(
  { value, rivals }: { readonly value: Value | null; readonly rivals: readonly Value[] },
  reading: (value: Value) => OpenAnswer,
): OpenAnswer[] {
  return [...(value === null ? [] : [value]), ...rivals].map(reading);
}

function ask(
  draft: Draft,
  about: 'encoding' | 'delimiter' | 'headerRow' | 'rowPath',
  question: string,
  readings: OpenAnswer[],
): void {
  if (readings.length > 0) draft.questions.push({ about, column: null, question, readings });
}

/** How the file is written, as far as it is decided. The sheet of the next file may have another name. */
export function formatOf({ inspection: { format } }: Draft): ProposedProfile['format'] {
  const { encoding, delimiter, quote, headerRow, lastRows, rowPath } = format;
  if (rowPath !== null) return nestedFormat(encoding, rowPath.value);
  const isText = delimiter !== null;
  const row = headerRow.value ?? headerRow.rivals[0];
  const quotes = quote?.value;
  return {
    ...(isText && encoding.value !== null ? { encoding: encoding.value } : {}),
    ...(isText && delimiter.value !== null ? { delimiter: delimiter.value } : {}),
    ...(quotes === "'" || quotes === '' ? { quote: quotes } : {}),
    ...(row === undefined ? {} : { headerRow: row }),
    ...(lastRows > 0 ? { skipLast: lastRows } : {}),
  };
}

/** What a file says of itself, the next one says as well: only an encoding that was found by its bytes is named. */
function nestedFormat({ value, reason }: Answers['encoding'], rowPath: string | null): ProposedProfile['format'] {
  const isNamed = value !== null && value !== 'utf-8' && !reason.startsWith(DECLARED);
  return { ...(isNamed ? { encoding: value } : {}), ...(rowPath === null ? {} : { rowPath }) };
}
