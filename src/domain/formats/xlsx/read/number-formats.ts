/** Finds out from the format of a cell whether its number is a date. */
import { localName, readXml, type XmlAttributes } from './safe-xml-parser.js';
import type { WorkbookLimits } from './workbook-limits.js';
import { tooComplex } from './workbook-problem.js';
import type { ZipArchive } from './zip-archive.js';

/** What a number is shown as: a plain number, a day, a day with its time, or a time of day alone. */
export type NumberDisplay = 'number' | 'day' | 'instant' | 'time';

/** Built-in formats. 27 to 36 and 50 to 58 are days and times of East Asian locales. */
const BUILT_IN: ReadonlyMap<number, NumberDisplay> = new Map<number, NumberDisplay>([
  ...days([14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]),
  ...times([18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56]),
  [22, 'instant'],
]);

/** Parts of a code that do not show the number: quoted and escaped text, fill characters, colours, conditions. */
const LITERALS = /"[^"]*"?|\\.|[_*].|\[[^\]]*\]/g;
const ELAPSED = /\[(h+|m+|s+)\]/i;

/** The format of a cell style. */
export interface NumberFormat {
  readonly display: NumberDisplay;
  /** The code of a format of the workbook, or the number of a built-in one; 0 is the general format. */
  readonly format: number | string;
  /** A whole number is shown with zeros before it up to so many digits, as codes are: 42 as 00042; 1: without any. */
  readonly digits: number;
}

/** A format of zeros only, perhaps with a locale before them and a section for texts behind them. */
const ZEROS = /^(0+)(?:;@)?$/;

function digitsOfCode(code: string): number {
  return ZEROS.exec(code.replace(LITERALS, (literal) => (literal.startsWith('[$') ? '' : literal)))?.[1]?.length ?? 1;
}

/** What a format code shows a positive number as. */
function displayOfCode(code: string): NumberDisplay {
  const [positive = ''] = code.replace(LITERALS, (literal) => (ELAPSED.test(literal) ? literal : '')).split(';');
  // Hours beyond a day are an amount of time, which is a number.
  if (ELAPSED.test(positive)) return 'number';
  const letters = positive.replace(/general|am\/pm|a\/p/gi, '').toLowerCase();
  if (/[0#?]/.test(letters.replace(/s\.0+/g, 's'))) return 'number';
  const hasTime = /[hs]/.test(letters);
  const hasDay = /[yd]/.test(letters) || (letters.includes('m') && !hasTime) || /[eg]/.test(letters);
  if (hasDay) return hasTime ? 'instant' : 'day';
  return hasTime ? 'time' : 'number';
}

/** How each cell style shows numbers, by its index. */
export async function readNumberFormats(
  archive: ZipArchive,
  part: string | null,
  limits: WorkbookLimits,
): Promise<readonly NumberFormat[]> {
  if (part === null) return [];
  const custom = new Map<number, NumberFormat>();
  const formats: number[] = [];
  let within = '';
  const handler = {
    open: (fullName: string, attributes: XmlAttributes) => {
      const name = localName(fullName);
      if (name === 'numFmt') {
        const format = attributes.formatCode ?? '';
        custom.set(Number(attributes.numFmtId), {
          display: displayOfCode(format),
          format,
          digits: digitsOfCode(format),
        });
      }
      if (name === 'cellXfs') within = name;
      else if (name === 'xf' && within === 'cellXfs') formats.push(Number(attributes.numFmtId ?? 0));
      if (custom.size + formats.length > limits.maxStyles) {
        throw tooComplex(`The workbook has more than ${limits.maxStyles} cell styles`);
      }
    },
    close: (fullName: string) => {
      if (localName(fullName) === within) within = '';
    },
    text: () => undefined,
  };
  await readXml(archive.read(part), handler, limits);
  return formats.map((id) => custom.get(id) ?? { display: BUILT_IN.get(id) ?? 'number', format: id, digits: 1 });
}

function days(formats: readonly number[]): [number, NumberDisplay][] {
  return formats.map((format) => [format, 'day']);
}

function times(formats: readonly number[]): [number, NumberDisplay][] {
  return formats.map((format) => [format, 'time']);
}
