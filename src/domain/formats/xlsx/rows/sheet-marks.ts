/** Finds what only those see of a sheet who open it in a spreadsheet program: hidden rows and columns, and merged cells. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import { ReadMeter } from '../../text/upload-blocks.js';
import { OdsMarks } from '../ods/ods-marks.js';
import { CONTENT } from '../ods/read-ods-sheet.js';
import { cellPosition, ROWS_RANGE } from '../read/cell-name.js';
import { MERGED } from '../read/merged-cells.js';
import { SafeXmlParser } from '../read/safe-xml-parser.js';
import { type FoundMarks, hiddenColumns, noMarks } from '../read/sheet-marks.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { readOutline } from '../read/workbook-outline.js';
import { textOfBytes, xmlBytes } from '../read/xml-bytes.js';
import { openWorkbook, type WorkbookInput } from './open-workbook.js';

/** A row that has cells, or columns. In texts, `<` is written in another way. */
const HIDDEN = /<(?:\w+:)?(row|col)\s([^<>]*?\bhidden\s*=\s*["'](?:1|true)["'][^<>]*)>/g;
/** An element is no longer. */
const MOST_CARRIED = 1_000;

/** @param name of the sheet @param from the first row of data */
export async function readSheetMarks(
  input: WorkbookInput,
  name: string,
  from: number,
  pacer: EventLoopPacer,
): Promise<FoundMarks> {
  const { archive, isOds, close } = await openWorkbook(input, new ReadMeter(input), pacer);
  const found = noMarks();
  try {
    const parser = isOds ? new SafeXmlParser(new OdsMarks(name, from, found), WORKBOOK_LIMITS) : null;
    const part = isOds ? CONTENT : (await readOutline(archive, name, WORKBOOK_LIMITS)).sheet;
    let carried = '';
    for await (const bytes of xmlBytes(archive.read(part))) {
      if (parser !== null) parser.write(textOfBytes(bytes));
      else {
        const piece = carried + bytes;
        const open = piece.lastIndexOf('<');
        const isOpen = open > piece.lastIndexOf('>');
        noteMarks(isOpen ? piece.slice(0, open) : piece, from, found);
        carried = isOpen ? piece.slice(Math.max(open, piece.length - MOST_CARRIED)) : '';
      }
      await pacer.pause();
    }
    return found;
  } finally {
    close();
  }
}

function noteMarks(piece: string, from: number, found: FoundMarks): void {
  for (const [, element, attributes = ''] of piece.includes('hidden') ? piece.matchAll(HIDDEN) : []) {
    if (element === 'col') hiddenColumns(found, numberIn(attributes, 'min') - 1, numberIn(attributes, 'max') - 1);
    else if (!attributes.endsWith('/') && numberIn(attributes, 'r') >= from) {
      found.firstRow ||= numberIn(attributes, 'r');
      found.rows += 1;
    }
  }
  for (const [, first = ''] of piece.includes('mergeCell') ? piece.matchAll(MERGED) : []) {
    const row = cellPosition(first) % ROWS_RANGE;
    if (row < from) continue;
    found.firstMerged = found.merged === 0 ? row : Math.min(found.firstMerged, row);
    found.merged += 1;
  }
}

/** 0 if the attribute is not there. */
function numberIn(attributes: string, name: string): number {
  return Number(new RegExp(`(?:^|\\s)${name}\\s*=\\s*["'](\\d{1,7})["']`).exec(attributes)?.[1] ?? 0);
}
