/** The columns of a sheet that we write: their looks, and what may be chosen in their cells. */
import { type Cell, MAX_SHEET_ROWS } from './cell.js';
import { columnName } from './cell-reference.js';
import { STYLE } from './cell-styles.js';
import { escapeMarkup, escapeXmlAttribute } from './xml-text.js';

/** Longer lists, and those whose texts hold a comma, stand on a sheet of their own. */
const MAX_INLINE_LIST = 255;
const MAX_PROMPT = 255;
const WIDTH = { least: 12, most: 40, margin: 3 } as const;

export interface XlsxColumn {
  /** The first cell of the column. */
  readonly title: string;
  /** `text`: what is typed into the column stays text, leading zeros and all. `date`: it is shown as a day. */
  readonly format?: 'text' | 'date' | 'general';
  /** Marks the title as that of a column which must be filled in. */
  readonly mandatory?: boolean;
  /** What can be chosen in a cell; anything else is warned of, and still taken. */
  readonly choices?: readonly (string | number)[];
}

/** The style of each column's texts, and of its cells that hold nothing yet. */
export function columnStyle({ format }: XlsxColumn): number {
  if (format === 'text') return STYLE.text;
  return format === 'date' ? STYLE.date : STYLE.general;
}

export function titleStyle({ mandatory }: XlsxColumn): number {
  return mandatory === true ? STYLE.mandatoryHeader : STYLE.header;
}

/** `<cols>`, with widths and formats. */
export function columnsXml(columns: readonly XlsxColumn[]): string {
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
export function listColumns(columns: readonly XlsxColumn[]): readonly (readonly (string | number)[])[] {
  return columns.flatMap(({ choices }) => (choices === undefined || inlineList(choices) !== null ? [] : [choices]));
}

/** The rows of the hidden sheet. */
export function listRows(lists: readonly (readonly (string | number)[])[]): Cell[][] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, row) => lists.map((list) => list[row] ?? null));
}

/** `<dataValidations>`: the lists to choose from, and a word on columns that must be filled in. */
export function validationsXml(columns: readonly XlsxColumn[], listSheet: string): string {
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
        ` errorTitle="Not in the list" error="An import takes values of the list only, and NULL to clear one."${where}>` +
        `<formula1>${escapeMarkup(source)}</formula1></dataValidation>`,
    );
  }
  if (validations.length === 0) return '';
  return `<dataValidations count="${validations.length}">${validations.join('')}</dataValidations>`;
}

/** Shown beside a cell that is chosen. */
function promptXml({ mandatory, title }: XlsxColumn): string {
  if (mandatory !== true) return '';
  const prompt = escapeXmlAttribute(`"${title.slice(0, MAX_PROMPT / 2)}" must be filled in.`);
  return ` showInputMessage="1" promptTitle="Mandatory" prompt="${prompt}"`;
}

/** The list as a formula of its own; null when it has to stand in cells. Numbers are written by each locale in its way. */
function inlineList(choices: readonly (string | number)[]): string | null {
  const plain = choices.every((choice) => typeof choice === 'string' && /^[^,"\s](?:[^,"\n\t]*[^,"\s])?$/.test(choice));
  const list = choices.join(',');
  return plain && list.length <= MAX_INLINE_LIST ? `"${list}"` : null;
}
