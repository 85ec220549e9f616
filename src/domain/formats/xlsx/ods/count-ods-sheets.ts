/** Lists the sheets of an OpenDocument spreadsheet, and counts the rows of each. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import { readXml, SafeXmlParser, type XmlAttributes, type XmlHandler } from '../read/safe-xml-parser.js';
import { MOST_COUNTED_ROWS, type SheetCount } from '../read/sheet-count.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { textOfBytes, xmlBytes } from '../read/xml-bytes.js';
import type { ZipArchive } from '../read/zip-archive.js';
import { OdsStyles } from './ods-styles.js';
import { CONTENT, refuseEncrypted } from './read-ods-sheet.js';

/**
 * All sheets are in one part, which is read as a whole.
 * @param sheets is filled, so that what was found is known when the part turns out to be damaged
 */
export async function countOdsSheets(archive: ZipArchive, sheets: SheetCount[], pacer: EventLoopPacer): Promise<void> {
  await refuseEncrypted(archive);
  const styles = new OdsStyles();
  if (archive.has('styles.xml')) await readXml(archive.read('styles.xml'), styles, WORKBOOK_LIMITS);
  const parser = new SafeXmlParser(new OdsCounter(styles, sheets), WORKBOOK_LIMITS);
  for await (const bytes of xmlBytes(archive.read(CONTENT))) {
    parser.write(textOfBytes(bytes));
    await pacer.pause();
  }
  parser.finish();
}

class OdsCounter implements XmlHandler {
  /** How many tables are open: a cell may contain a table. */
  #tables = 0;
  #sheet: { rows: number; columns: number } = { rows: 0, columns: 0 };
  /** Cells of the open row that have a value. */
  #filled = 0;
  #repeated = 1;

  readonly #styles: OdsStyles;
  readonly #sheets: SheetCount[];

  constructor(styles: OdsStyles, sheets: SheetCount[]) {
    this.#styles = styles;
    this.#sheets = sheets;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'table:table') this.#openTable(attributes);
    else if (this.#tables === 0) this.#styles.open(name, attributes);
    else if (this.#tables === 1 && name === 'table:table-row') {
      this.#filled = 0;
      this.#repeated = countIn(attributes['table:number-rows-repeated']);
    } else if (this.#tables === 1 && name === 'table:table-cell' && attributes['office:value-type'] !== undefined) {
      this.#filled += countIn(attributes['table:number-columns-repeated']);
    }
  }

  close(name: string): void {
    if (name === 'table:table') this.#tables -= 1;
    else if (this.#tables === 0) this.#styles.close(name);
    else if (this.#tables === 1 && name === 'table:table-row' && this.#filled > 0) {
      this.#sheet.rows = Math.min(MOST_COUNTED_ROWS, this.#sheet.rows + this.#repeated);
      this.#sheet.columns = Math.max(this.#sheet.columns, this.#filled);
    }
  }

  text(): void {}

  #openTable(attributes: XmlAttributes): void {
    this.#tables += 1;
    if (this.#tables > 1) return;
    const hidden = this.#styles.hides(attributes['table:style-name']);
    const sheet = { name: attributes['table:name'] ?? '', hidden, rows: 0, columns: 0 };
    this.#sheet = sheet;
    if (this.#sheets.length < WORKBOOK_LIMITS.maxSheets) this.#sheets.push(sheet);
  }
}

function countIn(repeated: string | undefined): number {
  const count = Number(repeated ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}
