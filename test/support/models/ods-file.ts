/** OpenDocument spreadsheets put together from their XML, as programs write them that do it in their own way. */
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

const MIMETYPE = 'application/vnd.oasis.opendocument.spreadsheet';
const NAMESPACES = ['office', 'style', 'text', 'table', 'number']
  .map((prefix) => {
    const name = prefix === 'number' ? 'datastyle' : prefix;
    return ` xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`;
  })
  .concat(' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"')
  .join('');

export interface OdsParts {
  /** The content of the only sheet, `Sheet1`. */
  readonly rows?: string;
  /** The content of office:spreadsheet instead of that sheet. */
  readonly sheets?: string;
  /** The content of office:automatic-styles. */
  readonly styles?: string;
  /** Before the root of content.xml. */
  readonly prolog?: string;
  /** Parts instead of those made, or beside them; null leaves one out. */
  readonly parts?: Readonly<Record<string, string | Buffer | null>>;
}

/** The bytes of a spreadsheet. */
export async function odsFile(given: OdsParts): Promise<Buffer> {
  const sheets = given.sheets ?? `<table:table table:name="Sheet1">${given.rows ?? ''}</table:table>`;
  const content =
    `<?xml version="1.0" encoding="UTF-8"?>${given.prolog ?? ''}<office:document-content${NAMESPACES}>` +
    `<office:automatic-styles>${given.styles ?? ''}</office:automatic-styles>` +
    `<office:body><office:spreadsheet>${sheets}</office:spreadsheet></office:body></office:document-content>`;
  const parts: Record<string, string | Buffer | null> = {
    mimetype: MIMETYPE,
    'content.xml': content,
    'META-INF/manifest.xml': manifest(''),
    ...given.parts,
  };
  const zip = new ZipFile();
  for (const [name, part] of Object.entries(parts)) {
    if (part !== null) zip.addBuffer(Buffer.from(part), name, { compress: name !== 'mimetype' });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** @param encryption the content of the entry of content.xml */
export function manifest(encryption: string): string {
  return (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">' +
    `<manifest:file-entry manifest:full-path="content.xml">${encryption}</manifest:file-entry></manifest:manifest>`
  );
}

/** A row of texts; empty ones are empty cells. */
export function odsRow(...texts: string[]): string {
  const cells = texts.map((text) =>
    text === ''
      ? '<table:table-cell/>'
      : `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`,
  );
  return `<table:table-row>${cells.join('')}</table:table-row>`;
}
