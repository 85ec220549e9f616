/** Writes a workbook of one sheet as a stream, at constant memory and with the same bytes for the same cells. */
import { once } from 'node:events';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import {
  type Cell,
  columnName,
  keepsItsDigits,
  MAX_CELL_CHARACTERS,
  MAX_SHEET_COLUMNS,
  MAX_SHEET_ROWS,
  SpreadsheetLimitExceeded,
  type StyledCell,
} from './cell.js';
import { CellStyles, STYLE } from './cell-styles.js';
import { serialOfDate } from './serial-dates.js';

// The parts of a workbook around its sheets.

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const SPREADSHEET_ML = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

const MAX_SHEET_NAME = 31;

interface SheetPart {
  readonly name: string;
  readonly hidden?: boolean;
}

/** Name in the archive of the sheet with this index. */
function sheetPath(index: number): string {
  return `xl/worksheets/sheet${index + 1}.xml`;
}

/** Every part but the sheets themselves, by its name in the archive, in the order in which they are written. */
function workbookParts(
  sheets: readonly SheetPart[],
  styles: CellStyles,
  comments: readonly Comment[] = [],
): (readonly [path: string, xml: string])[] {
  return [
    ['[Content_Types].xml', contentTypes(sheets.length, comments.length > 0)],
    ['_rels/.rels', relationships([[`${DOCUMENT}/officeDocument`, 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbook(sheets)],
    ['xl/_rels/workbook.xml.rels', workbookRelationships(sheets.length)],
    ['xl/styles.xml', styles.xml()],
    ...(comments.length > 0 ? commentParts(comments) : []),
  ];
}

/** The nearest name that spreadsheet programs accept for a sheet. */
function acceptedSheetName(name: string): string {
  const sound = name
    .replace(/[[\]:*?/\\]/g, ' ')
    .trim()
    .slice(0, MAX_SHEET_NAME)
    .replace(/^'|'$/g, ' ')
    .trim();
  return sound === '' ? 'Sheet1' : sound;
}

function contentTypes(sheetCount: number, hasComments: boolean): string {
  const override = (part: string, type: string): string =>
    `<Override PartName="/${part}" ContentType="${TYPES}.${type}+xml"/>`;
  const sheets = Array.from({ length: sheetCount }, (_, index) => override(sheetPath(index), 'worksheet'));
  return (
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    (hasComments ? `<Default Extension="vml" ContentType="${DRAWING}"/>${override(COMMENTS, 'comments')}` : '') +
    `${override('xl/workbook.xml', 'sheet.main')}${override('xl/styles.xml', 'styles')}${sheets.join('')}</Types>`
  );
}

function workbook(sheets: readonly SheetPart[]): string {
  const entries = sheets.map(({ name, hidden }, index) => {
    const state = hidden === true ? ' state="hidden"' : '';
    return `<sheet name="${escapeXmlAttribute(name)}" sheetId="${index + 1}"${state} r:id="rId${index + 1}"/>`;
  });
  return `${DECLARATION}<workbook xmlns="${SPREADSHEET_ML}" xmlns:r="${DOCUMENT}"><sheets>${entries.join('')}</sheets></workbook>`;
}

function workbookRelationships(sheetCount: number): string {
  const sheets = Array.from({ length: sheetCount }, (_, index): [string, string] => [
    `${DOCUMENT}/worksheet`,
    sheetPath(index).slice('xl/'.length),
  ]);
  return relationships([...sheets, [`${DOCUMENT}/styles`, 'styles.xml']]);
}

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const entries = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${entries.join('')}</Relationships>`;
}

// Comments of cells: their texts are in one part, and the boxes in which programs show them in a drawing.

interface Comment {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

const COMMENTS = 'xl/comments1.xml';
const DRAWINGS = 'xl/drawings/vmlDrawing1.vml';
const DRAWING = 'application/vnd.openxmlformats-officedocument.vmlDrawing';
/** Comments are kept until the end, so that there cannot be any number of them; further cells are only marked. */
const MOST_COMMENTS = 10_000;
const MAX_COMMENT = 1_000;
const AUTHOR = 'Longshore';

function commentParts(comments: readonly Comment[]): (readonly [path: string, xml: string])[] {
  const texts = comments.map(({ row, column, text }) => {
    const written = escapeCellText(text.slice(0, MAX_COMMENT));
    return `<comment ref="${columnName(column)}${row}" authorId="0"><text><t xml:space="preserve">${written}</t></text></comment>`;
  });
  const related = relationships([
    [`${DOCUMENT}/vmlDrawing`, '../drawings/vmlDrawing1.vml'],
    [`${DOCUMENT}/comments`, '../comments1.xml'],
  ]);
  return [
    [
      COMMENTS,
      `${DECLARATION}<comments xmlns="${SPREADSHEET_ML}"><authors><author>${AUTHOR}</author></authors>` +
        `<commentList>${texts.join('')}</commentList></comments>`,
    ],
    [DRAWINGS, drawing(comments)],
    ['xl/worksheets/_rels/sheet1.xml.rels', related],
  ];
}

/** The boxes, which are hidden until somebody points to their cells. */
function drawing(comments: readonly Comment[]): string {
  const boxes = comments.map(
    ({ row, column }, index) =>
      `<v:shape id="_x0000_s${1025 + index}" type="#_x0000_t202" fillcolor="#ffffe1" o:insetmode="auto"` +
      ' style="position:absolute;width:280pt;height:80pt;z-index:1;visibility:hidden"><v:textbox/>' +
      '<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/>' +
      `<x:Anchor>${column + 1}, 15, ${row - 1}, 2, ${column + 5}, 15, ${row + 4}, 2</x:Anchor>` +
      `<x:AutoFill>False</x:AutoFill><x:Row>${row - 1}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`,
  );
  return (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"' +
    ' xmlns:x="urn:schemas-microsoft-com:office:excel">' +
    '<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout>' +
    '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">' +
    '<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>' +
    `${boxes.join('')}</xml>`
  );
}

/** Characters of XML that are written at once: few writes to the streams, and little memory. */
const PIECE_CHARACTERS = 128 * 1024;
const BUFFERED_BYTES = 256 * 1024;
/** A fixed time, so that a file's bytes do not depend on the clock. It is in local time, as archives store it. */
const FIXED_TIME = new Date(1980, 0, 1);
/** Twice as fast as the usual 6, for a file that is a tenth larger. */
const COMPRESSION_LEVEL = 3;
/** Name of the hidden sheet with the lists to choose from. */
const LISTS = 'Lists';

export interface XlsxOptions {
  readonly sheetName: string;
  /** The first row, which stays in view: titles, or columns with formats and choices. */
  readonly header: readonly (string | XlsxColumn)[];
  /** Whether rows may have cells with formats and faults of their own. */
  readonly styled?: boolean;
}

interface XlsxWriter {
  /**
   * Resolves when the next rows can be written. Any number of rows may be passed at once; some hundred are best.
   * @throws SpreadsheetLimitExceeded for rows that no spreadsheet holds; the file cannot be finished then.
   * @throws what the sink failed with.
   */
  write(rows: readonly (readonly (Cell | StyledCell)[])[]): Promise<void>;
  /** Finishes the file and the sink. @throws what the sink failed with. */
  end(): Promise<void>;
}

/** Writes a workbook into a stream, which `end` ends. Destroy the sink to abandon an unfinished file. */
export function createXlsxWriter(sink: Writable, { sheetName, header, styled = false }: XlsxOptions): XlsxWriter {
  const columns = header.map((column): XlsxColumn => (typeof column === 'string' ? { title: column } : column));
  const zip = new ZipFile();
  const sheet = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  const done = pipeline(zip.outputStream, sink);
  // The next write, or end, reports a failure.
  done.catch((error: unknown) => sheet.destroy(error instanceof Error ? error : new Error(String(error))));
  sheet.on('error', () => undefined);
  const name = acceptedSheetName(sheetName);
  const lists = listColumns(columns);
  const listsName = name.toLowerCase() === LISTS.toLowerCase() ? `${LISTS} 2` : LISTS;
  const sheets = lists.length === 0 ? [{ name }] : [{ name }, { name: listsName, hidden: true }];
  const cellStyles = new CellStyles();
  const addParts = (comments: readonly Comment[] = []): void => {
    for (const [path, xml] of workbookParts(sheets, cellStyles, comments)) zip.addBuffer(Buffer.from(xml), path, ENTRY);
  };
  // Formats and comments are known only after the last row.
  if (!styled) addParts();
  if (lists.length > 0) zip.addReadStream(Readable.from(listSheet(lists)), sheetPath(1), ENTRY);
  zip.addReadStream(sheet, sheetPath(0), ENTRY);

  const titles = columns.map(({ title }) => title);
  const rowWriter = new SheetRowWriter(titles, cellStyles);
  // A text in a column of dates is not a date.
  const styles = columns.map((column) => (column.format === 'text' ? columnStyle(column) : STYLE.general));
  let pending = sheetHead(columns) + rowWriter.xmlOf(titles, columns.map(titleStyle));

  async function flush(): Promise<void> {
    const piece = pending;
    pending = '';
    if (sheet.destroyed) return done;
    if (!sheet.write(piece)) await Promise.race([once(sheet, 'drain'), done]);
    await yieldToEventLoop();
  }

  return {
    write: async (rows) => {
      for (const cells of rows) {
        pending += rowWriter.xmlOf(cells, styles);
        if (pending.length >= PIECE_CHARACTERS) await flush();
      }
    },
    end: async () => {
      const { comments } = rowWriter;
      const notes = comments.length > 0 ? `<legacyDrawing xmlns:r="${DOCUMENT}" r:id="rId1"/>` : '';
      pending += `</sheetData>${validationsXml(columns, listsName)}${notes}</worksheet>`;
      await flush();
      sheet.end();
      if (styled) addParts(comments);
      zip.end();
      await done;
    },
  };
}

const SHEET_OPENING = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${SPREADSHEET_ML}">`;
const ENTRY = { mtime: FIXED_TIME, forceDosTimestamp: true, mode: 0o100644, compressionLevel: COMPRESSION_LEVEL };

/** The sheet up to its first row: the header stays in view, and columns have widths and formats. */
function sheetHead(columns: readonly XlsxColumn[]): string {
  const view =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    '</sheetView></sheetViews>';
  return `${SHEET_OPENING}${view}${columnsXml(columns)}<sheetData>`;
}

/** The hidden sheet of choices, in pieces: there may be ten thousand in each of a thousand lists. */
async function* listSheet(lists: ReturnType<typeof listColumns>): AsyncGenerator<Buffer> {
  const writer = new SheetRowWriter([], new CellStyles());
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  let pending = `${SHEET_OPENING}<sheetData>`;
  for (let row = 0; row < longest; row++) {
    pending += writer.xmlOf(
      lists.map((list) => list[row] ?? null),
      [],
    );
    await yieldToEventLoop();
    if (pending.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  yield Buffer.from(`${pending}</sheetData></worksheet>`);
}

// The columns of a sheet that we write: their formats, and the choices in their cells.

/** Longer lists, and those whose texts hold a comma, are written to a separate sheet. */
const MAX_INLINE_LIST = 255;
const MAX_PROMPT = 255;
const WIDTH = { least: 12, most: 40, margin: 3 } as const;

export interface XlsxColumn {
  /** The first cell of the column. */
  readonly title: string;
  /** `text`: what is typed into the column stays text, including leading zeros. `date`: it is shown as a day. */
  readonly format?: 'text' | 'date' | 'general';
  /** Marks the title as that of a column which must be filled in. */
  readonly mandatory?: boolean;
  /** The choices in a cell; another value causes a warning, but is accepted. */
  readonly choices?: readonly (string | number)[];
}

/** The style of each column's texts, and of its cells that hold nothing yet. */
function columnStyle({ format }: XlsxColumn): number {
  if (format === 'text') return STYLE.text;
  return format === 'date' ? STYLE.date : STYLE.general;
}

function titleStyle({ mandatory }: XlsxColumn): number {
  return mandatory === true ? STYLE.mandatoryHeader : STYLE.header;
}

/** `<cols>`, with widths and formats. */
function columnsXml(columns: readonly XlsxColumn[]): string {
  if (columns.length === 0) return '';
  const formats = columns.map((column, index) => {
    const width = Math.min(Math.max(column.title.length + WIDTH.margin, WIDTH.least), WIDTH.most);
    const style = columnStyle(column);
    const styled = style === STYLE.general ? '' : ` style="${style}"`;
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"${styled}/>`;
  });
  return `<cols>${formats.join('')}</cols>`;
}

/** What the hidden sheet holds: a column for each list that is too long to be written beside the cells. */
function listColumns(columns: readonly XlsxColumn[]): readonly (readonly (string | number)[])[] {
  return columns.flatMap(({ choices }) => (choices === undefined || inlineList(choices) !== null ? [] : [choices]));
}

/** `<dataValidations>`: the lists to choose from, and prompts for columns that must be filled in. */
function validationsXml(columns: readonly XlsxColumn[], listSheet: string): string {
  const validations: string[] = [];
  let list = 0;
  for (const [index, column] of columns.entries()) {
    const name = columnName(index);
    const prompt = promptXml(column);
    const { choices } = column;
    if (choices === undefined && prompt === '') continue;
    const where = ` sqref="${name}2:${name}${MAX_SHEET_ROWS}"`;
    if (choices === undefined || choices.length === 0) {
      validations.push(`<dataValidation allowBlank="1"${prompt}${where}/>`);
      continue;
    }
    let source = inlineList(choices);
    if (source === null) {
      const column = columnName(list);
      source = `'${listSheet}'!$${column}$1:$${column}$${choices.length}`;
      list += 1;
    }
    validations.push(
      `<dataValidation type="list" errorStyle="warning" allowBlank="1" showErrorMessage="1"${prompt}` +
        ` errorTitle="Not in the list" error="An import accepts only values of the list, and NULL to clear one."${where}>` +
        `<formula1>${escapeMarkup(source)}</formula1></dataValidation>`,
    );
  }
  if (validations.length === 0) return '';
  return `<dataValidations count="${validations.length}">${validations.join('')}</dataValidations>`;
}

/** The prompt that is shown beside a selected cell. */
function promptXml({ mandatory, title }: XlsxColumn): string {
  if (mandatory !== true) return '';
  const prompt = escapeXmlAttribute(`"${title.slice(0, MAX_PROMPT / 2)}" must be filled in.`);
  return ` showInputMessage="1" promptTitle="Mandatory" prompt="${prompt}"`;
}

/**
 * The list as an inline formula; null when it must be in cells, as numbers must because each locale writes them
 * differently.
 */
function inlineList(choices: readonly (string | number)[]): string | null {
  if (choices.length > MAX_INLINE_LIST) return null;
  const plain = choices.every((choice) => typeof choice === 'string' && /^[^,"\s](?:[^,"\n\t]*[^,"\s])?$/.test(choice));
  const list = choices.join(',');
  return plain && list.length <= MAX_INLINE_LIST ? `"${list}"` : null;
}

// Writes the rows of a sheet as XML.

const DAY_LENGTH = 'yyyy-MM-dd'.length;

/** Counts the rows and writes each with its references, which some readers require. */
class SheetRowWriter {
  #row = 0;
  /** The openings `<c r="A` and so on, which are created once. */
  readonly #openings: string[] = [];

  readonly #header: readonly string[];
  readonly #styles: CellStyles;
  readonly comments: Comment[] = [];

  /** @param header names the columns in messages. */
  constructor(header: readonly string[], styles: CellStyles) {
    this.#header = header;
    this.#styles = styles;
  }

  /**
   * The XML of the next row.
   * @param styles index of the style of each column's texts; 0 when it is missing.
   * @throws SpreadsheetLimitExceeded
   */
  xmlOf(cells: readonly (Cell | StyledCell)[], styles: readonly number[]): string {
    this.#row += 1;
    const row = this.#row;
    if (row > MAX_SHEET_ROWS) throw tooManyRows();
    if (cells.length > this.#openings.length) this.#open(cells.length);
    let xml = `<row r="${row}">`;
    for (let column = 0; column < cells.length; column += 1) {
      const cell = cells[column] as Cell | StyledCell;
      if (cell === null || cell === '') continue;
      const opening = this.#openings[column] as string;
      if (typeof cell === 'string') xml += `${opening}${row}${this.#textXml(cell, column, styles[column])}`;
      else if (typeof cell === 'boolean') xml += `${opening}${row}" t="b"><v>${cell ? 1 : 0}</v></c>`;
      else if (typeof cell === 'number') xml += `${opening}${row}${this.#numberXml(cell, column, styles[column])}`;
      else if ('value' in cell) xml += this.#styledXml(cell, column);
      else if ('date' in cell) xml += `${opening}${row}${this.#dateXml(cell.date, column)}`;
      else xml += `${opening}${row}" t="e"><v>${escapeCellText(cell.error)}</v></c>`;
    }
    return `${xml}</row>`;
  }

  #styledXml({ value, format, fault }: StyledCell, column: number): string {
    const style = this.#styles.of(format, fault !== undefined);
    const isCommented = fault !== undefined && this.comments.length < MOST_COMMENTS;
    if (isCommented) this.comments.push({ row: this.#row, column, text: fault });
    const opening = `${this.#openings[column]}${this.#row}`;
    if (value === null || value === '') return style === STYLE.general ? '' : `${opening}" s="${style}"/>`;
    if (typeof value === 'string') return `${opening}${this.#textXml(value, column, style)}`;
    if (typeof value === 'number') return `${opening}" s="${style}"><v>${value}</v></c>`;
    if (typeof value === 'boolean') return `${opening}" s="${style}" t="b"><v>${value ? 1 : 0}</v></c>`;
    if ('date' in value) return `${opening}${this.#dateXml(value.date, column)}`;
    return `${opening}" s="${style}" t="e"><v>${escapeCellText(value.error)}</v></c>`;
  }

  #textXml(text: string, column: number, style: number | undefined): string {
    if (text.length > MAX_CELL_CHARACTERS) throw this.#cellTooLong(text, column);
    const styled =
      style === undefined || style === 0 ? '" t="inlineStr"><is><t' : `" s="${style}" t="inlineStr"><is><t`;
    const space = needsSpaceKept(text) ? ' xml:space="preserve">' : '>';
    return `${styled}${space}${escapeCellText(text)}</t></is></c>`;
  }

  #numberXml(value: number, column: number, style: number | undefined): string {
    // Adding 0 turns -0 into 0.
    return keepsItsDigits(value) ? `"><v>${value + 0}</v></c>` : this.#textXml(String(value), column, style);
  }

  #dateXml(date: string, column: number): string {
    const serial = serialOfDate(date);
    if (serial === null) return this.#textXml(date, column, STYLE.text);
    let style: number = STYLE.date;
    if (date.length > DAY_LENGTH) style = Date.parse(date) % 1000 === 0 ? STYLE.instant : STYLE.preciseInstant;
    return `" s="${style}"><v>${serial}</v></c>`;
  }

  #open(columns: number): void {
    if (columns > MAX_SHEET_COLUMNS) {
      throw new SpreadsheetLimitExceeded(
        'TOO_MANY_COLUMNS',
        `A spreadsheet has at most ${MAX_SHEET_COLUMNS} columns, and these rows have ${columns}. Use fewer columns, or CSV.`,
      );
    }
    for (let at = this.#openings.length; at < columns; at += 1) this.#openings.push(`<c r="${columnName(at)}`);
  }

  #cellTooLong(text: string, column: number): SpreadsheetLimitExceeded {
    const name = this.#header[column] ?? columnName(column);
    return new SpreadsheetLimitExceeded(
      'CELL_TOO_LONG',
      `Row ${this.#row}, column "${name}": the text has ${text.length} characters, and a cell of a spreadsheet holds ` +
        `${MAX_CELL_CHARACTERS} at most. Use CSV or JSONL.`,
    );
  }
}

function tooManyRows(): SpreadsheetLimitExceeded {
  return new SpreadsheetLimitExceeded(
    'TOO_MANY_ROWS',
    `A spreadsheet holds ${MAX_SHEET_ROWS} rows at most, its header included. Use fewer rows, or CSV.`,
  );
}

// Escapes any text for XML as spreadsheet programs do.

/**
 * What must be escaped in a cell: markup; characters that XML does not allow or changes on reading; and text that looks
 * like the escape for those.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const SPECIAL = /[&<>\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9a-fA-F]{4}_/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const UNWRITABLE = /[\x00-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const LOOKS_ESCAPED = /_(?=x[0-9a-fA-F]{4}_)/g;
const OUTER_SPACE = /^\s|\s$|[\t\n]/;

/**
 * The text of a cell: `_xHHHH_` stands for a character that XML does not allow, and `_x005F_` for the `_` of a literal
 * one.
 */
function escapeCellText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return escapeMarkup(text.replace(LOOKS_ESCAPED, '_x005F_').replace(UNWRITABLE, codeUnitEscape));
}

/** Whether readers would drop or change white space without `xml:space`. */
function needsSpaceKept(text: string): boolean {
  return OUTER_SPACE.test(text);
}

/** Text between tags, or within a double-quoted attribute, whose characters XML allows. */
function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** The value of a double-quoted attribute. */
function escapeXmlAttribute(text: string): string {
  return escapeMarkup(text.replace(UNWRITABLE, ''))
    .replace(/"/g, '&quot;')
    .replace(/[\t\n]/g, (space) => `&#${space.charCodeAt(0)};`);
}

function codeUnitEscape(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}
