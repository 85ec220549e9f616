/** The few styles of cells in the workbooks that we write. */

/** Index of each style among the cell formats of STYLES_XML. */
export const STYLE = {
  general: 0,
  text: 1,
  date: 2,
  instant: 3,
  header: 4,
  mandatoryHeader: 5,
  preciseInstant: 6,
} as const;

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** The first id of a format that is not built in. */
const FIRST_CUSTOM = 164;
const CUSTOM = ['yyyy\\-mm\\-dd', 'yyyy\\-mm\\-dd\\ hh:mm:ss', 'yyyy\\-mm\\-dd\\ hh:mm:ss.000'];
/** Index of the fill of marked cells. */
const MARKED = 3;

/** The styles of the cells of one workbook: those of STYLE, and any that are added. Format 49 is the built-in one for text. */
export class CellStyles {
  readonly #custom = [...CUSTOM];
  readonly #formats = [
    cellFormat({}),
    cellFormat({ number: 49 }),
    cellFormat({ number: FIRST_CUSTOM }),
    cellFormat({ number: FIRST_CUSTOM + 1 }),
    cellFormat({ number: 49, font: 1 }),
    cellFormat({ number: 49, font: 1, fill: 2 }),
    cellFormat({ number: FIRST_CUSTOM + 2 }),
  ];
  readonly #added = new Map<string, number>();

  /** The index of the style of a cell with this number format. */
  of(format: number | string, isMarked: boolean): number {
    if (format === 0 && !isMarked) return STYLE.general;
    const key = `${isMarked} ${typeof format} ${format}`;
    const known = this.#added.get(key);
    if (known !== undefined) return known;
    const number = typeof format === 'number' ? format : this.#idOf(format);
    const index = this.#formats.push(cellFormat({ number, fill: isMarked ? MARKED : 0 })) - 1;
    this.#added.set(key, index);
    return index;
  }

  /** `styles.xml` */
  xml(): string {
    const custom = this.#custom.map((code, index) => {
      const written = code.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
      return `<numFmt numFmtId="${FIRST_CUSTOM + index}" formatCode="${written}"/>`;
    });
    const solid = (colour: string): string =>
      `<fill><patternFill patternType="solid"><fgColor rgb="${colour}"/><bgColor indexed="64"/></patternFill></fill>`;
    const marked = this.#added.size > 0 ? solid('FFFFC7CE') : '';
    return (
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
      `<styleSheet xmlns="${MAIN}">` +
      `<numFmts count="${custom.length}">${custom.join('')}</numFmts>` +
      '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
      `<fills count="${marked === '' ? 3 : 4}"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>` +
      `${solid('FFFFE699')}${marked}</fills>` +
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `<cellXfs count="${this.#formats.length}">${this.#formats.join('')}</cellXfs>` +
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
      '</styleSheet>'
    );
  }

  #idOf(code: string): number {
    const known = this.#custom.indexOf(code);
    return FIRST_CUSTOM + (known >= 0 ? known : this.#custom.push(code) - 1);
  }
}

function cellFormat({ number = 0, font = 0, fill = 0 }: { number?: number; font?: number; fill?: number }): string {
  const applied =
    (number > 0 ? ' applyNumberFormat="1"' : '') +
    (font > 0 ? ' applyFont="1"' : '') +
    (fill > 0 ? ' applyFill="1"' : '');
  return `<xf numFmtId="${number}" fontId="${font}" fillId="${fill}" borderId="0" xfId="0"${applied}/>`;
}
