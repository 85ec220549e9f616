/** The columns of a sheet that we write: their formats, and the choices in their cells. */
import { columnName, MAX_SHEET_ROWS } from '../cell.js';
import { STYLE } from '../cell-styles.js';
import type { XlsxColumn } from '../xlsx-column.js';
import { escapeMarkup, escapeXmlAttribute } from './escape-text.js';

/** Longer lists, and those whose texts hold a comma, are written to a separate sheet. */
const MAX_INLINE_LIST = 255;
const MAX_PROMPT = 255;
const WIDTH = { least: 12, most: 40, margin: 3 } as const;

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

/** `<dataValidations>`: the lists to choose from, and prompts for columns that must be filled in. */
export function validationsXml(columns: readonly XlsxColumn[], listsName: string): string {
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
      source = `'${listsName}'!$${column}$1:$${column}$${choices.length}`;
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
