/** Reads the rows of a sheet of an OpenDocument spreadsheet, one after the other. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import { RejectedInput } from '../../model/rejected-input.js';
import type { RawRow } from '../read/raw-row.js';
import { localName, readXml, SafeXmlParser, type XmlAttributes, type XmlHandler } from '../read/safe-xml-parser.js';
import { hasSheetName, sheetNotFound } from '../read/sheet-names.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { tooComplex } from '../read/workbook-problem.js';
import { textOfBytes, xmlBytes } from '../read/xml-bytes.js';
import type { ZipArchive } from '../read/zip-archive.js';
import { OdsRows } from './ods-rows.js';
import { OdsStyles } from './ods-styles.js';

/** The part that has all sheets. */
export const CONTENT = 'content.xml';
/** Newer programs encrypt the document as a whole. */
const ENCRYPTED = 'encrypted-package';
const MANIFEST = 'META-INF/manifest.xml';
const ROW_END = '</table:table-row>';
/** How often a row is repeated between two looks at the clock. */
const REPETITIONS_PER_PAUSE = 64;
/** After so many repetitions the rows so far are taken. */
const REPETITIONS_PER_PIECE = 1_024;

/** Whether an archive is an OpenDocument file of any kind. */
export function isOpenDocument(archive: ZipArchive): boolean {
  return archive.has(ENCRYPTED) || (archive.has(CONTENT) && !archive.has('_rels/.rels'));
}

/**
 * Reads the sheet, a piece after each `next`.
 * @param sheetName in any case; undefined reads the first that is not hidden
 * @param open called once with the sheet's name, before the first row; returns what is given each row
 */
export async function* readOdsSheet(
  archive: ZipArchive,
  sheetName: string | undefined,
  pacer: EventLoopPacer,
  open: (sheetName: string) => (row: RawRow) => void,
): AsyncGenerator<void> {
  await refuseEncrypted(archive);
  const styles = new OdsStyles();
  if (archive.has('styles.xml')) await readXml(archive.read('styles.xml'), styles, WORKBOOK_LIMITS);
  const choice = new SheetChoice(sheetName);
  for (;;) {
    const document = new OdsDocument(styles, choice, open);
    yield* readContent(archive, document, pacer);
    if (document.rows !== null) return;
    choice.again();
  }
}

/** Each row is parsed on its own, so that its repetitions can be interrupted. */
async function* readContent(archive: ZipArchive, document: OdsDocument, pacer: EventLoopPacer): AsyncGenerator<void> {
  const parser = new SafeXmlParser(document, WORKBOOK_LIMITS);
  for await (const bytes of xmlBytes(archive.read(CONTENT))) {
    for (let at = 0; at < bytes.length && !document.isRead; ) {
      const found = bytes.indexOf(ROW_END, at);
      const end = found < 0 ? bytes.length : found + ROW_END.length;
      parser.write(textOfBytes(bytes.slice(at, end)));
      at = end;
      yield* repeatRow(document, pacer);
      await pacer.pause();
    }
    yield;
  }
  if (!document.isRead) parser.finish();
  document.checkKind();
}

async function* repeatRow({ rows }: OdsDocument, pacer: EventLoopPacer): AsyncGenerator<void> {
  for (let repeated = 1; rows !== null && rows.pending > 0; repeated += 1) {
    rows.repeat();
    if (repeated % REPETITIONS_PER_PAUSE === 0) await pacer.pause();
    if (repeated % REPETITIONS_PER_PIECE === 0) yield;
  }
}

/** Finds the sheet in the document, and passes its elements on. */
class OdsDocument implements XmlHandler {
  /** The rows of the chosen sheet; null until it was found. */
  rows: OdsRows | null = null;
  /** Whether the sheet was read: what follows it need not be parsed. */
  isRead = false;
  #hasSheets = false;
  /** How many tables are open: a cell may contain a table. */
  #tables = 0;

  readonly #styles: OdsStyles;
  readonly #choice: SheetChoice;
  readonly #onOpen: (sheetName: string) => (row: RawRow) => void;

  constructor(styles: OdsStyles, choice: SheetChoice, onOpen: (sheetName: string) => (row: RawRow) => void) {
    this.#styles = styles;
    this.#choice = choice;
    this.#onOpen = onOpen;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'office:spreadsheet') this.#hasSheets = true;
    if (this.isRead) return;
    if (name === 'table:table') this.#tables += 1;
    if (this.rows !== null) this.rows.open(name, attributes);
    else if (this.#tables === 0) this.#styles.open(name, attributes);
    else if (this.#tables === 1 && name === 'table:table') this.#openSheet(attributes);
  }

  close(name: string): void {
    if (this.isRead) return;
    if (name === 'table:table') this.#tables -= 1;
    if (this.rows === null) this.#styles.close(name);
    else if (this.#tables > 0) this.rows.close(name);
    else {
      this.isRead = true;
      while (this.rows.pending > 0) this.rows.repeat();
    }
  }

  text(text: string): void {
    if (!this.isRead) this.rows?.text(text);
  }

  /** @throws RejectedInput WRONG_FORMAT for a document without sheets. */
  checkKind(): void {
    if (!this.#hasSheets) throw noSpreadsheet('an OpenDocument file of another kind (such as a text)');
  }

  #openSheet(attributes: XmlAttributes): void {
    const name = attributes['table:name'] ?? '';
    if (!this.#choice.isChosen(name, this.#styles.hides(attributes['table:style-name']))) return;
    this.rows = new OdsRows(this.#styles, this.#onOpen(name));
  }
}

/** @throws RejectedInput WORKBOOK_ENCRYPTED */
export async function refuseEncrypted(archive: ZipArchive): Promise<void> {
  let isEncrypted = archive.has(ENCRYPTED);
  const manifest = {
    open: (name: string) => {
      isEncrypted ||= localName(name) === 'encryption-data';
    },
    close: () => undefined,
    text: () => undefined,
  };
  if (!isEncrypted && archive.has(MANIFEST)) await readXml(archive.read(MANIFEST), manifest, WORKBOOK_LIMITS);
  if (!isEncrypted) return;
  throw new RejectedInput(
    'WORKBOOK_ENCRYPTED',
    'The workbook is protected by a password. Save it without one, and upload it again.',
  );
}

function noSpreadsheet(is: string): RejectedInput {
  return new RejectedInput('WRONG_FORMAT', `The file's name says ODS, but the file is ${is}. Upload the spreadsheet.`);
}

/** Chooses the sheet of an OpenDocument spreadsheet as its sheets come. */
class SheetChoice {
  /** The sheets so far. */
  readonly #names: string[] = [];
  readonly #wanted: string | undefined;
  /** Whether the first sheet is chosen because all are hidden. */
  #anySheet = false;

  /** @param wanted the name of the sheet; undefined chooses the first that is not hidden */
  constructor(wanted: string | undefined) {
    this.#wanted = wanted;
  }

  /** Whether the next sheet is the one. */
  isChosen(name: string, isHidden: boolean): boolean {
    this.#names.push(name);
    if (this.#names.length > WORKBOOK_LIMITS.maxSheets) {
      throw tooComplex(`The workbook has more than ${WORKBOOK_LIMITS.maxSheets} sheets`);
    }
    return this.#wanted === undefined ? this.#anySheet || !isHidden : hasSheetName(name, this.#wanted);
  }

  /**
   * To be called when no sheet was chosen: the sheets are read again if all were hidden.
   * @throws RejectedInput SHEET_NOT_FOUND
   */
  again(): void {
    if (this.#wanted !== undefined || this.#names.length === 0 || this.#anySheet) {
      throw sheetNotFound(this.#names, this.#wanted);
    }
    this.#anySheet = true;
    this.#names.length = 0;
  }
}
