/** What a cell of an OpenDocument spreadsheet holds, in the words of the rows of a workbook. */
import { CELL_TYPE } from '../read/raw-row.js';
import type { XmlAttributes } from '../read/safe-xml-parser.js';
import { damaged } from '../read/workbook-problem.js';
import { bytesOfText } from '../read/xml-bytes.js';
import { GENERAL_FORMAT, TIME_FORMAT } from './ods-formats.js';

interface OdsCell {
  readonly type: number;
  /** Index of its format. */
  readonly format: number;
  /** As a string of bytes; null without a value. */
  readonly text: string | null;
  /** Whether the value is the result of a formula other than `""`. */
  readonly isResult: boolean;
}

const EMPTY_TEXT_FORMULA = /^(?:\w+:)?=""$/;
const DURATION = /^(-?)P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6}(?:\.\d{1,9})?)S)?)?$/;
const NOT_ASCII = /[^\x20-\x7e]/;
/** In a workbook of the other format, this would stand for another character. */
const LOOKS_ESCAPED = /_x(?=[0-9a-fA-F]{4}_)/g;

/**
 * @param text the paragraphs of the cell; null when it has none
 * @param format the format in which its style shows numbers
 */
export function odsCell(attributes: XmlAttributes, text: string | null, format: number): OdsCell {
  const formula = attributes['table:formula'];
  const isResult = formula !== undefined && !EMPTY_TEXT_FORMULA.test(formula);
  const cell = (type: number, value: string | null, cellFormat = GENERAL_FORMAT): OdsCell => ({
    type,
    format: cellFormat,
    text: value === null || !NOT_ASCII.test(value) ? value : bytesOfText(value),
    isResult,
  });
  if (attributes['calcext:value-type'] === 'error') return cell(CELL_TYPE.error, text || '#VALUE!');
  switch (attributes['office:value-type']) {
    case 'float':
      return cell(CELL_TYPE.number, attributes['office:value'] ?? null, format);
    case 'percentage':
    case 'currency':
      return cell(CELL_TYPE.number, attributes['office:value'] ?? null);
    case 'date':
      return cell(CELL_TYPE.isoDate, attributes['office:date-value'] ?? null);
    case 'boolean':
      return cell(CELL_TYPE.boolean, attributes['office:boolean-value'] ?? null);
    case 'time':
      return timeCell(attributes['office:time-value'], cell);
    default: {
      const shown = attributes['office:string-value'] ?? text;
      const type = formula === undefined ? CELL_TYPE.inline : CELL_TYPE.formulaText;
      return cell(type, shown?.replace(LOOKS_ESCAPED, '_x005F_x') ?? null);
    }
  }
}

/** A time of day, or else an amount of days. */
function timeCell(
  duration: string | undefined,
  cell: (type: number, value: string | null, format?: number) => OdsCell,
): OdsCell {
  if (duration === undefined) return cell(CELL_TYPE.number, null);
  const [, sign, days = 0, hours = 0, minutes = 0, seconds = 0] = DURATION.exec(duration) ?? [];
  if (sign === undefined) throw damaged(`it has a cell with the time "${duration.slice(0, 40)}"`);
  const time = Number(days) + Number(hours) / 24 + Number(minutes) / 1_440 + Number(seconds) / 86_400;
  const isTimeOfDay = sign === '' && time < 1;
  return cell(CELL_TYPE.number, String(sign === '' ? time : -time), isTimeOfDay ? TIME_FORMAT : GENERAL_FORMAT);
}
