/** What the XML of several parts of a workbook has in common. */

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
export const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const SPREADSHEET_ML = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

export function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const entries = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${entries.join('')}</Relationships>`;
}
