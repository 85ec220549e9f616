/** Whether a dropped file is the error file of a job, perhaps a corrected one: it is imported at once, as that job was asked for. */
import { headWithin, nameWithin, unpacked } from './packed.js';
import { partsOfZip, type ZipPart } from './zip-parts.js';

const HEAD_BYTES = 262_144;
/** Of the parts of a workbook, each so far: its header is at their beginning, but for texts that are kept apart. */
const MOST_OF_PART = 8_000_000;
const MOST_PARTS = 6;
/** Of a compressed workbook, whose directory is at its end. */
const MOST_OF_WORKBOOK = 20_000_000;
/** What an error file has besides the columns of the user. */
const ADDED = ['_row', '_column', '_code', '_job'] as const;
/** What is between them in a text is the delimiter. */
const OWN_COLUMNS = /([^"\w])"?_row"?\1"?_column"?\1"?_code/;
/** Where workbooks have the texts of cells: Excel's, and those of OpenDocument. */
const PARTS_WITH_TEXTS = /^(?:xl\/sharedStrings\.xml|xl\/worksheets\/[^/]+\.xml|content\.xml)$/;

export async function isErrorFile(file: File): Promise<boolean> {
  const name = nameWithin(file.name) ?? file.name;
  if (/\.(?:csv|tsv)$/i.test(name)) return OWN_COLUMNS.test(await headOf(file));
  if (/\.(?:json|ndjson|jsonl)$/i.test(name)) {
    const head = await headOf(file);
    return ADDED.every((added) => new RegExp(`"${added}"\\s*:`).test(head));
  }
  if (!/\.(?:xlsx|ods)$/i.test(name)) return false;
  if (name === file.name) return isErrorWorkbook(file);
  const workbook = await unpacked(file, MOST_OF_WORKBOOK);
  return workbook !== undefined && isErrorWorkbook(new File([workbook], name));
}

/** The names of these columns have the same bytes in every encoding that they come in, but for UTF-16. */
async function headOf(file: File): Promise<string> {
  const isPacked = nameWithin(file.name) !== undefined;
  const head = isPacked ? await headWithin(file, HEAD_BYTES) : await file.slice(0, HEAD_BYTES).arrayBuffer();
  return new TextDecoder('latin1').decode(head);
}

/** A damaged workbook is none: what reads it says what is wrong with it. */
async function isErrorWorkbook(file: File): Promise<boolean> {
  const missing = new Set<string>(ADDED);
  try {
    const parts = (await partsOfZip(file)).filter(({ name }) => PARTS_WITH_TEXTS.test(name));
    for (const part of parts.slice(0, MOST_PARTS)) {
      await lookFor(missing, part);
      if (missing.size === 0) return true;
    }
  } catch {
    return false;
  }
  return false;
}

async function lookFor(missing: Set<string>, part: ZipPart): Promise<void> {
  const decoder = new TextDecoder();
  let before = '';
  let read = 0;
  for (const reader = part.open().getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const text = before + decoder.decode(value, { stream: true });
    for (const name of missing) if (text.includes(`>${name}<`)) missing.delete(name);
    // A name may be divided between two pieces.
    before = text.slice(-20);
    read += value.byteLength;
    if (missing.size === 0 || read > MOST_OF_PART) return reader.cancel();
  }
}
