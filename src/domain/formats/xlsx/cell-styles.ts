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

/** `styles.xml`. Format 49 is the built-in one for text. */
export const STYLES_XML =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  `<styleSheet xmlns="${MAIN}">` +
  '<numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>' +
  '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>' +
  '<numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor rgb="FFFFE699"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="7">' +
  cellFormat({}) +
  cellFormat({ number: 49 }) +
  cellFormat({ number: 164 }) +
  cellFormat({ number: 165 }) +
  cellFormat({ number: 49, font: 1 }) +
  cellFormat({ number: 49, font: 1, fill: 2 }) +
  cellFormat({ number: 166 }) +
  '</cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
  '</styleSheet>';

function cellFormat({ number = 0, font = 0, fill = 0 }: { number?: number; font?: number; fill?: number }): string {
  const applied =
    (number > 0 ? ' applyNumberFormat="1"' : '') +
    (font > 0 ? ' applyFont="1"' : '') +
    (fill > 0 ? ' applyFill="1"' : '');
  return `<xf numFmtId="${number}" fontId="${font}" fillId="${fill}" borderId="0" xfId="0"${applied}/>`;
}
