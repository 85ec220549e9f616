/** Comments of cells: their texts are in one part, and the boxes in which programs show them in a drawing. */
import { columnName } from '../cell.js';
import { escapeCellText } from './escape-text.js';
import { DECLARATION, DOCUMENT, relationships, SPREADSHEET_ML } from './package-xml.js';

export interface Comment {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

export const COMMENTS = 'xl/comments1.xml';
const DRAWINGS = 'xl/drawings/vmlDrawing1.vml';
export const DRAWING = 'application/vnd.openxmlformats-officedocument.vmlDrawing';
/** Comments are kept until the end, so that there cannot be any number of them; further cells are only marked. */
export const MOST_COMMENTS = 10_000;
const MAX_COMMENT = 1_000;
const AUTHOR = 'Longshore';

export function commentParts(comments: readonly Comment[]): (readonly [path: string, xml: string])[] {
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
