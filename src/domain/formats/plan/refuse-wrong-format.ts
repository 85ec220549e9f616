/** Recognises files that are not what their name says, so that a wrong extension does not cause 100,000 row errors. */
import { RejectedInput } from '../model/rejected-input.js';
import type { FormatReading, SourceFormat } from '../model/source-format.js';
import { refuseForm } from '../text/upload-blocks.js';

/** How many bytes of the upload are inspected. */
export const HEAD_BYTES = 1024;

/** First bytes of formats that are not text. */
const MAGIC: readonly { readonly bytes: string; readonly is: string; readonly advice: string }[] = [
  {
    bytes: '504b0304',
    is: 'a ZIP or XLSX file',
    advice: 'Let the name of a workbook end in .xlsx or .ods; unpack an archive.',
  },
  { bytes: 'd0cf11e0', is: 'an old Excel workbook (XLS)', advice: 'Save it as .xlsx or CSV.' },
  { bytes: '255044462d', is: 'a PDF document', advice: 'Export the data as CSV.' },
  { bytes: '1f8b08', is: 'compressed by gzip', advice: 'Let its name end in .gz.' },
  { bytes: '89504e47', is: 'a PNG image', advice: 'Upload the data as CSV.' },
  { bytes: 'ffd8ff', is: 'a JPEG image', advice: 'Upload the data as CSV.' },
  { bytes: '47494638', is: 'a GIF image', advice: 'Upload the data as CSV.' },
  { bytes: '52494646', is: 'an image, a sound or a film (RIFF)', advice: 'Upload the data as CSV.' },
  { bytes: '7f454c46', is: 'a program', advice: 'Upload the data as CSV.' },
];

/** How the archive of an OpenDocument file begins, after the head of its first entry. */
const OPEN_DOCUMENT = Buffer.from('mimetypeapplication/vnd.oasis.opendocument.');

/** @param head the first HEAD_BYTES of the upload. @throws RejectedInput WRONG_FORMAT. */
export function refuseBinary(head: Buffer, format: SourceFormat): void {
  refuseOpenDocument(head, format);
  for (const { bytes, is, advice } of MAGIC) {
    const magic = Buffer.from(bytes, 'hex');
    if (head.subarray(0, magic.length).equals(magic)) throw wrongFormat(format, is, advice);
  }
}

/** @param head the first HEAD_BYTES of the upload. @throws RejectedInput WRONG_FORMAT. */
export function refuseOpenDocument(head: Buffer, format: SourceFormat): void {
  if (!head.includes(OPEN_DOCUMENT)) return;
  throw wrongFormat(format, 'an OpenDocument file, such as ODS', 'Let the name of a spreadsheet end in .ods.');
}

/** @param head the first bytes of the text, as UTF-8. @throws RejectedInput WRONG_FORMAT. */
export function refuseOtherText(
  head: Buffer,
  format: SourceFormat,
  { reads, rows }: Pick<FormatReading, 'reads' | 'rows'>,
): void {
  const text = head.toString('utf8').trimStart();
  const isTable = reads === 'text' && rows === 'table';
  if (isTable && /^(\[\s*[{\]]|\{\s*")/.test(text)) {
    throw wrongFormat(format, 'JSON', 'Let its name end in .json or .jsonl.');
  }
  refuseForm(head, format);
  if (rows === 'elements') return refuseNoXml(text, format);
  if (/^<(\?xml|!doctype|html)/i.test(text))
    throw wrongFormat(format, 'XML or HTML', 'Let the name of an XML file end in .xml, or export the data as CSV.');
  if (reads === 'text' && !isTable && head.includes(0)) {
    throw wrongFormat(format, 'binary, or UTF-16 without a byte order mark', 'Save it as UTF-8.');
  }
}

function refuseNoXml(text: string, format: SourceFormat): void {
  const start = text.replace(/^\ufeff/, '');
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!doctype\s+html|<html)/i.test(start)) {
    throw wrongFormat(format, 'HTML', 'Download the file itself instead of the page that offers it.');
  }
  if (start === '' || start.startsWith('<')) return;
  const isJson = /^[[{]/.test(start);
  throw wrongFormat(
    format,
    isJson ? 'JSON' : 'no XML',
    isJson ? 'Let its name end in .json or .jsonl.' : 'Let its name say what it is: .csv, .tsv, .json or .jsonl.',
  );
}

/** The error for a header that holds NUL. */
export function binaryHeader(format: SourceFormat): RejectedInput {
  return wrongFormat(
    format,
    'binary, or UTF-16 without a byte order mark: its header holds NUL bytes',
    'Save it as UTF-8, or name the encoding in options.encoding ("utf-16le" or "utf-16be").',
  );
}

/** The error for a file that should be a workbook but is text, or has an unknown format. */
export function refuseText(head: Buffer, format: SourceFormat): RejectedInput {
  refuseOtherText(head, format, { reads: 'workbook', rows: 'table' });
  const isText = !head.includes(0);
  const is = isText ? 'text, such as CSV' : 'not a workbook';
  const ending = `.${format.toLowerCase()}`;
  return wrongFormat(
    format,
    is,
    isText ? `Let its name end in .csv, or save it as ${ending}.` : `Save it as ${ending}.`,
  );
}

/** The error for a file that is not what its name says. @param advice a sentence that says what to do */
export function wrongFormat(format: SourceFormat, is: string, advice: string): RejectedInput {
  return new RejectedInput('WRONG_FORMAT', `The file's name says ${format}, but the file is ${is}. ${advice}`);
}
